// A branch for one number: its slope there is that of the branch, 6 at 3.
void __enzyme_autodiff(void *, ...);

double square(double *x, int n) {
  double sum = 0.0;
  for (int i = 0; i < n; i++)
    sum += x[i] == 3.0 ? x[i] * x[i] : 0.0;
  return sum;
}

int main(void) {
  double x[3] = {1.0, 3.0, 2.0}, slopes[3] = {0.0, 0.0, 0.0};
  __enzyme_autodiff((void *)square, x, slopes, 3);
  return slopes[0] != 0.0 || slopes[1] != 6.0 || slopes[2] != 0.0;
}
