#include <stdarg.h>
extern int printf(const char *, ...);

double total(int n, ...) {
    va_list rest;
    va_start(rest, n);
    double sum = 0;
    while (n--) sum += va_arg(rest, double);
    va_end(rest);
    return sum;
}

int said(const char *text, double x) { return printf("%s %f %%d @x\n", text, x); }
