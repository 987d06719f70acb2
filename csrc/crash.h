/* What is told when generated code dies.
 *
 * CONTRACT
 *
 * From the first enzyme_py_crash_watch on, a handler stands in front of those that the process has
 * for SIGSEGV, SIGBUS, SIGILL, SIGFPE and SIGABRT. Where a derivative runs in the thread that such a
 * signal meets, it writes two files and one line to stderr, once in the life of a process. Then, and
 * at once where none runs, it hands the signal on to the handler that was there before: Python's
 * faulthandler, somebody's own, or the default. ENZYME_PY_CRASH_LINE=0 in the environment calls all
 * of it off.
 *
 * Each thread that enters a derivative gets a stack for signals if it has none, since a recursion
 * without an end leaves no room on its own.
 */
#ifndef ENZYME_PY_CRASH_H
#define ENZYME_PY_CRASH_H

#include "runtime.h"

typedef struct enzyme_py_watched enzyme_py_watched;

/* Code was loaded: `bytes` from `begin` on. `line` names the derivative, `report` are the lines of
 * the file that `python -m enzyme_py doctor --last-crash` reads, `source` is the IR, packed;
 * `source_name` the file that it goes to, in `folder`, made when it is needed inside `parent`. All of
 * it is copied. Null: no memory, and then this code is not watched. */
ENZYME_PY_API enzyme_py_watched *enzyme_py_crash_watch(const void *begin, size_t bytes,
                                                       const char *line, const char *report,
                                                       const void *source, size_t source_bytes,
                                                       const char *parent, const char *folder,
                                                       const char *source_name);
/* It is about to be unloaded. Null is fine. */
ENZYME_PY_API void enzyme_py_crash_forget(enzyme_py_watched *watched);

/* For region.c: a stack for this thread's signals; null if there is one, or no memory. */
void *crash_stack_take(void);
void crash_stack_give(void *stack);

#endif
