/* MPI's functions by pointers; mpi.h states the contract. */
#define _GNU_SOURCE
#include "mpi.h"

#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { DOUBLE, FLOAT, INT64 };
enum { STATUS_BYTES = 256, TURNS_BEFORE_YIELDING = 64, TURNS_OF_A_LOOK = 256, ENDED = 70 };

typedef struct {
    intptr_t handle; /* MPI's, of 4 or 8 bytes */
    char *buffer;
    int64_t count, kind, peer, tag;
    enzyme_py_mpi_handle comm;
    int is_receive, is_used;
} request;

/* MPICH's mpiexec ends its proxies at once, and what they have not yet read of a rank's stderr is lost: seen on a busy machine. */
static const struct timespec until_read = {.tv_nsec = 500 * 1000 * 1000};

static enzyme_py_mpi_table mpi;
static request *requests;
static int64_t requests_held, pending, calls;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the requests */

void enzyme_py_mpi_bind(const enzyme_py_mpi_table *table) { mpi = *table; }

int64_t enzyme_py_mpi_is_nobody(int64_t peer) { return peer == mpi.nobody; }
int64_t enzyme_py_mpi_pending(void) { return pending; }
int64_t enzyme_py_mpi_calls(void) { return calls; }

static size_t bytes_of(int64_t count, int64_t kind) { return (size_t)count * (kind == FLOAT ? 4 : 8); }

/* Say what went wrong and end all ranks; alone in its world, come back. */
__attribute__((format(printf, 1, 2))) static void fail(const char *format, ...) {
    char text[512];
    va_list given;
    va_start(given, format);
    vsnprintf(text, sizeof text, format, given);
    va_end(given);
    int rank = 0, size = 1;
    mpi.comm_rank(mpi.world, &rank);
    mpi.comm_size(mpi.world, &size);
    fprintf(stderr, "enzyme_py: rank %d %s\n", rank, text);
    if (size > 1) {
        fprintf(stderr, "enzyme_py: all ranks are ended by MPI_Abort, since they would wait for this one\n");
        fflush(stderr);
        nanosleep(&until_read, NULL);
        mpi.abort(mpi.world, ENDED);
    }
    fflush(stderr);
}

static int said(int code, const char *what) {
    if (code != 0) {
        char text[1024] = ""; /* more than any MPI_MAX_ERROR_STRING */
        int length = 0;
        mpi.error_string(code, text, &length);
        fail("cannot %s: %.400s", what, text);
    }
    return code;
}

static enzyme_py_mpi_handle meant(enzyme_py_mpi_handle comm) { return comm ? comm : mpi.world; }

int64_t enzyme_py_mpi_rank(enzyme_py_mpi_handle comm) {
    int rank = 0;
    said(mpi.comm_rank(meant(comm), &rank), "ask for its rank in a communicator");
    return rank;
}

