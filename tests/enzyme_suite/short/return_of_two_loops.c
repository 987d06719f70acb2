// A return in the inner of two loops, behind one that changed what is returned.
#include "check.h"

double found(double *x, int n) {
  double *v = malloc(n * sizeof(double)), taken = 0.0;
  for (int i = 0; i < n; i++)
    v[i] = x[i];
  for (int i = 0; i < n; i++) {
    taken += x[i];
    for (int j = 1; j < n; j++)
      v[j] += v[0] * v[j - 1] * 0.5;
    for (int h = 0; h < n; h++) {
      double sum = 0.0;
      for (int j = 0; j < n; j++)
        sum += v[j];
      if (sum > 9.0 && h > 0)
        return sin(x[h] * 0.3) * taken * v[h];
    }
  }
  return v[0];
}

GRADIENT_OF(found, 6)
