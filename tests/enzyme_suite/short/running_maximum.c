// The maximum so far, of each iteration.
#include "check.h"

double total(double *x, int n) {
  double largest = x[0], sum = 0.0;
  for (int i = 1; i < n; i++) {
    largest = x[i] > largest ? x[i] : largest;
    sum += largest * largest;
  }
  return sum;
}

GRADIENT_OF(total, 6)
