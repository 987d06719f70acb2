// An array that each iteration makes anew of the one before.
#include "check.h"

double total(double *x, int n) {
  double *v = malloc(n * sizeof(double));
  for (int i = 0; i < n; i++)
    v[i] = x[i];
  for (int step = 0; step < 3; step++) {
    double *made = malloc(n * sizeof(double));
    for (int i = 0; i < n; i++)
      made[i] = v[i] * v[i] * x[i];
    free(v);
    v = made;
  }
  double sum = 0.0;
  for (int i = 0; i < n; i++)
    sum += v[i] * v[i];
  free(v);
  return sum;
}

GRADIENT_OF(total, 6)
