/* Whether a kernel writes to memory that two of its arrays have in common.
 *
 * CONTRACT
 *
 *   enzyme_py_shared_before(arrays, count)
 *       `arrays` describes `count` arrays, one behind the other: address, bytes of an item, number of
 *       axes, sizes, strides. Null if the spans of no two meet, as almost always; else what
 *       enzyme_py_shared_after must get, once.
 *   enzyme_py_shared_after(shared)
 *       Whether an element of one array that is also in another has changed since, and free `shared`.
 *       Bytes are compared: a NaN that stays is not written. Where memory for the comparison was
 *       refused the answer is 1.
 *   enzyme_py_shared_pair(first, second)
 *       The two arrays that the last 1 of this thread spoke of, counted from 0.
 */
#ifndef ENZYME_PY_SHARING_H
#define ENZYME_PY_SHARING_H

#include "runtime.h"

ENZYME_PY_API void *enzyme_py_shared_before(const int64_t *arrays, int64_t count);
ENZYME_PY_API int32_t enzyme_py_shared_after(void *shared);
ENZYME_PY_API void enzyme_py_shared_pair(int64_t *first, int64_t *second);

#endif
