// Arrays in a list, through which only constants are written.
#include "check.h"

double total(double *x, int n) {
  double *u = malloc(n * sizeof(double)), *w = malloc(n * sizeof(double)), **rows = malloc(2 * sizeof(double *));
  for (int i = 0; i < n; i++) {
    u[i] = x[i] * x[i];
    w[i] = x[i] * 0.8;
  }
  rows[0] = u;
  rows[1] = w;
  for (int i = 0; i < n - 4; i++)
    rows[i][i] = 0.5;
  double sum = w[0] * w[1];
  for (int i = 0; i < n; i++)
    sum += u[i] * u[i];
  free(rows);
  free(u);
  free(w);
  return sum;
}

GRADIENT_OF(total, 6)
