/* Products with few rows and few terms; products.h states the contract. */
#include "products.h"

#define INLINE inline __attribute__((always_inline))
#define FEW 4   /* rows and terms */
#define MANY 16 /* columns: with fewer a call of the library is as fast */

/* On x86-64, a version for processors with wide vectors and fused products as well: such a product is rounded once, as the library's is. */
#if defined(__x86_64__) && !defined(ENZYME_PY_NO_VECTORS)
#define WIDE __attribute__((target("avx2,fma")))
#define HAS_WIDE (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
#else
#define WIDE
#define HAS_WIDE 0
#endif

static enzyme_py_dgemm_routine *dgemm_of_library;
static enzyme_py_sgemm_routine *sgemm_of_library;

void enzyme_py_products(enzyme_py_dgemm_routine *dgemm, enzyme_py_sgemm_routine *sgemm) {
    dgemm_of_library = dgemm;
    sgemm_of_library = sgemm;
}

static int is_plain(const char *letter) { return *letter == 'n' || *letter == 'N'; }

/* Whether the library is slow: A is transposed, or C is added to. */
static int is_ours(int is_plain_a, int is_plain_b, int64_t m, int64_t n, int64_t k, int adds) {
    int is_flat = m > 0 && m <= FEW && k > 0 && k <= FEW && n >= MANY;
    return is_flat && is_plain_b && (!is_plain_a || adds);
}

/* Element (i, p) of A lies at a[i * a_row + p * a_column], (p, j) of B at b[p + j * ldb], (i, j) of C at c[i + j * ldc].
 * Sizes in capitals are constants where a function is inlined. */
#define OF_TYPE(real, entry, library)                                                                             \
    typedef struct {                                                                                              \
        int64_t m, n, k;                                                                                          \
        real alpha, beta;                                                                                         \
        const real *a, *b;                                                                                        \
        int64_t a_row, a_column, ldb, ldc;                                                                        \
        real *c;                                                                                                  \
    } real##_product;                                                                                             \
                                                                                                                  \
    static INLINE void real##_flat(const real##_product *one, int64_t M, int64_t K, int adds) {                   \
        real kept[FEW][FEW];                                                                                      \
        for (int64_t p = 0; p < K; p++)                                                                           \
            for (int64_t i = 0; i < M; i++) kept[p][i] = one->a[i * one->a_row + p * one->a_column];              \
        const real *restrict b = one->b;                                                                          \
        real *restrict c = one->c;                                                                                \
        for (int64_t j = 0; j < one->n; j++, b += one->ldb, c += one->ldc)                                        \
            for (int64_t i = 0; i < M; i++) {                                                                     \
                real sum = 0;                                                                                     \
                for (int64_t p = 0; p < K; p++) sum += kept[p][i] * b[p];                                         \
                c[i] = adds ? one->alpha * sum + one->beta * c[i] : one->alpha * sum;                             \
            }                                                                                                     \
    }                                                                                                             \
                                                                                                                  \
    static INLINE void real##_rows(const real##_product *one, int64_t M, int adds) {                              \
        switch (one->k) {                                                                                         \
            case 1: real##_flat(one, M, 1, adds); break;                                                          \
            case 2: real##_flat(one, M, 2, adds); break;                                                          \
            case 3: real##_flat(one, M, 3, adds); break;                                                          \
            default: real##_flat(one, M, 4, adds); break;                                                         \
        }                                                                                                         \
    }                                                                                                             \
                                                                                                                  \
    static INLINE void real##_any(const real##_product *one, int adds) {                                          \
        switch (one->m) {                                                                                         \
            case 1: real##_rows(one, 1, adds); break;                                                             \
            case 2: real##_rows(one, 2, adds); break;                                                             \
            case 3: real##_rows(one, 3, adds); break;                                                             \
            default: real##_rows(one, 4, adds); break;                                                            \
        }                                                                                                         \
    }                                                                                                             \
                                                                                                                  \
    static WIDE void real##_wide(const real##_product *one, int adds) { adds ? real##_any(one, 1) : real##_any(one, 0); } \
    static void real##_narrow(const real##_product *one, int adds) { adds ? real##_any(one, 1) : real##_any(one, 0); } \
                                                                                                                  \
    void entry(const char *transa, const char *transb, const int32_t *m, const int32_t *n, const int32_t *k,      \
               const real *alpha, const real *a, const int32_t *lda, const real *b, const int32_t *ldb,           \
               const real *beta, real *c, const int32_t *ldc) {                                                   \
        int plain_a = is_plain(transa), adds = *beta != 0;                                                        \
        if (*alpha == 0 || !is_ours(plain_a, is_plain(transb), *m, *n, *k, adds)) {                               \
            library(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);                                \
            return;                                                                                               \
        }                                                                                                         \
        real##_product one = {*m, *n, *k, *alpha, *beta, a, b, plain_a ? 1 : *lda, plain_a ? *lda : 1, *ldb, *ldc, c}; \
        if (HAS_WIDE) real##_wide(&one, adds);                                                                    \
        else real##_narrow(&one, adds);                                                                           \
    }

OF_TYPE(double, enzyme_py_dgemm, dgemm_of_library)
OF_TYPE(float, enzyme_py_sgemm, sgemm_of_library)
