extern void *malloc(unsigned long);
extern void *memcpy(void *, const void *, unsigned long);
extern unsigned long strlen(const char *);
extern _Noreturn void abort(void);
extern double sin(double), pow(double, double), fma(double, double, double), fabs(double);
typedef double (*Function)(double);

double applied(Function f, double x) { return f(x) + sin(x); }
char *copied(const char *s) {
    unsigned long n = strlen(s) + 1;
    char *p = malloc(n);
    if (!p) abort();
    memcpy(p, s, n);
    return p;
}
double powers(double x) { return pow(x, 2.5) + fma(x, x, 1) + fabs(x); }
int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
int variable(int n) {
    int a[n];
    for (int i = 0; i < n; i++) a[i] = i;
    return a[n / 2];
}
