/* Exercises csrc/scans.c against a loop that carries the place; exits 0 if all held.
 *
 * Buffers end where their numbers end, so that the sanitizer sees every byte too many.
 */
#include "scans.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t state = 1;

static int64_t draw(int64_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((state >> 33) % (uint64_t)below);
}

/* Few different numbers, so that equals abound; kind 1 has infinities and zeros of both signs, 2 NaN. */
static double number(int kind) {
    static const double special[] = {INFINITY, -INFINITY, 0.0, -0.0};
    if (kind == 2 && draw(300) == 0) return draw(2) ? NAN : -NAN;
    if (kind == 1 && draw(3)) return special[draw(4)];
    return (double)draw(50) - 25.0;
}

#define CASE(name, type, beats)                                                        \
    static int64_t plain_##name(const type *values, int64_t n) {                       \
        int64_t at = 0;                                                                \
        for (int64_t i = 0; i < n; i++) {                                              \
            if (values[i] != values[i]) return i;                                      \
            if (values[i] beats values[at]) at = i;                                    \
        }                                                                              \
        return at;                                                                     \
    }                                                                                  \
    static void check_##name(int64_t n, int kind) {                                    \
        type *values = malloc((size_t)n * sizeof *values);                             \
        for (int64_t i = 0; i < n; i++) values[i] = (type)number(kind);                \
        int64_t found = enzyme_py_##name(values, n), wanted = plain_##name(values, n); \
        if (found != wanted) {                                                         \
            fprintf(stderr, #name " of %lld numbers, kind %d: %lld, not %lld\n",       \
                    (long long)n, kind, (long long)found, (long long)wanted);          \
            exit(1);                                                                   \
        }                                                                              \
        free(values);                                                                  \
    }

CASE(max_float64, double, >)
CASE(min_float64, double, <)
CASE(max_float32, float, >)
CASE(min_float32, float, <)

static void check_truth(int64_t n) {
    uint8_t *values = malloc((size_t)n + 1);
    int64_t likely = draw(3), trues = 0;
    for (int64_t i = 0; i < n; i++) {
        values[i] = likely == 0 ? 0 : likely == 1 ? 1 : draw(2);
        if (draw(2 * n) == 0) values[i] = !values[i];
        trues += values[i];
    }
    if (enzyme_py_any_bool(values, n) != (trues > 0) || enzyme_py_all_bool(values, n) != (trues == n)) {
        fprintf(stderr, "%lld of %lld are true\n", (long long)trues, (long long)n);
        exit(1);
    }
    free(values);
}

static void check(int64_t n) {
    check_truth(n);
    for (int kind = 0; kind < 3; kind++) {
        check_max_float64(n, kind);
        check_min_float64(n, kind);
        check_max_float32(n, kind);
        check_min_float32(n, kind);
    }
}

int main(void) {
    check_truth(0);
    for (int round = 0; round < 20; round++) {
        for (int64_t n = 1; n < 80; n++) check(n);
        for (int64_t n = 1000; n < 1050; n += 3) check(n);
        check(2048 + draw(3000));
    }
    return 0;
}
