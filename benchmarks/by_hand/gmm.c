/* gmm by hand: BLOCK points at once through the packed triangular roots, then back through them, in vectors.

   What a root made of the points is kept for one block only. The roots' rows lie packed, the diagonal last in
   each. The means' adjoint is taken once, of the summed points. */

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 32
#define LANES 8

typedef double Lanes __attribute__((vector_size(8 * LANES)));

static double *memory;
static size_t room;

static double *reserved(size_t wanted)
{
    if (wanted > room) {
        free(memory);
        memory = aligned_alloc(64, (wanted * sizeof *memory + 63) / 64 * 64);
        room = wanted;
    }
    return memory;
}

static double log_sum_exp(const double *x, ptrdiff_t n, ptrdiff_t stride)
{
    double largest = x[0], total = 0.0;
    for (ptrdiff_t i = 1; i < n; i++)
        largest = x[i * stride] > largest ? x[i * stride] : largest;
    for (ptrdiff_t i = 0; i < n; i++)
        total += exp(x[i * stride] - largest);
    return log(total) + largest;
}

/* The rows of a root, from the logarithms of its diagonal and its columns below. */
static double packed_root(const double *q, const double *below, ptrdiff_t d, double *root)
{
    double total = 0.0;
    for (ptrdiff_t column = 0, at = 0; column < d; column++) {
        root[column * (column + 1) / 2 + column] = exp(q[column]);
        total += q[column];
        for (ptrdiff_t row = column + 1; row < d; row++)
            root[row * (row + 1) / 2 + column] = below[at++];
    }
    return total;
}

static void centred(const double *x, ptrdiff_t count, const double *mu, ptrdiff_t d,
                    double *restrict to)
{
    for (ptrdiff_t j = 0; j < d; j++)
        for (ptrdiff_t b = 0; b < BLOCK; b++)
            to[j * BLOCK + b] = b < count ? x[b * d + j] - mu[j] : 0.0;
}

/* made = root times the points, both with the points innermost; their squares. */
static void multiplied(const double *restrict root, const double *restrict points, ptrdiff_t d,
                       double *restrict made, double *restrict squares)
{
    Lanes *square = (Lanes *)squares, *to = (Lanes *)made;
    square[0] = square[1] = square[2] = square[3] = (Lanes){0.0};
    for (ptrdiff_t i = 0; i < d; i++) {
        Lanes a = {0.0}, b = a, c = a, e = a;
        const Lanes *at = (const Lanes *)points;
        for (ptrdiff_t j = 0; j <= i; j++, at += 4) {
            a += root[j] * at[0];
            b += root[j] * at[1];
            c += root[j] * at[2];
            e += root[j] * at[3];
        }
        to[0] = a, to[1] = b, to[2] = c, to[3] = e;
        square[0] += a * a, square[1] += b * b, square[2] += c * c, square[3] += e * e;
        root += i + 1;
        to += 4;
    }
}

static double prior_of(const double *q, const double *below, ptrdiff_t d, double gamma, double m)
{
    double squares = 0.0, total = 0.0;
    for (ptrdiff_t j = 0; j < d; j++) {
        squares += exp(2.0 * q[j]);
        total += q[j];
    }
    for (ptrdiff_t j = 0; j < d * (d - 1) / 2; j++)
        squares += below[j] * below[j];
    return 0.5 * gamma * gamma * squares - m * total;
}

double gmm_primal(const double *alpha, const double *mu, const double *q, const double *below,
                  const double *x, ptrdiff_t n, ptrdiff_t k, ptrdiff_t d, double gamma, double m,
                  double constant)
{
    ptrdiff_t packed = d * (d + 1) / 2, under = d * (d - 1) / 2;
    double *points = reserved(k * packed + k + k * BLOCK + 2 * d * BLOCK);
    double *made = points + d * BLOCK, *root = made + d * BLOCK;
    double *sums = root + k * packed, *terms = sums + k, squares[BLOCK] __attribute__((aligned(64)));
    double value = constant - n * log_sum_exp(alpha, k, 1);
    for (ptrdiff_t c = 0; c < k; c++) {
        sums[c] = packed_root(q + c * d, below + c * under, d, root + c * packed);
        value -= prior_of(q + c * d, below + c * under, d, gamma, m);
    }
    for (ptrdiff_t first = 0; first < n; first += BLOCK) {
        ptrdiff_t count = n - first < BLOCK ? n - first : BLOCK;
        for (ptrdiff_t c = 0; c < k; c++) {
            centred(x + first * d, count, mu + c * d, d, points);
            multiplied(root + c * packed, points, d, made, squares);
            for (ptrdiff_t b = 0; b < BLOCK; b++)
                terms[c * BLOCK + b] = alpha[c] + sums[c] - 0.5 * squares[b];
        }
        for (ptrdiff_t b = 0; b < count; b++)
            value += log_sum_exp(terms + b, k, BLOCK);
    }
    return value;
}

/* How many vectors the first `rows` rows of a padded triangle take. */
static ptrdiff_t vectors(ptrdiff_t rows)
{
    ptrdiff_t whole = rows / LANES;
    return LANES * whole * (whole + 1) / 2 + rows % LANES * (whole + 1);
}

/* by_root += the products of what a root made, weighed, with the points. Its rows are padded to whole
   vectors; room holds the points by rows, padded likewise. */
