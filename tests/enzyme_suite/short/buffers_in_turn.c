// Two buffers that change places.
#include "check.h"

double total(double *x, int n) {
  double *old = malloc(n * sizeof(double)), *new = malloc(n * sizeof(double));
  for (int i = 0; i < n; i++)
    old[i] = x[i];
  for (int step = 0; step < 3; step++) {
    for (int i = 0; i < n; i++)
      new[i] = old[i] * old[(i + 1) % n];
    double *other = old;
    old = new;
    new = other;
  }
  double sum = 0.0;
  for (int i = 0; i < n; i++)
    sum += old[i] * old[i];
  free(old);
  free(new);
  return sum;
}

GRADIENT_OF(total, 6)
