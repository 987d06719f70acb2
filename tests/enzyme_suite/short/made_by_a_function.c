// A function leaves a new array in a variable of the loop.
#include "check.h"

__attribute__((noinline)) void squares(double **to, double *x, int n) {
  double *made = malloc(n * sizeof(double));
  for (int i = 0; i < n; i++)
    made[i] = x[i] * x[i];
  *to = made;
}

double total(double *x, int n) {
  double sum = 1.0;
  for (int i = 0; i < n; i++) {
    double *made;
    squares(&made, x, n);
    sum = sum * made[i] + made[0];
    free(made);
  }
  return sum;
}

GRADIENT_OF(total, 6)
