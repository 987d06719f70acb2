/* What stands in for routines of BLAS and LAPACK; blas.h states the contract. */
#include "blas.h"
#include "region.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

static int (*get_threads)(void);
static void (*set_threads)(int);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static double many = INFINITY;
static int64_t inside, count; /* calls that wish for one thread */
static int usual;             /* how many there were before the first of them */

void enzyme_py_blas_threads(int (*get)(void), void (*set)(int)) {
    get_threads = get;
    set_threads = set;
}

void enzyme_py_blas_many(double multiplications) { __atomic_store(&many, &multiplications, __ATOMIC_RELAXED); }

int64_t enzyme_py_blas_count(void) { return __atomic_load_n(&count, __ATOMIC_RELAXED); }

/* -- one thread --------------------------------------------------------------------------- */

static int is_part(void) {
    const thread *self = this_thread();
    return self != NULL && self->parts != 0;
}

/* Whether the call wishes for one thread; then `end_one` follows. `few`: so small that the library itself takes one. */
static int begin_one(double multiplications, double few) {
    double least;
    if (set_threads == NULL || multiplications <= few) return 0;
    __atomic_load(&many, &least, __ATOMIC_RELAXED);
    if (multiplications >= least && !is_part()) return 0;
    pthread_mutex_lock(&lock);
    if (inside == 0) usual = get_threads();
    int is_needed = usual > 1;
    if (is_needed && inside++ == 0) set_threads(1);
    pthread_mutex_unlock(&lock);
    if (is_needed) __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
    return is_needed;
}

static void end_one(int is_one) {
    if (!is_one) return;
    pthread_mutex_lock(&lock);
    /* What somebody else has set meanwhile stays. */
    if (--inside == 0 && get_threads() == 1) set_threads(usual);
    pthread_mutex_unlock(&lock);
}

/* The calls of the parent's other threads are not inside in the child. */
static void forget_calls(void) {
    pthread_mutex_init(&lock, NULL);
    if (inside != 0) set_threads(usual);
    inside = 0;
}

__attribute__((constructor)) static void watch_fork(void) { pthread_atfork(NULL, NULL, forget_calls); }

/* -- Fortran's, whose arguments are addresses --------------------------------------------- */

#define SIZE(place) ((double)*(const int32_t *)a##place)
#define P4 void *a1, void *a2, void *a3, void *a4
#define P5 P4, void *a5
#define P6 P5, void *a6
#define P8 P6, void *a7, void *a8
#define P11 P8, void *a9, void *a10, void *a11
#define P13 P11, void *a12, void *a13
#define A4 a1, a2, a3, a4
#define A5 A4, a5
#define A6 A5, a6
#define A8 A6, a7, a8
#define A11 A8, a9, a10, a11
#define A13 A11, a12, a13

#define FORTRAN(name, arguments, multiplications, few)                   \
    static void (*library_##name)(P##arguments);                         \
    static void own_##name(P##arguments) {                               \
        int is_one = begin_one(multiplications, few);                    \
        library_##name(A##arguments);                                    \
        end_one(is_one);                                                 \
    }

#define DOT(name, real)                                                  \
    static real (*library_##name)(P5);                                   \
    static real own_##name(P5) {                                         \
        int is_one = begin_one(SIZE(1), 9000.0);                         \
        real found = library_##name(A5);                                 \
        end_one(is_one);                                                 \
        return found;                                                    \
    }

/* A triangle of so many rows as there are on its side, for each right side. */
#define OF_TRIANGLE (0.5 * SIZE(5) * SIZE(6) * (*(const char *)a1 == 'L' || *(const char *)a1 == 'l' ? SIZE(5) : SIZE(6)))
#define OF_FACTORS (SIZE(1) * SIZE(2) * (SIZE(1) < SIZE(2) ? SIZE(1) : SIZE(2)) / 3.0)
#define OF_SYSTEM (SIZE(1) * SIZE(1) * (SIZE(1) / 3.0 + SIZE(2)))

