// A length that an inner loop counts.
#include "check.h"

double total(double *x, int n) {
  double sum = 0.0;
  for (int i = 0; i < n; i++) {
    int m = 0;
    for (int j = 0; j < n; j++)
      if (x[j] > x[i])
        m += 1;
    double part = 1.0;
    for (int j = 0; j < m; j++)
      part *= x[j] * x[i];
    sum += part * x[m];
  }
  return sum;
}

GRADIENT_OF(total, 6)
