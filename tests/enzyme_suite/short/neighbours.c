// An array that is changed in place, each number by its neighbour.
#include "check.h"

double total(double *x, int n) {
  double *u = malloc(n * sizeof(double));
  for (int i = 0; i < n; i++)
    u[i] = x[i] * 0.5;
  for (int i = 0; i < n - 1; i++)
    u[i] = u[i] * u[i + 1];
  double sum = 0.0;
  for (int i = 0; i < n; i++)
    sum += u[i] * u[i];
  free(u);
  return sum;
}

GRADIENT_OF(total, 6)
