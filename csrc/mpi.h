/* Messages between processes, for derivatives of kernels that call MPI (enzyme_py/mpi/).
 *
 * CONTRACT
 *
 * No header of any MPI is read: one build serves MPICH and Open MPI. enzyme_py_mpi_bind gets the functions and
 * handles of the library that the process has loaded. A handle is an integer in the one and a pointer in the
 * other; both travel in a register, so here they are all intptr_t.
 *
 * Numbers. `kind` is 0 for doubles, 1 for floats; counts are of these. `op` is 0 for sum, 1 for min, 2 for max.
 *
 * Communicators. `comm` is MPI's own handle, and 0 is MPI_COMM_WORLD: so compiled code that names the world is the
 * same in all processes. Ranks are those of the communicator.
 *
 * Waiting. Everything is begun by MPI's non-blocking functions and then asked for until it is there, so that a
 * wait can end: after `timeout` seconds, if that is above 0, the rank says what it waits for and ends all ranks.
 *
 * Buffers. What is sent is copied before, and what arrives is copied behind, so MPI never holds memory of a
 * kernel: that may be gone when a kernel raises.
 *
 * Errors. Collective functions first compare the sizes of all ranks, and return ENZYME_PY_MPI_SIZES on every
 * rank where they differ. What only one rank can see (a message of another size, an error of MPI's) it writes to
 * stderr and ends all ranks by MPI_Abort, since the others wait for it; alone in its world it returns
 * ENZYME_PY_MPI_FAILED.
 */
#ifndef ENZYME_PY_MPI_H
#define ENZYME_PY_MPI_H

#include "runtime.h"

enum {
    ENZYME_PY_MPI_GOOD = 0,
    ENZYME_PY_MPI_SIZES = 1,
    ENZYME_PY_MPI_FAILED = 2,
};

typedef intptr_t enzyme_py_mpi_handle;

typedef struct {
    int (*isend)(const void *, int, enzyme_py_mpi_handle, int, int, enzyme_py_mpi_handle, void *);
    int (*irecv)(void *, int, enzyme_py_mpi_handle, int, int, enzyme_py_mpi_handle, void *);
    int (*test)(void *, int *, void *);
    int (*get_count)(const void *, enzyme_py_mpi_handle, int *);
    int (*ibcast)(void *, int, enzyme_py_mpi_handle, int, enzyme_py_mpi_handle, void *);
    int (*ireduce)(const void *, void *, int, enzyme_py_mpi_handle, enzyme_py_mpi_handle, int, enzyme_py_mpi_handle,
                   void *);
    int (*iallreduce)(const void *, void *, int, enzyme_py_mpi_handle, enzyme_py_mpi_handle, enzyme_py_mpi_handle,
                      void *);
    int (*igather)(const void *, int, enzyme_py_mpi_handle, void *, int, enzyme_py_mpi_handle, int,
                   enzyme_py_mpi_handle, void *);
    int (*iscatter)(const void *, int, enzyme_py_mpi_handle, void *, int, enzyme_py_mpi_handle, int,
                    enzyme_py_mpi_handle, void *);
    int (*iallgather)(const void *, int, enzyme_py_mpi_handle, void *, int, enzyme_py_mpi_handle,
                      enzyme_py_mpi_handle, void *);
    int (*ireduce_scatter_block)(const void *, void *, int, enzyme_py_mpi_handle, enzyme_py_mpi_handle,
                                 enzyme_py_mpi_handle, void *);
    int (*ibarrier)(enzyme_py_mpi_handle, void *);
    int (*comm_rank)(enzyme_py_mpi_handle, int *);
    int (*comm_size)(enzyme_py_mpi_handle, int *);
    int (*error_string)(int, char *, int *);
    int (*abort)(enzyme_py_mpi_handle, int);
    enzyme_py_mpi_handle world, no_request;
    enzyme_py_mpi_handle types[3]; /* MPI_DOUBLE, MPI_FLOAT, MPI_INT64_T */
    enzyme_py_mpi_handle ops[3];   /* MPI_SUM, MPI_MIN, MPI_MAX */
    int64_t tag_at;                /* where in a status the tag stands */
    int64_t nobody, anybody;       /* MPI_PROC_NULL, MPI_ANY_SOURCE */
    double timeout;                /* seconds; 0: for ever */
} enzyme_py_mpi_table;

ENZYME_PY_API void enzyme_py_mpi_bind(const enzyme_py_mpi_table *table);

ENZYME_PY_API int64_t enzyme_py_mpi_rank(enzyme_py_mpi_handle comm);
ENZYME_PY_API int64_t enzyme_py_mpi_size(enzyme_py_mpi_handle comm);
/* Whether a peer is MPI_PROC_NULL, with whom nothing is exchanged. */
ENZYME_PY_API int64_t enzyme_py_mpi_is_nobody(int64_t peer);

/* Begin to send, or to receive. Returns the number of a request, from 1 on; 0 if MPI refused. */
ENZYME_PY_API int64_t enzyme_py_mpi_send(const void *data, int64_t count, int64_t kind, int64_t peer, int64_t tag,
                                         enzyme_py_mpi_handle comm);
ENZYME_PY_API int64_t enzyme_py_mpi_receive(int64_t count, int64_t kind, int64_t peer, int64_t tag,
                                            enzyme_py_mpi_handle comm);
/* Wait for a request. What was received goes to `data`, which may be null for a send. Returns the tag of the
 * message, or a negative number if MPI failed. */
ENZYME_PY_API int64_t enzyme_py_mpi_finish(int64_t request, void *data);
/* How many requests were begun and not waited for. */
ENZYME_PY_API int64_t enzyme_py_mpi_pending(void);
/* For tests: how many calls of the functions below and of send and receive there were. */
ENZYME_PY_API int64_t enzyme_py_mpi_calls(void);

/* Collective. A root of -1 means that all ranks get the result; `out` is null for who gets none. */
ENZYME_PY_API int64_t enzyme_py_mpi_reduce(const void *in, void *out, int64_t count, int64_t kind, int64_t op,
                                           int64_t root, enzyme_py_mpi_handle comm);
ENZYME_PY_API int64_t enzyme_py_mpi_bcast(void *data, int64_t count, int64_t kind, int64_t root,
                                          enzyme_py_mpi_handle comm);
ENZYME_PY_API int64_t enzyme_py_mpi_gather(const void *in, void *out, int64_t count, int64_t kind, int64_t root,
                                           enzyme_py_mpi_handle comm);
ENZYME_PY_API int64_t enzyme_py_mpi_scatter(const void *in, void *out, int64_t count, int64_t kind, int64_t root,
                                            enzyme_py_mpi_handle comm);
/* Sum what all ranks have, and give the rank k the block k of `count` numbers. */
ENZYME_PY_API int64_t enzyme_py_mpi_reduce_scatter(const void *in, void *out, int64_t count, int64_t kind,
                                                   enzyme_py_mpi_handle comm);
ENZYME_PY_API int64_t enzyme_py_mpi_barrier(enzyme_py_mpi_handle comm);
/* Write 1 where the number of this rank is the minimum or maximum of all ranks', the first of equal ones or of
 * NaNs, else 0. */
ENZYME_PY_API int64_t enzyme_py_mpi_winners(const void *in, void *out, int64_t count, int64_t kind, int64_t op,
                                            enzyme_py_mpi_handle comm);

#endif
