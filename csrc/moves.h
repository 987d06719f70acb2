/* memmove, for code that derivatives run.
 *
 * CONTRACT
 *
 *   enzyme_py_memmove(to, from, size)
 *       As the C library's; stands in for its memcpy as well.
 *
 * Why: from some 2 kB on glibc copies by `rep movsb`. On AMD's Zen 3 and 4 that takes 15 to 30 times as long if the
 * destination lies 1 to 31 bytes behind the source, counted modulo the size of a page (glibc's bug 30994; mended for
 * these processors in 2.39). `u[1:-1] = new`, in fresh memory, is such a copy. Pieces of less than 2 kB are copied
 * in vectors.
 */
#ifndef ENZYME_PY_MOVES_H
#define ENZYME_PY_MOVES_H

#include "runtime.h"

ENZYME_PY_API void *enzyme_py_memmove(void *to, const void *from, size_t size);

#endif
