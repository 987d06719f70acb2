// The number before the first one is the last one; then zeros take the place of what was read.
#include "check.h"

double total(double *x, int n) {
  double sum = 0.0;
  for (int i = 0; i < n; i++) {
    double one = (x + i - 1)[i == 0 ? n : 0];
    sum += one * one;
  }
  int j = 0;
  do {
    x[j] = 0.0;
    j++;
  } while (j < n);
  return sum;
}

GRADIENT_OF(total, 2)
