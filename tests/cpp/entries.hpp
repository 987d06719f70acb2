// The entries of a kernel `template <class T> T NAME(T *x, T *c, long n)`: its derivatives by Enzyme, as users ask for them
// (the calls are those of assembly/emit.py), each inside a region of memory, and the same numbers by Twice.
#pragma once
#include "numbers.hpp"

// What goes in and comes out; who calls has filled all of it. `r` and `dr` are the result and its seed or tangent.
struct Asked {
    double *r, *dr, *x, *dx, *c, *dc;  // dx and dc: seeds of what x and c hold at the end, or tangents
    double *tr, *tx, *tdx, *tc, *tdc;  // second direction; tdx and tdc: tangents of dx and dc
    double *ur, *ux, *udx, *uc, *udc;  // what stands beside the second direction in a batch of two, or beside the seeds
    long n;
};

extern "C" {
extern int enzyme_width, enzyme_dup, enzyme_dupnoneed, enzyme_const, enzyme_strong_zero;
void __enzyme_autodiff(void *, ...);
void __enzyme_fwddiff(void *, ...);
int enzyme_py_enter(void *, void *, void *, int);
}

static inline double *copied(double *x, long n) {
    double *y = room<double>(n);
    for (long i = 0; i < n; i++) y[i] = x[i];
    return y;
}

#ifdef ENTRIES_FOR_ENZYME
#define ENTRY(NAME, WAY)                                                                                    \
    extern "C" int NAME##_##WAY(void *, void *excinfo, Asked *asked) {                                      \
        return enzyme_py_enter((void *)NAME##_##WAY##_body, asked, excinfo, 0);                             \
    }

// The gradient, by x and c, of a number that a kernel makes of slopes and directions.
#define REVERSE_OF_NUMBER(NAME, WAY, KERNEL)                                                                \
    extern "C" void NAME##_##WAY##_body(Asked *q) {                                                         \
        __enzyme_autodiff((void *)NAME##_##KERNEL##_kernel, enzyme_strong_zero, enzyme_dupnoneed, q->r, q->dr, \
                          enzyme_dup, q->x, q->tdx, enzyme_dup, q->c, q->tdc, enzyme_const, q->dx, enzyme_const, \
                          q->dc, enzyme_const, q->tx, enzyme_const, q->tc, enzyme_const, q->n);             \
    }                                                                                                       \
    ENTRY(NAME, WAY)

