double dot(const double *a, const double *b, unsigned long n) {
    double sum = 0;
    for (unsigned long i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

void product(int n, double a[n][n], double b[n][n], double *restrict c) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < n; k++) sum += a[i][k] * b[k][j];
            c[i * n + j] = sum;
        }
}
