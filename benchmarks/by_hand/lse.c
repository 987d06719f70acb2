/* lse by hand: one exponential for each element serves the value and the gradient. */

#include <math.h>
#include <stddef.h>

static double largest_of(const double *x, ptrdiff_t n)
{
    double largest = x[0];
    for (ptrdiff_t i = 1; i < n; i++)
        largest = x[i] > largest ? x[i] : largest;
    return largest;
}

double lse_primal(const double *x, ptrdiff_t n)
{
    double largest = largest_of(x, n), total = 0.0;
    for (ptrdiff_t i = 0; i < n; i++)
        total += exp(x[i] - largest);
    return log(total) + largest;
}

void lse_gradient(const double *x, ptrdiff_t n, double *by_x)
{
    double largest = largest_of(x, n), total = 0.0;
    for (ptrdiff_t i = 0; i < n; i++) {
        by_x[i] = exp(x[i] - largest);
        total += by_x[i];
    }
    double share = 1.0 / total;
    for (ptrdiff_t i = 0; i < n; i++)
        by_x[i] *= share;
}
