// Steps of a stencil that has no inner points.
#include "check.h"

double total(double *x, int n) {
  double *u = malloc(n * sizeof(double));
  for (int i = 0; i < n; i++)
    u[i] = x[i];
  for (int step = 0; step < n; step++)
    for (int i = 2; i < n - 2; i++)
      u[i] = u[i] * u[i];
  double sum = 0.0;
  for (int i = 0; i < n; i++)
    sum += u[i] * u[i];
  free(u);
  return sum;
}

GRADIENT_OF(total, 3)