static void root_backward(const double *restrict weights, const double *restrict made,
                          const double *restrict x, ptrdiff_t count, const double *restrict mu,
                          ptrdiff_t d, double *restrict room, Lanes *restrict by_root,
                          double *restrict summed)
{
    ptrdiff_t wide = (d + LANES - 1) / LANES;
    for (ptrdiff_t b = 0; b < count; b++)
        for (ptrdiff_t j = 0; j < d; j++)
            room[b * wide * LANES + j] = x[b * d + j] - mu[j];
    for (ptrdiff_t i = 0; i < d; i++) {
        double a[BLOCK], total = 0.0;
        for (ptrdiff_t b = 0; b < BLOCK; b++) {
            a[b] = weights[b] * made[i * BLOCK + b];
            total += a[b];
        }
        summed[i] += total;
        for (ptrdiff_t j = 0; j <= i / LANES; j++) {
            const Lanes *at = (const Lanes *)room + j;
            Lanes one = {0.0}, two = one, three = one, four = one;
            for (ptrdiff_t b = 0; b < BLOCK; b += 4, at += 4 * wide) {
                one += a[b] * at[0];
                two += a[b + 1] * at[wide];
                three += a[b + 2] * at[2 * wide];
                four += a[b + 3] * at[3 * wide];
            }
            *by_root++ += one + two + (three + four);
        }
    }
}

static void softmax(const double *terms, ptrdiff_t k, ptrdiff_t stride, double *to)
{
    double sum = log_sum_exp(terms, k, stride);
    for (ptrdiff_t c = 0; c < k; c++)
        to[c * stride] = exp(terms[c * stride] - sum);
}

/* What a component's adjoints are, from those of its root, with the prior's. */
static void component_backward(const double *root, const double *by_root, const double *summed,
                               double share, const double *below, ptrdiff_t d, double gamma,
                               double m, double *by_mu, double *by_q, double *by_below)
{
    memset(by_mu, 0, d * sizeof *by_mu);
    for (ptrdiff_t i = 0; i < d; i++)
        for (ptrdiff_t j = 0; j <= i; j++)
            by_mu[j] += root[i * (i + 1) / 2 + j] * summed[i];
    for (ptrdiff_t column = 0, at = 0; column < d; column++) {
        double diagonal = root[column * (column + 1) / 2 + column];
        by_q[column] = share + m - gamma * gamma * diagonal * diagonal -
                       by_root[LANES * vectors(column) + column] * diagonal;
        for (ptrdiff_t row = column + 1; row < d; row++, at++)
            by_below[at] = -by_root[LANES * vectors(row) + column] - gamma * gamma * below[at];
    }
}

void gmm_gradient(const double *alpha, const double *mu, const double *q, const double *below,
                  const double *x, ptrdiff_t n, ptrdiff_t k, ptrdiff_t d, double gamma, double m,
                  double *by_alpha, double *by_mu, double *by_q, double *by_below)
{
    ptrdiff_t packed = d * (d + 1) / 2, under = d * (d - 1) / 2, padded = LANES * vectors(d);
    ptrdiff_t by_rows = (d + LANES - 1) / LANES * LANES * BLOCK;
    double *made = reserved(k * d * BLOCK + d * BLOCK + by_rows + k * (padded + packed) +
                            k * (2 + d + 2 * BLOCK));
    double *points = made + k * d * BLOCK, *rows = points + d * BLOCK, *by_root = rows + by_rows;
    double *summed = by_root + k * padded, *shares = summed + k * d, *sums = shares + k;
    double *terms = sums + k, *weights = terms + k * BLOCK, *root = weights + k * BLOCK;
    double squares[BLOCK] __attribute__((aligned(64)));
    memset(rows, 0, (by_rows + k * (padded + d + 1)) * sizeof *rows);
    for (ptrdiff_t c = 0; c < k; c++)
        sums[c] = packed_root(q + c * d, below + c * under, d, root + c * packed);
    for (ptrdiff_t first = 0; first < n; first += BLOCK) {
        ptrdiff_t count = n - first < BLOCK ? n - first : BLOCK;
        for (ptrdiff_t c = 0; c < k; c++) {
            centred(x + first * d, count, mu + c * d, d, points);
            multiplied(root + c * packed, points, d, made + c * d * BLOCK, squares);
            for (ptrdiff_t b = 0; b < BLOCK; b++)
                terms[c * BLOCK + b] = alpha[c] + sums[c] - 0.5 * squares[b];
        }
        memset(weights, 0, k * BLOCK * sizeof *weights);
        for (ptrdiff_t b = 0; b < count; b++)
            softmax(terms + b, k, BLOCK, weights + b);
        for (ptrdiff_t c = 0; c < k; c++) {
            for (ptrdiff_t b = 0; b < count; b++)
                shares[c] += weights[c * BLOCK + b];
            root_backward(weights + c * BLOCK, made + c * d * BLOCK, x + first * d, count,
                          mu + c * d, d, rows, (Lanes *)(by_root + c * padded), summed + c * d);
        }
    }
    softmax(alpha, k, 1, by_alpha);
    for (ptrdiff_t c = 0; c < k; c++) {
        by_alpha[c] = shares[c] - n * by_alpha[c];
        component_backward(root + c * packed, by_root + c * padded, summed + c * d, shares[c],
                           below + c * under, d, gamma, m, by_mu + c * d, by_q + c * d,
                           by_below + c * under);
    }
}
