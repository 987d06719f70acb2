// How often the inner loop runs, stands in an array of the outer one.
#include "check.h"

double total(double *x, int n) {
  double t = 1.0;
  for (int i = 0; i < n; i++) {
    long sizes[2] = {n + 5, n + 5};
    sizes[n - 1] = i + 1;
    for (long j = 0; j < sizes[1]; j++)
      t = t * t * x[0];
  }
  return t;
}

GRADIENT_OF(total, 2)
