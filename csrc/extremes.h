/* Where the largest and the smallest of many numbers stand.
 *
 * CONTRACT
 *
 *   enzyme_py_{max|min}_{float64|float32}(values, n)
 *       The place of the first NaN among the n values, if there is one, else of the first of those
 *       that are largest (smallest). -0.0 and 0.0 are equal. n is 1 or more. No memory is taken,
 *       no state is kept; `values` has the alignment of its type.
 */
#ifndef ENZYME_PY_EXTREMES_H
#define ENZYME_PY_EXTREMES_H

#include "runtime.h"

ENZYME_PY_API int64_t enzyme_py_max_float64(const double *values, int64_t n);
ENZYME_PY_API int64_t enzyme_py_min_float64(const double *values, int64_t n);
ENZYME_PY_API int64_t enzyme_py_max_float32(const float *values, int64_t n);
ENZYME_PY_API int64_t enzyme_py_min_float32(const float *values, int64_t n);

#endif
