// Sorted places, and a number by them.
#include "check.h"

double third(double *x, int n) {
  int places[NUMBERS];
  for (int i = 0; i < n; i++)
    places[i] = i;
  for (int i = 1; i < n; i++)
    for (int j = i; j > 0 && x[places[j]] < x[places[j - 1]]; j--) {
      int other = places[j];
      places[j] = places[j - 1];
      places[j - 1] = other;
    }
  return x[places[2]] * x[places[0]];
}

GRADIENT_OF(third, 6)
