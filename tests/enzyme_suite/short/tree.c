// A sum by halves, of a function that calls itself.
#include "check.h"

double halves(double *x, int n) {
  if (n == 1)
    return x[0] * x[0];
  return halves(x, n / 2) * halves(x + n / 2, n - n / 2);
}

GRADIENT_OF(halves, 6)
