// A function leaves an array that it finds in a list in a variable; a constant is written there.
#include "check.h"

__attribute__((noinline)) void look(double ***found, double **rows, int place) {
  for (int i = 0; i < place; i++)
    rows++;
  *found = rows;
}

double product(double *x, int n) {
  double *u = malloc(2 * sizeof(double)), **rows = malloc(2 * sizeof(double *)), **found;
  u[0] = x[0] * x[0];
  u[1] = x[0];
  rows[0] = rows[1] = u;
  look(&found, rows, n - 1);
  (*found)[0] = 0.5;
  double result = u[0] * u[1];
  free(rows);
  free(u);
  return result;
}

GRADIENT_OF(product, 1)
