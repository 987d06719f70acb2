// What the programs of the short form share. A gradient is compared with differences of the function itself.

#define NUMBERS 6

double fabs(double);
double sin(double);
void *malloc(unsigned long);
void free(void *);
void __enzyme_autodiff(void *, ...);
void __enzyme_fwddiff(void *, ...);

static const double NUMBERS_OF_X[NUMBERS] = {0.7, 1.2, 0.4, 1.5, 0.9, 1.1};

// Returns 0 if the gradient of a function of some numbers is that of differences, else the place of the first that is not.
static int compared(double (*function)(double *, int), double *slopes, int count) {
  double x[NUMBERS];
  for (int place = 0; place < count; place++) {
    double found[2];
    for (int side = 0; side < 2; side++) {
      for (int i = 0; i < NUMBERS; i++)
        x[i] = NUMBERS_OF_X[i];
      x[place] += side ? 1e-5 : -1e-5;
      found[side] = function(x, count);
    }
    double slope = (found[1] - found[0]) / 2e-5;
    if (!(fabs(slope - slopes[place]) < 1e-6 * (1.0 + fabs(slope))))
      return place + 1;
  }
  return 0;
}

// A program: the gradient of a function of `count` numbers.
#define GRADIENT_OF(function, count)                                                                                           \
  int main(void) {                                                                                                             \
    double x[NUMBERS], slopes[NUMBERS];                                                                                        \
    for (int i = 0; i < NUMBERS; i++) {                                                                                        \
      x[i] = NUMBERS_OF_X[i];                                                                                                  \
      slopes[i] = 0.0;                                                                                                         \
    }                                                                                                                          \
    __enzyme_autodiff((void *)function, x, slopes, count);                                                                     \
    return compared(function, slopes, count);                                                                                  \
  }
