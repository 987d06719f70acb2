/* The C runtime of loaded derivatives: regions, raising, tapes.
 *
 * CONTRACT
 *
 * Memory. malloc, calloc, realloc and free of generated code are bound to the four functions below.
 * A block belongs to the innermost region open in the thread that asks. Closing a region releases
 * all its blocks at once but KEEPS the pages for the next region of the thread, up to
 * enzyme_py_keep_limit bytes a thread, and not more than four times what was needed lately: see
 * enzyme_py_idle_after. A payload of up to 1008 bytes is 16-byte aligned, as the C library's are, a
 * larger one 64-byte aligned; a request of 0 bytes gives a block of its own. Outside of any region a block comes from the C library, and lives until freed.
 * A block may be freed under any region; freed from another thread than the one its region is open
 * in, it is merely left to be released with the region. Freeing something that is not a live block
 * ends the process with a message: generated code corrupted memory, nothing after it can be trusted.
 *
 * Raising. enzyme_py_raise never returns: it jumps to the innermost enzyme_py_enter of the thread.
 * Generated code holds nothing to unwind, for all it owns lies in the region. No C++ frame, no
 * Python call and no lock may lie between. Raising with no frame open ends the process.
 * When memory runs out below a frame, ENZYME_PY_NO_MEMORY is raised with a null excinfo; where the
 * size cannot be meant, being negative or larger than any address space, ENZYME_PY_NO_SUCH_SIZE;
 * without a frame a null pointer is returned. enzyme_py_last_failure tells what was asked for.
 *
 * Status codes. Numba's own are 0 (good), -1, -2, -3, and >= 1 for user exceptions (see
 * numba/core/callconv.py). Ours lie apart from them and come without excinfo: whoever calls
 * enzyme_py_enter must turn them into an exception of its own.
 *
 * Threads and fork. Everything is per thread, nothing is locked but the pool of threads that
 * enzyme_py_fork runs on; a thread's memory goes back when it ends. After fork the child goes on with its copy. A tape may move between threads, one at a time.
 */
#ifndef ENZYME_PY_RUNTIME_H
#define ENZYME_PY_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#define ENZYME_PY_API __attribute__((visibility("default")))

enum {
    ENZYME_PY_OK = 0,
    ENZYME_PY_NO_MEMORY = -16, /* the system refused memory, or enzyme_py_fail_after says so */
    ENZYME_PY_BUSY = -17,       /* the tape is entered already */
    ENZYME_PY_TOO_LARGE = -18,  /* raised by generated code: a size that BLAS cannot take */
    ENZYME_PY_NO_SUCH_SIZE = -19, /* bytes that cannot be meant: no address space has so many */
};

typedef struct enzyme_py_region enzyme_py_region;

typedef struct {
    size_t held;         /* bytes taken from the system for the regions of this thread */
    size_t live;         /* bytes in live blocks, rounded up to size classes */
    size_t peak;         /* the largest `live` since enzyme_py_reset_stats */
    size_t allocations;  /* blocks asked for since enzyme_py_reset_stats */
    size_t regions_open; /* tapes that are entered included */
    size_t turn;         /* `live` at the last enzyme_py_hint_turn since enzyme_py_reset_stats */
} enzyme_py_stats;

/* The last request of this thread that failed below a frame. */
typedef struct {
    size_t count, size;    /* so many elements of so many bytes; 0 of 0: a region of the call itself */
    const void *caller;    /* the return address of the request */
    void (*body)(void *);  /* what the innermost frame ran */
} enzyme_py_failure;

/* Run body(pack) with a new region open and a frame that a raise can jump to. Returns 0, or the
 * status that was raised, with *excinfo what it was raised with (excinfo may be null). The region
 * is closed at return, except after success with keep != 0: then results may lie in it, and it
 * stays the innermost region until enzyme_py_leave. */
ENZYME_PY_API int32_t enzyme_py_enter(void (*body)(void *), void *pack, void **excinfo,
                                      int32_t keep);
/* Close the innermost kept region. Does nothing where none is open. */
ENZYME_PY_API void enzyme_py_leave(void);
ENZYME_PY_API _Noreturn void enzyme_py_raise(int32_t status, void *excinfo);

