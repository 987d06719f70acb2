/* BLAS and LAPACK on one thread, where several cost more than they give.
 *
 * OpenBLAS shares most calls out among all cores, and waits for all of them. On a machine that does other things too, a call waits
 * until the others' turns have ended: a gradient of the Cholesky factor of 50 x 50 numbers took 40 ms on two busy cores in place
 * of 0.07. So a call of fewer multiplications than were set runs on the caller's thread alone, and so does every call of a part of a
 * fork (threads.c), which has a core of its own. Larger ones run as the library runs them.
 *
 * The number of threads is one for the whole library. While calls are inside that wish for one, it is one, and afterwards what
 * it was; large calls of other threads of the process, which begin meanwhile, have one as well.
 */
#ifndef ENZYME_PY_BLAS_H
#define ENZYME_PY_BLAS_H

#include "runtime.h"

/* Says how the library's number of threads is asked for and set; null, as at the beginning: calls run as the library runs them. */
ENZYME_PY_API void enzyme_py_blas_threads(int (*get)(void), void (*set)(int));
/* Sets how many multiplications are many; to begin with all calls have few. */
ENZYME_PY_API void enzyme_py_blas_many(double multiplications);
/* Returns what to call in place of a routine of the library, `dgemm_` or, of Numba's, `numba_xxpotrf`: the routine itself if
 * nothing stands in for it. Integers of Fortran's routines have 32 bits. */
ENZYME_PY_API void *enzyme_py_blas_routine(const char *name, void *of_library);
/* For tests: calls of this process that wished for one thread, and would have had several. */
ENZYME_PY_API int64_t enzyme_py_blas_count(void);

#endif
