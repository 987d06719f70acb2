/* Gradients of the kernels of benchmarks/on_threads/ by hand, with OpenMP: as one would write them for speed. */

#include <math.h>
#include <omp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

void set_threads(int count)
{
    omp_set_num_threads(count);
}

void iterated_sines(const double *x, ptrdiff_t n, double *by_x)
{
#pragma omp parallel for
    for (ptrdiff_t i = 0; i < n; i++) {
        double v = x[i], slope = 1.0;
        for (int turn = 0; turn < 30; turn++) {
            slope *= cos(v);
            v = sin(v) + 0.1;
        }
        by_x[i] = slope;
    }
}

/* Each pair counts twice, and both times with the same slope. */
void pair_energies(const double *x, ptrdiff_t n, double *by_x)
{
#pragma omp parallel for
    for (ptrdiff_t i = 0; i < n; i++) {
        double sum = 0.0;
        for (ptrdiff_t j = 0; j < n; j++) {
            double d = x[i] - x[j];
            sum -= 4.0 * d * exp(-d * d);
        }
        by_x[i] = sum;
    }
}

void rows(const double *x, ptrdiff_t n, double *by_x)
{
    (void)n;
#pragma omp parallel for
    for (ptrdiff_t i = 0; i < 20000; i++) {
        const double *row = x + 100 * i;
        double inner = 1.0;
        for (int j = 0; j < 100; j++) inner += row[j] * row[j];
        double slope = 1.0 / sqrt(inner);
        for (int j = 0; j < 100; j++) by_x[100 * i + j] = row[j] * slope;
    }
}

void elementwise(const double *x, ptrdiff_t n, double *by_x)
{
#pragma omp parallel for
    for (ptrdiff_t i = 0; i < n; i++) by_x[i] = exp(x[i]) * (sin(x[i]) + cos(x[i]));
}

void expressions(const double *x, ptrdiff_t n, double *by_x)
{
#pragma omp parallel for
    for (ptrdiff_t i = 0; i < n; i++) {
        double e = exp(x[i]), sine = sin(x[i]), y = e * sine;
        by_x[i] = 2.0 * (y * y + x[i]) * (2.0 * y * e * (sine + cos(x[i])) + 1.0);
    }
}

static double out_of(const double *x, ptrdiff_t n, ptrdiff_t i)
{
    return i < 1 || i > n - 2 ? 0.0 : x[i - 1] * x[i] + sin(x[i + 1]);
}

/* Each element asks the three that read it. */
void stencil(const double *x, ptrdiff_t n, double *by_x)
{
#pragma omp parallel
    {
        ptrdiff_t threads = omp_get_num_threads(), own = omp_get_thread_num();
        ptrdiff_t first = n * own / threads, last = n * (own + 1) / threads;
        double before = out_of(x, n, first - 1), here = out_of(x, n, first);
        for (ptrdiff_t i = first; i < last; i++) {
            double after = out_of(x, n, i + 1);
            double slope = 2.0 * before * cos(x[i]);
            if (i > 0) slope += 2.0 * here * x[i - 1];
            if (i < n - 1) slope += 2.0 * after * x[i + 1];
            by_x[i] = slope;
            before = here;
            here = after;
        }
    }
}

void gather(const double *x, ptrdiff_t n, double *by_x)
{
    memset(by_x, 0, (size_t)n * sizeof *by_x);
#pragma omp parallel for reduction(+ : by_x[:n])
    for (ptrdiff_t i = 0; i < 2000000; i++) by_x[i * 7 % 1000] += 2.0 * x[i * 7 % 1000];
}

void logistic(const double *w, ptrdiff_t n, double *by_w, const double *data, const double *labels)
{
    memset(by_w, 0, (size_t)n * sizeof *by_w);
#pragma omp parallel for reduction(+ : by_w[:n])
    for (ptrdiff_t i = 0; i < 20000; i++) {
        const double *row = data + n * i;
        double score = 0.0;
        for (ptrdiff_t j = 0; j < n; j++) score += row[j] * w[j];
        double slope = -labels[i] / (1.0 + exp(labels[i] * score));
        for (ptrdiff_t j = 0; j < n; j++) by_w[j] += slope * row[j];
    }
}

void layer(const double *m, ptrdiff_t n, double *by_m, const double *v)
{
    (void)n;
#pragma omp parallel for
    for (ptrdiff_t i = 0; i < 1000; i++) {
        double inner = 0.0;
        for (int j = 0; j < 1000; j++) inner += m[1000 * i + j] * v[j];
        double t = tanh(inner), slope = 2.0 * t * (1.0 - t * t);
        for (int j = 0; j < 1000; j++) by_m[1000 * i + j] = slope * v[j];
    }
}

/* The derivative of z by x is a complex number that goes along. */
void orbits(const double *x, ptrdiff_t n, double *by_x)
{
#pragma omp parallel for
    for (ptrdiff_t i = 0; i < n; i++) {
        double real = x[i], imaginary = 0.3, a = 1.0, b = 0.0;
        for (int turn = 0; turn < 20; turn++) {
            double c = 0.6 * (real * a - imaginary * b) + 0.5, d = 0.6 * (real * b + imaginary * a);
            double square = 0.3 * (real * real - imaginary * imaginary) + 0.5 * x[i];
            imaginary = 0.6 * real * imaginary + 0.1;
            real = square;
            a = c;
            b = d;
        }
        by_x[i] = 2.0 * (real * a + imaginary * b);
    }
}

