/* Which lines of generated code asked for the memory that is alive between the sweeps.
 *
 * CONTRACT
 *
 * Code that is linked to be traced calls the functions below in the place of malloc and its kin, and of
 * enzyme_py_hint_turn. They do what those do, and take note of each live block: how many bytes were
 * asked for, and where the call returns to. The turn copies the notes; the last turn counts.
 *
 *   enzyme_py_trace(1)         begins, in this thread; the notes of an earlier trace go
 *   enzyme_py_traced(i, ...)   note i of the last turn; returns how many there are (i may be too large)
 *   enzyme_py_traced_past(i, ...)   how many bytes were alive at a moment, in nanoseconds since the trace began or was
 *                            marked; returns how many moments there are: of many, every second one, every fourth, ...
 *   enzyme_py_trace_mark()   the moments begin anew
 *   enzyme_py_trace(0)         ends, and gives the memory of all notes back
 *
 * Where memory for a note is refused, that block is not counted.
 */
#ifndef ENZYME_PY_TRACE_H
#define ENZYME_PY_TRACE_H

#include "runtime.h"

ENZYME_PY_API void enzyme_py_trace(int32_t on);
ENZYME_PY_API size_t enzyme_py_traced(size_t number, const void **caller, size_t *bytes);
ENZYME_PY_API size_t enzyme_py_traced_past(size_t number, int64_t *nanoseconds, size_t *bytes);
ENZYME_PY_API void enzyme_py_trace_mark(void);
ENZYME_PY_API void *enzyme_py_traced_malloc(size_t size);
ENZYME_PY_API void *enzyme_py_traced_calloc(size_t count, size_t size);
ENZYME_PY_API void *enzyme_py_traced_realloc(void *payload, size_t size);
ENZYME_PY_API void enzyme_py_traced_free(void *payload);
ENZYME_PY_API void *enzyme_py_traced_aligned_alloc(size_t alignment, size_t size);
ENZYME_PY_API int enzyme_py_traced_posix_memalign(void **payload, size_t alignment, size_t size);
ENZYME_PY_API void enzyme_py_traced_turn(void);

#endif
