/* Exercises csrc/products.c against the definition of a product; exits 0 if all held.
 *
 * Numbers are small integers and factors powers of two, so that every sum is exact in any order. Buffers end where their numbers end,
 * so that the sanitizer sees every byte too many; numbers between columns must stay. C holds NaN where beta is 0: it is not read.
 */
#include "products.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t state = 1;
static int handed_on;

static int32_t draw(int32_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int32_t)((state >> 33) % (uint64_t)below);
}

#define CASE(real, entry)                                                                                             \
    static void library_##real(const char *ta, const char *tb, const int32_t *m, const int32_t *n, const int32_t *k,  \
                               const real *alpha, const real *a, const int32_t *lda, const real *b,                   \
                               const int32_t *ldb, const real *beta, real *c, const int32_t *ldc) {                   \
        handed_on++;                                                                                                  \
        for (int32_t j = 0; j < *n; j++)                                                                              \
            for (int32_t i = 0; i < *m; i++) {                                                                        \
                real sum = 0;                                                                                         \
                for (int32_t p = 0; p < *k; p++)                                                                      \
                    sum += a[*ta == 'N' ? i + p * *lda : p + i * *lda] * b[*tb == 'N' ? p + j * *ldb : j + p * *ldb]; \
                real old = *beta == 0 ? 0 : *beta * c[i + j * *ldc];                                                  \
                c[i + j * *ldc] = *alpha * sum + old;                                                                 \
            }                                                                                                         \
    }                                                                                                                 \
                                                                                                                      \
    static void check_##real(int32_t m, int32_t n, int32_t k) {                                                       \
        static const real factors[] = {0, 1, -1, 2, (real)0.5};                                                       \
        char ta = draw(2) ? 'N' : 'T', tb = draw(3) ? 'N' : 'T';                                                      \
        int32_t rows_a = ta == 'N' ? m : k, columns_a = ta == 'N' ? k : m;                                            \
        int32_t rows_b = tb == 'N' ? k : n, columns_b = tb == 'N' ? n : k;                                            \
        int32_t lda = rows_a + draw(3), ldb = rows_b + draw(3), ldc = m + draw(3);                                    \
        size_t in_a = (size_t)(lda * (columns_a - 1) + rows_a), in_b = (size_t)(ldb * (columns_b - 1) + rows_b);      \
        size_t in_c = (size_t)(ldc * (n - 1) + m);                                                                    \
        real *a = malloc(in_a * sizeof *a), *b = malloc(in_b * sizeof *b);                                            \
        real *c = malloc(in_c * sizeof *c), *want = malloc(in_c * sizeof *want);                                      \
        real alpha = factors[draw(5)], beta = factors[draw(5)];                                                       \
        for (size_t i = 0; i < in_a; i++) a[i] = (real)(draw(17) - 8);                                                \
        for (size_t i = 0; i < in_b; i++) b[i] = (real)(draw(17) - 8);                                                \
        for (size_t i = 0; i < in_c; i++) {                                                                           \
            int is_number = (int32_t)(i % (size_t)ldc) < m;                                                           \
            c[i] = want[i] = is_number && beta == 0 ? (real)NAN : (real)(draw(17) - 8);                               \
        }                                                                                                             \
        library_##real(&ta, &tb, &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, want, &ldc);                            \
        entry(&ta, &tb, &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc);                                        \
        for (size_t i = 0; i < in_c; i++)                                                                             \
            if (c[i] != want[i]) {                                                                                    \
                fprintf(stderr, #real " %c%c %d %d %d: number %zu is %g, not %g\n", ta, tb, m, n, k, i, (double)c[i], \
                        (double)want[i]);                                                                             \
                exit(1);                                                                                              \
            }                                                                                                         \
        free(a), free(b), free(c), free(want);                                                                        \
    }

CASE(double, enzyme_py_dgemm)
CASE(float, enzyme_py_sgemm)

int main(void) {
    enzyme_py_products(library_double, library_float);
    int all = 0;
    for (int32_t m = 1; m <= 6; m++)
        for (int32_t k = 1; k <= 6; k++)
            for (int32_t turn = 0; turn < 40; turn++, all++) {
                int32_t n = draw(2) ? 16 + draw(40) : 1 + draw(20);
                check_double(m, n, k);
                check_float(m, n, k);
            }
    int32_t others = handed_on - 2 * all;
    if (others <= all / 2 || others >= 2 * all - all / 4) {
        fprintf(stderr, "%d of %d products were handed on\n", others, 2 * all);
        return 1;
    }
    return 0;
}
