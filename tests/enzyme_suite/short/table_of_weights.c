// A table of constant numbers, one of them zero, whose numbers take the place of others.
#include "check.h"

static const double WEIGHTS[6] = {0.5, 0.0, 2.0, -1.0, 0.25, 1.5};

double total(double *x, int n) {
  double sum = 0.0;
  for (int i = 0; i < n; i++) {
    double *y = malloc(n * sizeof(double));
    for (int j = 0; j < n; j++)
      y[j] = x[j];
    y[i] = WEIGHTS[i];
    for (int j = 0; j < n; j++)
      sum += y[j] * y[j] * y[j];
    free(y);
  }
  return sum;
}

GRADIENT_OF(total, 6)