int64_t enzyme_py_mpi_size(enzyme_py_mpi_handle comm) {
    int size = 1;
    said(mpi.comm_size(meant(comm), &size), "ask for the size of a communicator");
    return size;
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Ask until a request is done. `what` says what is waited for, should that take too long. */
static int complete(void *handle, void *status, const char *what) {
    double begun = mpi.timeout > 0 ? now() : 0;
    for (int64_t turn = 0;; turn++) {
        int is_done = 0;
        int code = mpi.test(handle, &is_done, status);
        if (code != 0 || is_done)
            return said(code, what);
        if (turn < TURNS_BEFORE_YIELDING)
            continue;
        sched_yield();
        if (mpi.timeout > 0 && turn % TURNS_OF_A_LOOK == 0 && now() - begun > mpi.timeout) {
            fail("has waited %g seconds to %s; nobody came (ENZYME_PY_MPI_TIMEOUT says how long)", mpi.timeout, what);
            return 1;
        }
    }
}

static int is_countable(int64_t count) {
    if (count >= 0 && count <= INT_MAX)
        return 1;
    fail("has a message of %lld numbers: MPI takes up to %d, send several", (long long)count, INT_MAX);
    return 0;
}

/* ---- messages between two ranks ---- */

static int64_t new_request(void) {
    pthread_mutex_lock(&lock);
    int64_t place = 0;
    while (place < requests_held && requests[place].is_used)
        place++;
    if (place == requests_held) {
        int64_t more = requests_held ? 2 * requests_held : 16;
        request *moved = realloc(requests, (size_t)more * sizeof *moved);
        if (moved == NULL) {
            pthread_mutex_unlock(&lock);
            return -1;
        }
        memset(moved + requests_held, 0, (size_t)(more - requests_held) * sizeof *moved);
        requests = moved;
        requests_held = more;
    }
    requests[place].is_used = 1;
    pending++;
    calls++;
    pthread_mutex_unlock(&lock);
    return place;
}

static void drop(int64_t place) {
    pthread_mutex_lock(&lock);
    free(requests[place].buffer);
    memset(&requests[place], 0, sizeof(request));
    pending--;
    pthread_mutex_unlock(&lock);
}

static int64_t begin(request wanted, const void *data) {
    if (!is_countable(wanted.count))
        return 0;
    size_t bytes = bytes_of(wanted.count, wanted.kind);
    wanted.buffer = malloc(bytes ? bytes : 1);
    int64_t place = wanted.buffer == NULL ? -1 : new_request();
    if (place < 0) {
        free(wanted.buffer);
        fail("has no memory for a message of %zu bytes", bytes);
        return 0;
    }
    if (data != NULL)
        memcpy(wanted.buffer, data, bytes);
    wanted.is_used = 1;
    int code = wanted.is_receive
                   ? mpi.irecv(wanted.buffer, (int)wanted.count, mpi.types[wanted.kind], (int)wanted.peer,
                               (int)wanted.tag, wanted.comm, &wanted.handle)
                   : mpi.isend(wanted.buffer, (int)wanted.count, mpi.types[wanted.kind], (int)wanted.peer,
                               (int)wanted.tag, wanted.comm, &wanted.handle);
    requests[place] = wanted;
    if (code != 0) {
        char what[100];
        snprintf(what, sizeof what, "%s rank %d, tag %d", wanted.is_receive ? "receive from" : "send to",
                 (int)wanted.peer, (int)wanted.tag);
        said(code, what);
        drop(place);
        return 0;
    }
    return place + 1;
}

int64_t enzyme_py_mpi_send(const void *data, int64_t count, int64_t kind, int64_t peer, int64_t tag,
                           enzyme_py_mpi_handle comm) {
    request wanted = {.count = count, .kind = kind, .peer = peer, .tag = tag, .comm = meant(comm)};
    return begin(wanted, data);
}

int64_t enzyme_py_mpi_receive(int64_t count, int64_t kind, int64_t peer, int64_t tag, enzyme_py_mpi_handle comm) {
    request wanted = {.count = count, .kind = kind, .peer = peer, .tag = tag, .comm = meant(comm), .is_receive = 1};
    if (peer == mpi.anybody) {
        fail("receives from MPI_ANY_SOURCE, which the reverse sweep cannot answer in order: name the source");
        return 0;
    }
    return begin(wanted, NULL);
}

int64_t enzyme_py_mpi_finish(int64_t number, void *data) {
    int64_t place = number - 1;
    if (place < 0 || place >= requests_held || !requests[place].is_used) {
        fail("waits for a request that was waited for already: wait once for each");
        return -1;
    }
    request one = requests[place];
    _Alignas(16) char status[STATUS_BYTES] = {0};
    char what[120];
    snprintf(what, sizeof what, one.is_receive ? "receive %lld numbers from rank %d, tag %d"
                                               : "send %lld numbers to rank %d, tag %d",
             (long long)one.count, (int)one.peer, (int)one.tag);
    int code = complete(&one.handle, status, what);
    int64_t tag = one.tag;
    if (code == 0 && one.is_receive && one.peer != mpi.nobody) {
        int arrived = 0, actual;
        mpi.get_count(status, mpi.types[one.kind], &arrived);
        memcpy(&actual, status + mpi.tag_at, sizeof actual);
        tag = actual;
        if (arrived != one.count) {
            fail("got a message of %d numbers from rank %d, tag %d, into an array of %lld: sizes must be equal",
                 arrived, (int)one.peer, actual, (long long)one.count);
            code = 1;
        } else if (data != NULL) {
            memcpy(data, one.buffer, bytes_of(one.count, one.kind));
        }
    }
    drop(place);
    return code == 0 ? tag : -1;
}

/* ---- collective functions ---- */

static int64_t over(int code, void *handle, const char *what) {
    calls++;
    char status[STATUS_BYTES];
    if (said(code, what) == 0)
        code = complete(handle, status, what);
    return code == 0 ? ENZYME_PY_MPI_GOOD : ENZYME_PY_MPI_FAILED;
}

/* Whether all ranks give the same count and root. */
static int64_t agreed(int64_t count, int64_t root, enzyme_py_mpi_handle comm, const char *what) {
    if (!is_countable(count))
        return ENZYME_PY_MPI_FAILED;
    int64_t mine[4] = {count, -count, root, -root}, least[4];
    intptr_t handle = mpi.no_request;
    int code = mpi.iallreduce(mine, least, 4, mpi.types[INT64], mpi.ops[1], meant(comm), &handle);
    int64_t found = over(code, &handle, what);
    if (found != ENZYME_PY_MPI_GOOD)
        return found;
    return least[0] == -least[1] && least[2] == -least[3] ? ENZYME_PY_MPI_GOOD : ENZYME_PY_MPI_SIZES;
}

int64_t enzyme_py_mpi_reduce(const void *in, void *out, int64_t count, int64_t kind, int64_t op, int64_t root,
                             enzyme_py_mpi_handle comm) {
    const char *what = root < 0 ? "meet all ranks in allreduce" : "meet all ranks in reduce";
    int64_t found = agreed(count, root, comm, what);
    if (found != ENZYME_PY_MPI_GOOD)
        return found;
    intptr_t handle = mpi.no_request, type = mpi.types[kind];
    int code = root < 0 ? mpi.iallreduce(in, out, (int)count, type, mpi.ops[op], meant(comm), &handle)
                        : mpi.ireduce(in, out, (int)count, type, mpi.ops[op], (int)root, meant(comm), &handle);
    return over(code, &handle, what);
}

int64_t enzyme_py_mpi_bcast(void *data, int64_t count, int64_t kind, int64_t root, enzyme_py_mpi_handle comm) {
    const char *what = "meet all ranks in bcast";
    int64_t found = agreed(count, root, comm, what);
    if (found != ENZYME_PY_MPI_GOOD)
        return found;
    intptr_t handle = mpi.no_request;
    return over(mpi.ibcast(data, (int)count, mpi.types[kind], (int)root, meant(comm), &handle), &handle, what);
}

int64_t enzyme_py_mpi_gather(const void *in, void *out, int64_t count, int64_t kind, int64_t root,
                             enzyme_py_mpi_handle comm) {
    const char *what = root < 0 ? "meet all ranks in allgather" : "meet all ranks in gather";
    int64_t found = agreed(count, root, comm, what);
    if (found != ENZYME_PY_MPI_GOOD)
        return found;
    intptr_t handle = mpi.no_request, type = mpi.types[kind];
    int n = (int)count;
    int code = root < 0 ? mpi.iallgather(in, n, type, out, n, type, meant(comm), &handle)
                        : mpi.igather(in, n, type, out, n, type, (int)root, meant(comm), &handle);
    return over(code, &handle, what);
}

int64_t enzyme_py_mpi_scatter(const void *in, void *out, int64_t count, int64_t kind, int64_t root,
                              enzyme_py_mpi_handle comm) {
    const char *what = "meet all ranks in scatter";
    int64_t found = agreed(count, root, comm, what);
    if (found != ENZYME_PY_MPI_GOOD)
        return found;
    intptr_t handle = mpi.no_request, type = mpi.types[kind];
    int n = (int)count;
    return over(mpi.iscatter(in, n, type, out, n, type, (int)root, meant(comm), &handle), &handle, what);
}

int64_t enzyme_py_mpi_reduce_scatter(const void *in, void *out, int64_t count, int64_t kind,
                                     enzyme_py_mpi_handle comm) {
    const char *what = "meet all ranks in reduce_scatter";
    int64_t found = agreed(count, 0, comm, what);
    if (found != ENZYME_PY_MPI_GOOD)
        return found;
    intptr_t handle = mpi.no_request;
    int code = mpi.ireduce_scatter_block(in, out, (int)count, mpi.types[kind], mpi.ops[0], meant(comm), &handle);
    return over(code, &handle, what);
}

int64_t enzyme_py_mpi_barrier(enzyme_py_mpi_handle comm) {
    intptr_t handle = mpi.no_request;
    return over(mpi.ibarrier(meant(comm), &handle), &handle, "meet all ranks in barrier");
}

static double number_at(const void *data, int64_t place, int64_t kind) {
    return kind == FLOAT ? (double)((const float *)data)[place] : ((const double *)data)[place];
}

int64_t enzyme_py_mpi_winners(const void *in, void *out, int64_t count, int64_t kind, int64_t op,
                              enzyme_py_mpi_handle comm) {
    /* NaN wins, as in NumPy; MPI's own functions promise nothing about it. So no NaN is given to them: the ranks
     * that have one bid -1, who has the best number bids its rank, and who neither bids one above all ranks. */
    int64_t rank = enzyme_py_mpi_rank(comm), size = enzyme_py_mpi_size(comm);
    double *mine = malloc((size_t)(count > 0 ? count : 1) * 2 * sizeof *mine), *best = mine + count;
    if (mine == NULL) {
        fail("has no memory for %lld numbers", (long long)count);
        return ENZYME_PY_MPI_FAILED;
    }
    double worst = op == 1 ? INFINITY : -INFINITY;
    for (int64_t i = 0; i < count; i++) {
        double one = number_at(in, i, kind);
        mine[i] = isnan(one) ? worst : one;
    }
    int64_t found = enzyme_py_mpi_reduce(mine, best, count, DOUBLE, op, -1, comm);
    for (int64_t i = 0; found == ENZYME_PY_MPI_GOOD && i < count; i++) {
        double one = number_at(in, i, kind);
        mine[i] = isnan(one) ? (double)(rank - size) : one == best[i] ? (double)rank : (double)size;
    }
    if (found == ENZYME_PY_MPI_GOOD)
        found = enzyme_py_mpi_reduce(mine, best, count, DOUBLE, 1, -1, comm);
    for (int64_t i = 0; found == ENZYME_PY_MPI_GOOD && i < count; i++) {
        double won = mine[i] == best[i] ? 1 : 0;
        if (kind == FLOAT)
            ((float *)out)[i] = (float)won;
        else
            ((double *)out)[i] = won;
    }
    free(mine);
    return found;
}
