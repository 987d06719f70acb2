/* ode by hand: y is kept at every step; the backward sweep computes a step's stages again. */

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define END 2.0

static double *kept, *work;
static size_t kept_room, work_room;

static double *at_least(double **memory, size_t *room, size_t wanted)
{
    if (wanted > *room) {
        free(*memory);
        *memory = malloc(wanted * sizeof **memory);
        *room = wanted;
    }
    return *memory;
}

static void slope(const double *restrict x, const double *restrict y, ptrdiff_t n,
                  double *restrict k)
{
    k[0] = x[0];
    for (ptrdiff_t i = 1; i < n; i++)
        k[i] = x[i] * y[i - 1];
}

static void moved(const double *restrict y, double h, const double *restrict k, ptrdiff_t n,
                  double *restrict to)
{
    for (ptrdiff_t i = 0; i < n; i++)
        to[i] = y[i] + h * k[i];
}

/* One step from y to after. */
static void step(const double *x, const double *y, ptrdiff_t n, double h, double *k,
                 double *between, double *after)
{
    double *k1 = k, *k2 = k + n, *k3 = k + 2 * n, *k4 = k + 3 * n;
    slope(x, y, n, k1);
    moved(y, h / 2.0, k1, n, between);
    slope(x, between, n, k2);
    moved(y, h / 2.0, k2, n, between);
    slope(x, between, n, k3);
    moved(y, h, k3, n, between);
    slope(x, between, n, k4);
    for (ptrdiff_t i = 0; i < n; i++)
        after[i] = y[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
}

void ode_primal(const double *x, ptrdiff_t n, ptrdiff_t steps, double *y)
{
    double *k = at_least(&work, &work_room, 5 * n);
    memset(y, 0, n * sizeof *y);
    for (ptrdiff_t s = 0; s < steps; s++)
        step(x, y, n, END / steps, k, k + 4 * n, y);
}

/* to = y + h times the slope at `from`: a stage of a step computed again. */
static void stage(const double *restrict x, const double *restrict y, double h,
                  const double *restrict from, ptrdiff_t n, double *restrict to)
{
    to[0] = y[0] + h * x[0];
    for (ptrdiff_t i = 1; i < n; i++)
        to[i] = y[i] + h * (x[i] * from[i - 1]);
}

/* Backward through `k = slope(x, y)`, k's adjoint being share * by_after + h * by_between: to is that of y.
   What came from between goes into the sum. */
static void slope_backward(const double *restrict x, const double *restrict y, ptrdiff_t n,
                           double share, const double *restrict by_after, double h,
                           const double *restrict by_between, double *restrict by_x,
                           double *restrict sum, double *restrict to)
{
    by_x[0] += share * by_after[0] + h * by_between[0];
    sum[0] += by_between[0];
    for (ptrdiff_t i = 1; i < n; i++) {
        double by_k = share * by_after[i] + h * by_between[i];
        by_x[i] += by_k * y[i - 1];
        to[i - 1] = by_k * x[i];
        sum[i] += by_between[i];
    }
    to[n - 1] = 0.0;
}

void ode_gradient(const double *x, ptrdiff_t n, ptrdiff_t steps, double *by_x)
{
    double h = END / steps;
    double *states = at_least(&kept, &kept_room, (steps + 1) * n);
    double *k = at_least(&work, &work_room, 6 * n);
    double *zeros = k + 5 * n, *b1 = k, *b2 = k + n, *b3 = k + 2 * n;
    memset(states, 0, n * sizeof *states);
    for (ptrdiff_t s = 0; s < steps; s++)
        step(x, states + s * n, n, h, k, k + 4 * n, states + (s + 1) * n);
    double *by = k + 3 * n, *one = k + 4 * n, *sum = states + steps * n;
    memset(by_x, 0, n * sizeof *by_x);
    memset(by, 0, n * sizeof *by);
    memset(zeros, 0, n * sizeof *zeros);
    by[n - 1] = 1.0;
    for (ptrdiff_t s = steps - 1; s >= 0; s--) {
        const double *y = states + s * n;
        stage(x, y, h / 2.0, y, n, b1);
        stage(x, y, h / 2.0, b1, n, b2);
        stage(x, y, h, b2, n, b3);
        memcpy(sum, by, n * sizeof *sum);
        slope_backward(x, b3, n, h / 6.0, by, 0.0, zeros, by_x, sum, one);
        slope_backward(x, b2, n, h / 3.0, by, h, one, by_x, sum, b3);
        slope_backward(x, b1, n, h / 3.0, by, h / 2.0, b3, by_x, sum, one);
        slope_backward(x, y, n, h / 6.0, by, h / 2.0, one, by_x, sum, b3);
        for (ptrdiff_t i = 0; i < n; i++)
            by[i] = sum[i] + b3[i];
    }
}
