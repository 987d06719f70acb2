/* What one look at many numbers tells.
 *
 * CONTRACT
 *
 *   enzyme_py_{max|min}_{float64|float32}(values, n)
 *       The place of the first NaN among the n values, if there is one, else of the first of those
 *       that are largest (smallest). -0.0 and 0.0 are equal. n is 1 or more.
 *   enzyme_py_{any|all}_bool(values, n)
 *       1 if one (if each) of n bytes is not 0, else 0. n may be 0.
 *
 * No memory is taken, no state is kept; `values` has the alignment of its type.
 */
#ifndef ENZYME_PY_SCANS_H
#define ENZYME_PY_SCANS_H

#include "runtime.h"

ENZYME_PY_API int64_t enzyme_py_max_float64(const double *values, int64_t n);
ENZYME_PY_API int64_t enzyme_py_min_float64(const double *values, int64_t n);
ENZYME_PY_API int64_t enzyme_py_max_float32(const float *values, int64_t n);
ENZYME_PY_API int64_t enzyme_py_min_float32(const float *values, int64_t n);
ENZYME_PY_API int64_t enzyme_py_any_bool(const uint8_t *values, int64_t n);
ENZYME_PY_API int64_t enzyme_py_all_bool(const uint8_t *values, int64_t n);

#endif