#define OF_REALS(letter)                                                      \
    FORTRAN(letter##gemm, 13, SIZE(3) * SIZE(4) * SIZE(5), 200000.0)          \
    FORTRAN(letter##gemv, 11, SIZE(2) * SIZE(3), 9000.0)                      \
    FORTRAN(letter##axpy, 6, SIZE(1), 9000.0)                                 \
    FORTRAN(letter##scal, 4, SIZE(1), 9000.0)

#define OF_ALL(letter)                                                        \
    FORTRAN(letter##trsm, 11, OF_TRIANGLE, 1000.0)                            \
    FORTRAN(letter##getrf, 6, OF_FACTORS, 1000.0)                             \
    FORTRAN(letter##gesv, 8, OF_SYSTEM, 1000.0)

OF_REALS(d) OF_REALS(s)
DOT(ddot, double) DOT(sdot, float)
OF_ALL(d) OF_ALL(s) OF_ALL(z) OF_ALL(c)

/* -- Numba's, which call LAPACK ----------------------------------------------------------- */

#define NUMBAS(name, parameters, arguments, multiplications)                  \
    static int (*library_##name) parameters;                                  \
    static int own_##name parameters {                                        \
        int is_one = begin_one(multiplications, 1000.0);                      \
        int found = library_##name arguments;                                 \
        end_one(is_one);                                                      \
        return found;                                                         \
    }

#define SQUARE ((double)n * (double)n * (double)n)
#define FLAT ((double)m * (double)n * (double)(m < n ? m : n))

NUMBAS(numba_xxpotrf, (char kind, char half, intptr_t n, void *a, intptr_t lda), (kind, half, n, a, lda), SQUARE / 6.0)
NUMBAS(numba_xxgetrf, (char kind, intptr_t m, intptr_t n, void *a, intptr_t lda, int *pivots), (kind, m, n, a, lda, pivots), FLAT / 3.0)
NUMBAS(numba_ez_xxgetri, (char kind, intptr_t n, void *a, intptr_t lda, int *pivots), (kind, n, a, lda, pivots), SQUARE)
NUMBAS(numba_xgesv, (char kind, intptr_t n, intptr_t sides, void *a, intptr_t lda, int *pivots, void *b, intptr_t ldb),
       (kind, n, sides, a, lda, pivots, b, ldb), SQUARE / 3.0)
NUMBAS(numba_ez_rgeev,
       (char kind, char left, char right, intptr_t n, void *a, intptr_t lda, void *wr, void *wi, void *vl, intptr_t ldvl, void *vr,
        intptr_t ldvr),
       (kind, left, right, n, a, lda, wr, wi, vl, ldvl, vr, ldvr), 10.0 * SQUARE)
NUMBAS(numba_ez_cgeev,
       (char kind, char left, char right, intptr_t n, void *a, intptr_t lda, void *w, void *vl, intptr_t ldvl, void *vr, intptr_t ldvr),
       (kind, left, right, n, a, lda, w, vl, ldvl, vr, ldvr), 10.0 * SQUARE)
NUMBAS(numba_ez_xxxevd, (char kind, char job, char half, intptr_t n, void *a, intptr_t lda, void *w), (kind, job, half, n, a, lda, w),
       4.0 * SQUARE)
NUMBAS(numba_ez_gesdd,
       (char kind, char job, intptr_t m, intptr_t n, void *a, intptr_t lda, void *s, void *u, intptr_t ldu, void *vt, intptr_t ldvt),
       (kind, job, m, n, a, lda, s, u, ldu, vt, ldvt), 10.0 * FLAT)
NUMBAS(numba_ez_geqrf, (char kind, intptr_t m, intptr_t n, void *a, intptr_t lda, void *tau), (kind, m, n, a, lda, tau), FLAT)
NUMBAS(numba_ez_xxgqr, (char kind, intptr_t m, intptr_t n, intptr_t k, void *a, intptr_t lda, void *tau), (kind, m, n, k, a, lda, tau), FLAT)
NUMBAS(numba_ez_gelsd,
       (char kind, intptr_t m, intptr_t n, intptr_t sides, void *a, intptr_t lda, void *b, intptr_t ldb, void *s, double small,
        intptr_t *rank),
       (kind, m, n, sides, a, lda, b, ldb, s, small, rank), 10.0 * FLAT)

/* -- by name ------------------------------------------------------------------------------ */

struct row {
    const char *name;
    void *own;
    void **library;
};

#define ROW(name, symbol) {symbol, (void *)own_##name, (void **)(void *)&library_##name}
#define F(name) ROW(name, #name "_")
#define REALS(letter) F(letter##gemm), F(letter##gemv), F(letter##axpy), F(letter##scal), F(letter##dot)
#define ALL(letter) F(letter##trsm), F(letter##getrf), F(letter##gesv)
#define N(name) ROW(name, #name)

static const struct row rows[] = {
    REALS(d), REALS(s), ALL(d), ALL(s), ALL(z), ALL(c),
    N(numba_xxpotrf), N(numba_xxgetrf), N(numba_ez_xxgetri), N(numba_xgesv), N(numba_ez_rgeev), N(numba_ez_cgeev),
    N(numba_ez_xxxevd), N(numba_ez_gesdd), N(numba_ez_geqrf), N(numba_ez_xxgqr), N(numba_ez_gelsd),
};

void *enzyme_py_blas_routine(const char *name, void *of_library) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].name, name) != 0) continue;
        *rows[i].library = of_library;
        return rows[i].own;
    }
    return of_library;
}
