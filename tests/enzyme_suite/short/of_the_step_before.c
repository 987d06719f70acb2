// What the inner loop left in the iteration before.
#include "check.h"

double total(double *x, int n) {
  double sum = 0.0, last = x[0], kept = 0.0;
  for (int i = 0; i < n; i++) {
    sum += last * x[i];
    for (int j = i; j < n; j++) {
      last = x[j] * x[0];
      kept += x[j] * x[j];
    }
  }
  return sum + kept;
}

GRADIENT_OF(total, 6)