#define ENTRIES(NAME)                                                                                       \
    extern "C" void NAME##_kernel(double *r, double *x, double *c, long n) {                                \
        floats(r, x, c);                                                                                    \
        *r = NAME<double>(x, c, n);                                                                         \
    }                                                                                                       \
    extern "C" void NAME##_value_body(Asked *q) { NAME##_kernel(q->r, q->x, q->c, q->n); }                  \
    ENTRY(NAME, value)                                                                                      \
    extern "C" void NAME##_reverse_body(Asked *q) {                                                         \
        __enzyme_autodiff((void *)NAME##_kernel, enzyme_strong_zero, enzyme_dupnoneed, q->r, q->dr, enzyme_dup, q->x, \
                          q->dx, enzyme_dup, q->c, q->dc, enzyme_const, q->n);                              \
    }                                                                                                       \
    ENTRY(NAME, reverse)                                                                                    \
    extern "C" void NAME##_forward_body(Asked *q) {                                                         \
        __enzyme_fwddiff((void *)NAME##_kernel, enzyme_dup, q->r, q->tr, enzyme_dup, q->x, q->tx, enzyme_dup, q->c, \
                         q->tc, enzyme_const, q->n);                                                        \
    }                                                                                                       \
    ENTRY(NAME, forward)                                                                                    \
    extern "C" void NAME##_reverse2_body(Asked *q) {                                                        \
        __enzyme_autodiff((void *)NAME##_kernel, enzyme_strong_zero, enzyme_width, 2, enzyme_dupnoneed, q->r, q->dr, \
                          q->ur, enzyme_dup, q->x, q->dx, q->ux, enzyme_dup, q->c, q->dc, q->uc, enzyme_const, q->n); \
    }                                                                                                       \
    ENTRY(NAME, reverse2)                                                                                   \
    extern "C" void NAME##_forward2_body(Asked *q) {                                                        \
        __enzyme_fwddiff((void *)NAME##_kernel, enzyme_width, 2, enzyme_dup, q->r, q->tr, q->ur, enzyme_dup, q->x, \
                         q->tx, q->ux, enzyme_dup, q->c, q->tc, q->uc, enzyme_const, q->n);                 \
    }                                                                                                       \
    ENTRY(NAME, forward2)                                                                                   \
    /* dx and dc become slopes */                                                                           \
    extern "C" void NAME##_slopes_kernel(double *x, double *dx, double *c, double *dc, long n) {            \
        floats(x, dx, c, dc);                                                                               \
        double r = 0, dr = 1;                                                                               \
        __enzyme_autodiff((void *)NAME##_kernel, enzyme_dup, &r, &dr, enzyme_dup, x, dx, enzyme_dup, c, dc, \
                          enzyme_const, n);                                                                 \
    }                                                                                                       \
    extern "C" void NAME##_fr_body(Asked *q) {                                                              \
        __enzyme_fwddiff((void *)NAME##_slopes_kernel, enzyme_dup, q->x, q->tx, enzyme_dup, q->dx, q->tdx,  \
                         enzyme_dup, q->c, q->tc, enzyme_dup, q->dc, q->tdc, enzyme_const, q->n);           \
    }                                                                                                       \
    ENTRY(NAME, fr)                                                                                         \
    extern "C" void NAME##_fr2_body(Asked *q) {                                                             \
        __enzyme_fwddiff((void *)NAME##_slopes_kernel, enzyme_width, 2, enzyme_dup, q->x, q->tx, q->ux, enzyme_dup, \
                         q->dx, q->tdx, q->udx, enzyme_dup, q->c, q->tc, q->uc, enzyme_dup, q->dc, q->tdc, q->udc, \
                         enzyme_const, q->n);                                                               \
    }                                                                                                       \
    ENTRY(NAME, fr2)                                                                                        \
    /* slopes times a direction, a number */                                                                \
    extern "C" void NAME##_product_kernel(double *r, double *x, double *c, double *dx, double *dc,      \
                                          double *tx, double *tc, long n) {                     \
        floats(r, x, c, dx, dc, tx, tc);                                                                    \
        double *sx = copied(dx, n), *sc = copied(dc, n);                                                    \
        NAME##_slopes_kernel(x, sx, c, sc, n);                                                              \
        double s = 0;                                                                                       \
        for (long i = 0; i < n; i++) s += sx[i] * tx[i] + sc[i] * tc[i];                                    \
        *r = s;                                                                                             \
    }                                                                                                       \
    REVERSE_OF_NUMBER(NAME, rr, product)                                                                    \
    /* the tangent of the result and of <dx, x>, <dc, c> at the end */                                      \
    extern "C" void NAME##_tangent_kernel(double *r, double *x, double *c, double *dx, double *dc,      \
                                          double *tx, double *tc, long n) {                     \
        floats(r, x, c, dx, dc, tx, tc);                                                                    \
        double *vx = copied(tx, n), *vc = copied(tc, n);                                                    \
        double value = 0, slope = 0;                                                                        \
        __enzyme_fwddiff((void *)NAME##_kernel, enzyme_dup, &value, &slope, enzyme_dup, x, vx, enzyme_dup, c, vc, \
                         enzyme_const, n);                                                                  \
        for (long i = 0; i < n; i++) slope += vx[i] * dx[i] + vc[i] * dc[i];                                \
        *r = slope;                                                                                         \
    }                                                                                                       \
    REVERSE_OF_NUMBER(NAME, rf, tangent)
#endif

// The answers: the value, its tangent, the slopes, and their product with the direction; what x and c hold at the end, too.
// With seeds: of F = r + <dx, x at the end> + <dc, c at the end>. The ends hold, one behind the other, x at the end, its tangent, and the slopes by x.
template <class F> static void answer(F kernel, Asked *q, double *end_x, double *end_c) {
    long n = q->n;
    Twice *x = room<Twice>(n), *c = room<Twice>(n);
    for (long k = 0; k < 2 * n; k++) {
        for (long i = 0; i < n; i++) {
            x[i] = Twice(q->x[i], k == i, q->tx[i], 0);
            c[i] = Twice(q->c[i], k == n + i, q->tc[i], 0);
        }
        Twice f = kernel(x, c, n);
        q->r[0] = f.v;
        q->tr[0] = f.b;
        for (long i = 0; i < n; i++) {
            f = f + Twice(q->dx[i]) * x[i] + Twice(q->dc[i]) * c[i];
            end_x[i] = x[i].v;
            end_c[i] = c[i].v;
            end_x[n + i] = x[i].b;
            end_c[n + i] = c[i].b;
        }
        (k < n ? q->tdx[k] : q->tdc[k - n]) = f.ab;
        (k < n ? end_x[2 * n + k] : end_c[n + k]) = f.a;
    }
    free(x);
    free(c);
}
#define ANSWER(NAME)                                                                                        \
    extern "C" void NAME##_answer(Asked *q, double *end_x, double *end_c) {                                 \
        answer([](Twice *x, Twice *c, long n) { return NAME<Twice>(x, c, n); }, q, end_x, end_c);           \
    }