/* The known delta of a call. */
void options(const double *x, ptrdiff_t n, double *by_x)
{
    const double root = 0.7071067811865476, density = 0.3989422804014327;
#pragma omp parallel for
    for (ptrdiff_t i = 0; i < n; i++) {
        double above = (log(x[i]) + 0.025) / 0.2, below = above - 0.2;
        double slope = 0.5 * (1.0 + erf(above * root));
        slope += density * (exp(-0.5 * above * above) - 0.98 * exp(-0.5 * below * below) / x[i]) / 0.2;
        by_x[i] = slope;
    }
}

/* One number in: the tangent goes along. */
void pendulums(const double *x, ptrdiff_t n, double *by_x)
{
#pragma omp parallel for
    for (ptrdiff_t i = 0; i < n; i++) {
        double q = x[i], p = 0.0, by_q = 1.0, by_p = 0.0;
        for (int step = 0; step < 200; step++) {
            by_p -= 0.01 * cos(q) * by_q;
            p -= 0.01 * sin(q);
            by_q += 0.01 * by_p;
            q += 0.01 * p;
        }
        by_x[i] = 2.0 * q * by_q;
    }
}

void moments(const double *x, ptrdiff_t n, double *by_x)
{
    double one = 0.0, two = 0.0, sines = 0.0;
#pragma omp parallel for reduction(+ : one, two, sines)
    for (ptrdiff_t i = 0; i < n; i++) {
        one += x[i];
        two += x[i] * x[i];
        sines += sin(x[i]);
    }
#pragma omp parallel for
    for (ptrdiff_t i = 0; i < n; i++) by_x[i] = 2.0 * (one + 2.0 * two * x[i] + sines * cos(x[i])) / (double)n;
}

static double laplacian(const double *a, ptrdiff_t i, ptrdiff_t j)
{
    if (i < 1 || j < 1 || i > 998 || j > 998) return 0.0;
    const double *at = a + 1000 * i + j;
    return at[-1000] + at[1000] + at[-1] + at[1] - 4.0 * at[0];
}

void plate(const double *a, ptrdiff_t n, double *by_a)
{
    (void)n;
    double *d = malloc(1000 * 1000 * sizeof *d);
#pragma omp parallel
    {
#pragma omp for
        for (ptrdiff_t i = 0; i < 1000; i++)
            for (ptrdiff_t j = 0; j < 1000; j++) d[1000 * i + j] = laplacian(a, i, j);
#pragma omp for
        for (ptrdiff_t i = 0; i < 1000; i++) {
            for (ptrdiff_t j = 0; j < 1000; j++) {
                const double *at = d + 1000 * i + j;
                double sum = -4.0 * at[0];
                if (i > 0) sum += at[-1000];
                if (i < 999) sum += at[1000];
                if (j > 0) sum += at[-1];
                if (j < 999) sum += at[1];
                by_a[1000 * i + j] = 2.0 * sum;
            }
        }
    }
    free(d);
}

/* All states are kept; the adjoint asks the three that read each element. */
void heat(const double *x, ptrdiff_t n, double *by_x)
{
    enum { STEPS = 20 };
    double *states = malloc((size_t)(STEPS + 2) * (size_t)n * sizeof *states);
    double *bar = states + (size_t)STEPS * (size_t)n, *before = bar + n;
    memcpy(states, x, (size_t)n * sizeof *x);
    for (int step = 0; step < STEPS; step++) {
        const double *u = states + (size_t)step * (size_t)n;
        double *following = step + 1 < STEPS ? states + (size_t)(step + 1) * (size_t)n : bar;
        following[0] = u[0];
        following[n - 1] = u[n - 1];
#pragma omp parallel for
        for (ptrdiff_t i = 1; i < n - 1; i++)
            following[i] = u[i] + 0.1 * (u[i - 1] - 2.0 * u[i] + u[i + 1]) * exp(-u[i]);
    }
#pragma omp parallel for
    for (ptrdiff_t i = 0; i < n; i++) bar[i] *= 2.0;
    for (int step = STEPS - 1; step >= 0; step--) {
        const double *u = states + (size_t)step * (size_t)n;
#pragma omp parallel for
        for (ptrdiff_t i = 0; i < n; i++) {
            double sum = bar[i];
            if (i > 0 && i < n - 1) {
                double d = u[i - 1] - 2.0 * u[i] + u[i + 1];
                sum += bar[i] * 0.1 * exp(-u[i]) * (-2.0 - d);
            }
            if (i > 1) sum += bar[i - 1] * 0.1 * exp(-u[i - 1]);
            if (i < n - 2) sum += bar[i + 1] * 0.1 * exp(-u[i + 1]);
            before[i] = sum;
        }
        double *other = bar;
        bar = before;
        before = other;
    }
    memcpy(by_x, bar, (size_t)n * sizeof *by_x);
    free(states);
}
