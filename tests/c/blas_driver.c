/* Exercises csrc/blas.c with a library of its own, which notes how many threads it had; exits 0 if all held. */
#include "blas.h"
#include "region.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define USUAL 6
#define CHECK(holds)                                                         \
    do {                                                                     \
        if (!(holds)) {                                                      \
            fprintf(stderr, "line %d: %s\n", __LINE__, #holds);              \
            exit(1);                                                         \
        }                                                                    \
    } while (0)

static _Atomic int threads = USUAL;
static _Thread_local thread own;
static _Thread_local int had; /* threads in the last call */

thread *this_thread(void) { return &own; }
static int get(void) { return threads; }
static void set(int number) { threads = number; }

static void gemm(void *ta, void *tb, void *m, void *n, void *k, void *alpha, void *a, void *lda, void *b, void *ldb, void *beta,
                 void *c, void *ldc) {
    CHECK(ta && tb && m && n && k && alpha && a && lda && b && ldb && beta && c && ldc);
    had = threads;
}

static int potrf(char kind, char half, intptr_t n, void *a, intptr_t lda) {
    CHECK(kind == 'd' && half == 'L' && a == NULL && lda == n + 1);
    had = threads;
    return (int)n;
}

static double dot(void *n, void *x, void *dx, void *y, void *dy) {
    CHECK(n && x && dx && y && dy);
    had = threads;
    return 2.5;
}

typedef void product(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *);
typedef int factor(char, char, intptr_t, void *, intptr_t);
typedef double sum(void *, void *, void *, void *, void *);
static product *of_gemm;
static factor *of_potrf;
static sum *of_dot;

static int in_product(int32_t n) {
    double x = 1.0;
    of_gemm(&x, &x, &n, &n, &n, &x, &x, &n, &x, &n, &x, &x, &n);
    return had;
}

static int in_factor(intptr_t n) {
    CHECK(of_potrf('d', 'L', n, NULL, n + 1) == (int)n);
    return had;
}

static void *work(void *given) {
    (void)given;
    for (int i = 0; i < 20000; i++) {
        CHECK(in_product(100) == 1);
        CHECK(in_factor(50) == 1);
        in_factor(1000); /* its number depends on the others */
    }
    return NULL;
}

static void in_a_child(void) {
    pid_t child = fork();
    if (child == 0) _exit(in_factor(1000) == USUAL && in_product(100) == 1 && threads == USUAL ? 0 : 1);
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void forks(void *m, void *n, void *k, void *a, void *b, void *c, void *d, void *e, void *f, void *g, void *h, void *i, void *j) {
    (void)m, (void)n, (void)k, (void)a, (void)b, (void)c, (void)d, (void)e, (void)f, (void)g, (void)h, (void)i, (void)j;
    CHECK(threads == 1);
    of_gemm = (product *)enzyme_py_blas_routine("dgemm_", (void *)gemm);
    in_a_child(); /* in the middle of a call that wished for one */
}

static void changes(void *m, void *n, void *k, void *a, void *b, void *c, void *d, void *e, void *f, void *g, void *h, void *i, void *j) {
    (void)m, (void)n, (void)k, (void)a, (void)b, (void)c, (void)d, (void)e, (void)f, (void)g, (void)h, (void)i, (void)j;
    set(3); /* as somebody else may, meanwhile */
}

int main(void) {
    int other;
    CHECK(enzyme_py_blas_routine("dsyrk_", &other) == &other);
    of_gemm = (product *)enzyme_py_blas_routine("dgemm_", (void *)gemm);
    of_potrf = (factor *)enzyme_py_blas_routine("numba_xxpotrf", (void *)potrf);
    of_dot = (sum *)enzyme_py_blas_routine("ddot_", (void *)dot);
    CHECK((void *)of_gemm != (void *)gemm && enzyme_py_blas_routine("sgemm_", (void *)gemm) != (void *)of_gemm);

    CHECK(in_product(100) == USUAL); /* nothing is known of its threads */
    enzyme_py_blas_threads(get, set);
    enzyme_py_blas_many(1e8);
    CHECK(in_product(50) == USUAL);  /* so few that the library knows itself */
    CHECK(in_product(100) == 1 && threads == USUAL);
    CHECK(in_product(460) == 1 && in_product(470) == USUAL);
    CHECK(in_factor(840) == 1 && in_factor(850) == USUAL && threads == USUAL);
    enzyme_py_blas_many(4e6);
    CHECK(in_product(158) == 1 && in_product(159) == USUAL && in_factor(288) == 1 && in_factor(289) == USUAL);
    int32_t n = 100000, one = 1;
    double x = 1.0;
    CHECK(of_dot(&n, &x, &one, &x, &one) == 2.5 && had == 1);
    own.parts = 2; /* a part of a fork */
    CHECK(in_product(470) == 1 && in_factor(2000) == 1);
    own.parts = 0;
    int64_t before = enzyme_py_blas_count();
    threads = 1;
    CHECK(in_product(100) == 1 && enzyme_py_blas_count() == before); /* it has one anyway */
    threads = USUAL;
    CHECK(in_product(100) == 1 && enzyme_py_blas_count() == before + 1);

    pthread_t all[4];
    for (int i = 0; i < 4; i++) CHECK(pthread_create(&all[i], NULL, work, NULL) == 0);
    for (int i = 0; i < 4; i++) CHECK(pthread_join(all[i], NULL) == 0);
    CHECK(threads == USUAL && in_factor(1000) == USUAL);

    in_a_child();
    of_gemm = (product *)enzyme_py_blas_routine("dgemm_", (void *)forks);
    in_product(100);
    CHECK(threads == USUAL);
    of_gemm = (product *)enzyme_py_blas_routine("dgemm_", (void *)changes);
    in_product(100);
    CHECK(threads == 3);
    return 0;
}