ENZYME_PY_API void *enzyme_py_malloc(size_t size);
ENZYME_PY_API void *enzyme_py_calloc(size_t count, size_t size);
ENZYME_PY_API void *enzyme_py_realloc(void *payload, size_t size);
ENZYME_PY_API void enzyme_py_free(void *payload);
/* Alignments up to 64; others are answered by a null pointer and EINVAL. */
ENZYME_PY_API void *enzyme_py_aligned_alloc(size_t alignment, size_t size);
ENZYME_PY_API int enzyme_py_posix_memalign(void **payload, size_t alignment, size_t size);

/* A tape is a region that lives across calls, with one pointer slot for whoever fills it.
 * Entering it sends allocations to it; nothing is released at return, even after a raise. A tape
 * that is entered already, here or in another thread, answers ENZYME_PY_BUSY. */
ENZYME_PY_API enzyme_py_region *enzyme_py_tape_new(void);
ENZYME_PY_API int32_t enzyme_py_enter_tape(enzyme_py_region *tape, void (*body)(void *),
                                           void *pack, void **excinfo);
ENZYME_PY_API void *enzyme_py_tape_root(enzyme_py_region *tape);
ENZYME_PY_API void enzyme_py_tape_set_root(enzyme_py_region *tape, void *root);
ENZYME_PY_API size_t enzyme_py_tape_bytes(enzyme_py_region *tape); /* live */
ENZYME_PY_API void enzyme_py_tape_free(enzyme_py_region *tape);    /* null is fine */

ENZYME_PY_API void enzyme_py_region_stats(enzyme_py_stats *stats);
ENZYME_PY_API void enzyme_py_reset_stats(void);
ENZYME_PY_API void enzyme_py_last_failure(enzyme_py_failure *failure);
/* Called by a kernel at its end: in a gradient, between the forward and the reverse sweep. */
ENZYME_PY_API void enzyme_py_hint_turn(void);
ENZYME_PY_API void enzyme_py_trim(void);                /* give kept memory back to the system */
ENZYME_PY_API void enzyme_py_keep_limit(size_t bytes);  /* for this thread; 1 GiB to begin with */
/* Of memory that this thread keeps, what was not needed for about this long (2000 to begin with)
 * goes back to the system, the next time that a region closes; for each region beyond the first
 * 8 MiB, and beyond twice what its last calls needed. */
ENZYME_PY_API void enzyme_py_idle_after(size_t milliseconds);
/* Ask for large pages for a block of 4 MiB or more of anybody's memory, before it is touched. */
ENZYME_PY_API void enzyme_py_large(void *start, size_t bytes);
/* The same, and fill it with zeros: 4 MiB or more on the threads of the pool, each its own piece, in the
 * order of the parts of a fork. What a thread has touched first lies near to it. */
ENZYME_PY_API void enzyme_py_zeros(void *start, size_t bytes);
/* Threads (threads.c). Run task(pack, k) for k = 0 to count - 1, on the threads of the pool where it
 * is free and this thread is not one of a fork already, else one after the other. Part k always runs
 * in slot k modulo the number of threads; slot 0 is the caller's. Memory that a slot asks for lies in
 * a region of its own, which closes with the caller's innermost. Where parts raise, those above the
 * lowest that did may be left out, and the caller raises what that one raised. After fork the child
 * has a pool of its own. */
ENZYME_PY_API void enzyme_py_fork(void (*task)(void *, int64_t), void *pack, int64_t count);
/* How many parts a loop should have: what was set, else as many as there are threads to use. */
ENZYME_PY_API int64_t enzyme_py_parts(void);
/* Set where the number of threads comes from: `threads`, or if that is 0, `asked` in the thread that
 * forks, or if that is null, `usual`. And the number of parts; 0: one for each thread. */
ENZYME_PY_API void enzyme_py_threads(int64_t (*asked)(void), int64_t usual, int64_t threads,
                                     int64_t parts);
/* For tests: forks of this process that ran on several threads. */
ENZYME_PY_API int64_t enzyme_py_fork_count(void);
/* For tests: malloc'ed and freed blocks of this thread are filled with NaN. */
ENZYME_PY_API void enzyme_py_scribble(int32_t on);
/* For tests: the count-th allocation of this thread from now on fails, once; 0 calls it off. */
ENZYME_PY_API void enzyme_py_fail_after(size_t count);

#endif
