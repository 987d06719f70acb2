/* Products with few rows and few terms, in the place of BLAS's.
 *
 * OpenBLAS takes 3 to 8 ns for each column of a product of which A is 2 x 2: where A is transposed it packs both matrices, and
 * where it adds to C it writes each column by masks. Both are what the adjoint of x @ w asks for, of points of two or three coordinates.
 * enzyme_py_dgemm and enzyme_py_sgemm take the arguments of dgemm_ and sgemm_ with 32-bit integers, make these products by
 * loops (0.6 to 3 ns), and hand all others to the library.
 *
 * The rules of BLAS hold: where beta is 0, C is written and never read; C shares no memory with A or B; a sum is taken in
 * rising order. What has nothing to sum, or alpha 0, is the library's.
 */
#ifndef ENZYME_PY_PRODUCTS_H
#define ENZYME_PY_PRODUCTS_H

#include "runtime.h"

typedef void enzyme_py_dgemm_routine(const char *transa, const char *transb, const int32_t *m, const int32_t *n,
                                     const int32_t *k, const double *alpha, const double *a, const int32_t *lda,
                                     const double *b, const int32_t *ldb, const double *beta, double *c,
                                     const int32_t *ldc);
typedef void enzyme_py_sgemm_routine(const char *transa, const char *transb, const int32_t *m, const int32_t *n,
                                     const int32_t *k, const float *alpha, const float *a, const int32_t *lda,
                                     const float *b, const int32_t *ldb, const float *beta, float *c,
                                     const int32_t *ldc);

/* Says which routines take what is not made here; before the first product. */
ENZYME_PY_API void enzyme_py_products(enzyme_py_dgemm_routine *dgemm, enzyme_py_sgemm_routine *sgemm);
ENZYME_PY_API enzyme_py_dgemm_routine enzyme_py_dgemm;
ENZYME_PY_API enzyme_py_sgemm_routine enzyme_py_sgemm;

#endif
