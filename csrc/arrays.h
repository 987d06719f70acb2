/* Whether an array of Python's is one as compiled code reads it.
 *
 * CONTRACT
 *
 *   enzyme_py_is_usual(object)
 *       1 if the Python object is an array of NumPy's own class, not a subclass, whose elements have the
 *       machine's order of bytes; else 0. Needs no lock, for nothing of it is changed.
 *   enzyme_py_usual_arrays(type, head)
 *       Tell what NumPy's class is, and how many bytes each Python object begins with. Until then no
 *       array is usual.
 *
 * No header of Python or NumPy is needed: the layout of an array is that of NumPy's ABI, the same since
 * its version 1. Whoever tells the class has tried it first (enzyme_py/native/usual_arrays.py).
 */
#ifndef ENZYME_PY_ARRAYS_H
#define ENZYME_PY_ARRAYS_H

#include "runtime.h"

ENZYME_PY_API int32_t enzyme_py_is_usual(const void *object);
ENZYME_PY_API void enzyme_py_usual_arrays(const void *type, int64_t head);

#endif
