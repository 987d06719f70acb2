// The number before the first one is the last one.
#include "check.h"

double total(double *x, int n) {
  double *z = malloc(n * sizeof(double)), sum = 0.0;
  for (int i = 0; i < n; i++)
    z[i] = x[i];
  for (int i = 0; i < n; i += 2) {
    int before = i - 1;
    sum += z[before < 0 ? before + n : before] * z[0];
  }
  for (int i = 0; i < n; i++)
    z[i] *= x[0];
  for (int i = 0; i < n; i++) {
    int before = i - 1;
    z[i] *= z[before < 0 ? before + n : before];
  }
  for (int i = 0; i < n; i++)
    sum += z[i];
  free(z);
  return sum;
}

GRADIENT_OF(total, 6)
