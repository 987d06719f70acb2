/* A line on the terminal for who waits for a long loop of compiled code, which lets no Python run meanwhile.
 *
 * CONTRACT
 *
 *   enzyme_py_show_counts(how, patience, every)
 *       0: nothing is shown; 1: one line on standard error that is written over; 2: plain lines. The first comes
 *       `patience` milliseconds after the loop began, others `every` milliseconds apart.
 *   enzyme_py_count_begin()
 *       In front of a loop: the time, for the calls behind; 0 if nothing is shown.
 *   enzyme_py_count(begun, kind, done, total)
 *       Behind each iteration. `kind` is 0 for columns, 1 for rows, 2 for products. A read of the clock.
 *   enzyme_py_count_end(begun)
 *       Behind the loop: takes the line away.
 *   enzyme_py_count_clear()
 *       The same where a loop is left by a raise.
 *
 * Threads share the line: whoever comes first after `every` draws. Nothing is allocated, no lock is held.
 */
#ifndef ENZYME_PY_PROGRESS_H
#define ENZYME_PY_PROGRESS_H

#include "runtime.h"

ENZYME_PY_API void enzyme_py_show_counts(int32_t how, int64_t patience, int64_t every);
ENZYME_PY_API int64_t enzyme_py_count_begin(void);
ENZYME_PY_API void enzyme_py_count(int64_t begun, int64_t kind, int64_t done, int64_t total);
ENZYME_PY_API void enzyme_py_count_end(int64_t begun);
ENZYME_PY_API void enzyme_py_count_clear(void);

#endif
