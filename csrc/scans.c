/* Scans of many numbers; scans.h states the contract.
 *
 * Extremes: one place carried along is a chain of comparisons that no compiler turns into vectors. So each
 * block is looked at for its extreme and for NaN, by vectors, and the best block is looked at once
 * more, at the end, for the place. Compilers make no vectors of the first either, since a
 * comparison with NaN may raise a flag: hence SSE2, which every x86-64 has.
 */
#include "scans.h"

#include <stdbool.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define BLOCK 1024

/* The extreme of the first of n values, and whether NaN is among them; returns how many it took.
 * max(a, b) is b where either is NaN. */
#if defined(__SSE2__)
#define LANES(name, type, vector, suffix, extreme)                                               \
    static int64_t lanes_##name(const type *values, int64_t n, type *best, bool *has_nan) {      \
        enum { WIDTH = sizeof(vector) / sizeof(type) };                                          \
        if (n < 4 * WIDTH) return 0;                                                             \
        vector lane[4], strange = _mm_setzero_##suffix();                                        \
        for (int k = 0; k < 4; k++) lane[k] = _mm_loadu_##suffix(values + k * WIDTH);            \
        int64_t i = 0;                                                                           \
        for (; i + 4 * WIDTH <= n; i += 4 * WIDTH) {                                             \
            vector value[4];                                                                     \
            for (int k = 0; k < 4; k++) value[k] = _mm_loadu_##suffix(values + i + k * WIDTH);   \
            for (int k = 0; k < 4; k++) lane[k] = _mm_##extreme##_##suffix(value[k], lane[k]);   \
            vector pair = _mm_cmpunord_##suffix(value[0], value[1]);                             \
            vector other = _mm_cmpunord_##suffix(value[2], value[3]);                            \
            strange = _mm_or_##suffix(strange, _mm_or_##suffix(pair, other));                    \
        }                                                                                        \
        lane[0] = _mm_##extreme##_##suffix(lane[0], lane[1]);                                    \
        lane[2] = _mm_##extreme##_##suffix(lane[2], lane[3]);                                    \
        type found[WIDTH];                                                                       \
        _mm_storeu_##suffix(found, _mm_##extreme##_##suffix(lane[0], lane[2]));                  \
        *best = found[0];                                                                        \
        for (int k = 1; k < WIDTH; k++) *best = better_##name(found[k], *best);                  \
        *has_nan = _mm_movemask_##suffix(strange) != 0;                                          \
        return i;                                                                                \
    }
#else
#define LANES(name, type, vector, suffix, extreme)                                               \
    static int64_t lanes_##name(const type *values, int64_t n, type *best, bool *has_nan) {      \
        (void)values, (void)n, (void)best, (void)has_nan;                                        \
        return 0;                                                                                \
    }
#endif

#define FIND(name, type, beats, vector, suffix, extreme)                                         \
    static inline type better_##name(type one, type other) {                                     \
        return one beats other ? one : other;                                                    \
    }                                                                                            \
    LANES(name, type, vector, suffix, extreme)                                                   \
                                                                                                 \
    /* Of 1 to BLOCK values; any number where there is NaN. */                                   \
    static type extreme_##name(const type *values, int64_t n, bool *has_nan) {                   \
        type best = values[0];                                                                   \
        *has_nan = false;                                                                        \
        for (int64_t i = lanes_##name(values, n, &best, has_nan); i < n; i++) {                  \
            best = better_##name(values[i], best);                                               \
            *has_nan |= values[i] != values[i];                                                  \
        }                                                                                        \
        return best;                                                                             \
    }                                                                                            \
                                                                                                 \
    int64_t enzyme_py_##name(const type *values, int64_t n) {                                    \
        int64_t at = 0;                                                                          \
        type best = values[0];                                                                   \
        for (int64_t i = 0; i < n; i += BLOCK) {                                                 \
            bool has_nan;                                                                        \
            type here = extreme_##name(values + i, n - i < BLOCK ? n - i : BLOCK, &has_nan);     \
            if (has_nan) {                                                                       \
                while (values[i] == values[i]) i++;                                              \
                return i;                                                                        \
            }                                                                                    \
            if (here beats best) {                                                               \
                best = here;                                                                     \
                at = i;                                                                          \
            }                                                                                    \
        }                                                                                        \
        while (values[at] != best) at++;                                                         \
        return at;                                                                               \
    }

FIND(max_float64, double, >, __m128d, pd, max)
FIND(min_float64, double, <, __m128d, pd, min)
FIND(max_float32, float, >, __m128, ps, max)
FIND(min_float32, float, <, __m128, ps, min)

int64_t enzyme_py_any_bool(const uint8_t *values, int64_t n) {
    int64_t i = 0;
    for (; i + 8 <= n; i += 8) {
        uint64_t word;
        memcpy(&word, values + i, sizeof word);
        if (word != 0) return 1;
    }
    for (; i < n; i++) {
        if (values[i] != 0) return 1;
    }
    return 0;
}

int64_t enzyme_py_all_bool(const uint8_t *values, int64_t n) {
    return n == 0 || memchr(values, 0, (size_t)n) == NULL;
}
