// Two iterations that are left out.
#include "check.h"

double product(double *x, int n) {
  double t = 0.5;
  for (int k = 0; k < n; k++)
    if (!(k == 1 || k == 3))
      t = x[k] * x[k] * t + x[k];
  return t;
}

GRADIENT_OF(product, 6)
