// What kernels of tests/cpp are written in: one text, for `double` and for numbers with two directions.
//
// Twice<T> carries a value, its slopes along two directions, and the second derivative along both: forward mode by
// hand, and the second opinion on everything that Enzyme says. Comparisons ask values alone, so both take the same branches.
#pragma once
#include <stddef.h>

struct Twice {
    double v = 0, a = 0, b = 0, ab = 0;
    Twice() {}
    Twice(double value) : v(value) {}
    Twice(double value, double one, double other, double both) : v(value), a(one), b(other), ab(both) {}
};

static inline Twice operator+(Twice x, Twice y) { return {x.v + y.v, x.a + y.a, x.b + y.b, x.ab + y.ab}; }
static inline Twice operator-(Twice x, Twice y) { return {x.v - y.v, x.a - y.a, x.b - y.b, x.ab - y.ab}; }
static inline Twice operator-(Twice x) { return {-x.v, -x.a, -x.b, -x.ab}; }
static inline Twice operator*(Twice x, Twice y) {
    return {x.v * y.v, x.a * y.v + x.v * y.a, x.b * y.v + x.v * y.b,
            x.ab * y.v + x.a * y.b + x.b * y.a + x.v * y.ab};
}
// f(x), given f and its first and second derivative at the value.
static inline Twice through(Twice x, double f, double f1, double f2) {
    return {f, f1 * x.a, f1 * x.b, f1 * x.ab + f2 * x.a * x.b};
}
static inline Twice operator/(Twice x, Twice y) {
    double inverse = 1 / y.v;
    Twice z = x * through(y, inverse, -inverse * inverse, 2 * inverse * inverse * inverse);
    z.v = x.v / y.v;
    return z;
}
static inline Twice &operator+=(Twice &x, Twice y) { return x = x + y; }
static inline Twice &operator-=(Twice &x, Twice y) { return x = x - y; }
static inline Twice &operator*=(Twice &x, Twice y) { return x = x * y; }

static inline double value(double x) { return x; }
static inline double value(Twice x) { return x.v; }

static inline double sine(double x) { return __builtin_sin(x); }
static inline Twice sine(Twice x) {
    double s = __builtin_sin(x.v);
    return through(x, s, __builtin_cos(x.v), -s);
}
static inline double cosine(double x) { return __builtin_cos(x); }
static inline Twice cosine(Twice x) {
    double c = __builtin_cos(x.v);
    return through(x, c, -__builtin_sin(x.v), -c);
}
static inline double power(double x) { return __builtin_exp(x); }
static inline Twice power(Twice x) {
    double e = __builtin_exp(x.v);
    return through(x, e, e, e);
}
static inline double root(double x) { return __builtin_sqrt(x); }
static inline Twice root(Twice x) {
    double r = __builtin_sqrt(x.v);
    return through(x, r, 0.5 / r, -0.25 / (r * x.v));
}
static inline double logarithm(double x) { return __builtin_log(x); }
static inline Twice logarithm(Twice x) { return through(x, __builtin_log(x.v), 1 / x.v, -1 / (x.v * x.v)); }
template <class T> static inline T larger(T x, T y) { return value(x) > value(y) ? x : y; }
template <class T> static inline T smaller(T x, T y) { return value(x) < value(y) ? x : y; }
template <class T> static inline T size_of(T x) { return value(x) < 0 ? -x : x; }

extern "C" void *malloc(size_t);
extern "C" void free(void *);
extern "C" void *memmove(void *, const void *, size_t);
extern "C" void *memset(void *, int, size_t);
#ifdef ENTRIES_FOR_ENZYME
extern "C" void floats(double *) __asm__("enzyme_py_hint.Float.double");  // as Numba's arrays have it
#else
static inline void floats(double *) {}
#endif
static inline void floats(Twice *) {}
template <class... Pointers> static inline void floats(double *first, Pointers... others) {
    floats(first);
    floats(others...);
}
template <class T> static inline T *room(long n) {
    T *x = (T *)malloc(n * sizeof(T));
    floats(x);
    return x;
}
template <class T> static inline void copy(T *to, T *from, long n) {
    floats(to);
    floats(from);
    memmove(to, from, n * sizeof(T));
}
template <class T> static inline void clear(T *x, long n) {
    floats(x);
    memset(x, 0, n * sizeof(T));
}
// Functions whose results are left in memory.
template <class T> static inline void norms(T *x, T *y, long n, T *both) {
    both[0] = both[1] = 0.0;
    for (long i = 0; i < n; i++) {
        both[0] += x[i] * y[i];
        both[1] += sine(both[0]) * y[n - 1 - i];
    }
}
template <class T> static inline void sums(T *x, T *y, long n, T *both) {
    T s = 0.0, last = 1.0;
    for (long i = 0; i < n; i++) {
        s += x[i] / (2.0 + y[i] * y[i]);
        if (value(s) > 0.8) last = s * x[i];
    }
    both[0] = s;
    both[1] = last;
}
