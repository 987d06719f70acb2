// A number that each iteration divides.
#include "check.h"

double total(double *x, int n) {
  double quotient = 1.5, sum = 0.0;
  for (int i = 0; i < n; i++) {
    quotient = quotient / x[i];
    sum += quotient;
  }
  return sum;
}

GRADIENT_OF(total, 6)
