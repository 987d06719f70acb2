/* llsq by hand: the powers of one point are kept for its backward sweep. */

#include <stddef.h>
#include <stdlib.h>

static double *powers;
static ptrdiff_t room;

static double point_of(ptrdiff_t i, ptrdiff_t n)
{
    return -1.0 + i * 2.0 / (n - 1.0);
}

static double sign_of(double t)
{
    return (double)((t > 0.0) - (t < 0.0));
}

double llsq_primal(const double *x, ptrdiff_t m, ptrdiff_t n)
{
    double total = 0.0;
    for (ptrdiff_t i = 0; i < n; i++) {
        double t = point_of(i, n), residual = sign_of(t), power = 1.0;
        for (ptrdiff_t j = 0; j < m; j++) {
            residual -= x[j] * power;
            power *= t;
        }
        total += residual * residual;
    }
    return total / 2.0;
}

void llsq_gradient(const double *x, ptrdiff_t m, ptrdiff_t n, double *by_x)
{
    if (m > room) {
        powers = realloc(powers, m * sizeof *powers);
        room = m;
    }
    for (ptrdiff_t j = 0; j < m; j++)
        by_x[j] = 0.0;
    for (ptrdiff_t i = 0; i < n; i++) {
        double t = point_of(i, n), residual = sign_of(t), power = 1.0;
        for (ptrdiff_t j = 0; j < m; j++) {
            residual -= x[j] * power;
            powers[j] = power;
            power *= t;
        }
        for (ptrdiff_t j = 0; j < m; j++)
            by_x[j] -= residual * powers[j];
    }
}
