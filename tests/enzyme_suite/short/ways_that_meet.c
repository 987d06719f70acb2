// A branch in an arm of a branch, with a loop in front of it.
#include "check.h"

double chosen(double *x, int n) {
  double result = 0.0;
  if (n <= 3) {
    if (x[0] > 0.0) {
      result = x[1];
    } else {
      double sum = 0.0;
      for (int i = 0; i < n; i++)
        sum += x[i];
      result = sum > 2.0 ? x[1] : 2.0 * x[1];
    }
  }
  return result;
}

GRADIENT_OF(chosen, 2)
