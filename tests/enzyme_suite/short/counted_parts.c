// The numbers above another one are taken out into an array of as many.
#include "check.h"

double total(double *x, int n) {
  double sum = 0.0;
  for (int i = 0; i < n; i++) {
    int m = 0;
    for (int j = 0; j < n; j++)
      m += x[j] > x[i];
    double *part = malloc((m + 1) * sizeof(double));
    int k = 0;
    for (int j = 0; j < n; j++)
      if (x[j] > x[i])
        part[k++] = x[j] * x[i];
    for (int j = 0; j < m; j++)
      sum += sin(part[j]) * part[m - 1];
    free(part);
  }
  return sum;
}

GRADIENT_OF(total, 6)
