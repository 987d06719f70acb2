/* Where a thread is in generated code, again and again: for the times of lines.
 *
 * CONTRACT
 *
 *   enzyme_py_sampling_begin(...)  a timer interrupts this thread from now on; one at a time in a process
 *   enzyme_py_sampling_phase(p)    what runs now is of phase p, 0 or 1; or is not counted, 2, as at first
 *   enzyme_py_sampled_turn()       a turn of code that is linked to be sampled: phase 1 begins (and see trace.h)
 *   enzyme_py_sampling_end()       ends it; returns how often the thread was seen outside of the code
 *
 * `counts` has four numbers for each byte of the code: seen there in phase 0 and 1, and seen in something that the code
 * called from there, in phase 0 and 1. Only bytes with a line count, as `has_line` says; code without one counts for what
 * called it. The last is read off the stack: the first word on it that is an address
 * behind a call in the code. Such a word may be left over from an earlier call; then that call is counted.
 * SIGPROF is taken while it goes on, and given back. Linux on x86-64 and aarch64; elsewhere, and where SIGPROF
 * has a handler already, begin returns -1 and does nothing.
 */
#ifndef ENZYME_PY_SAMPLING_H
#define ENZYME_PY_SAMPLING_H

#include "runtime.h"

ENZYME_PY_API int32_t enzyme_py_sampling_begin(uint32_t *counts, const uint8_t *has_line, const void *code, size_t bytes, size_t microseconds);
ENZYME_PY_API void enzyme_py_sampling_phase(int32_t phase);
ENZYME_PY_API void enzyme_py_sampled_turn(void);
ENZYME_PY_API size_t enzyme_py_sampling_end(void);

#endif
