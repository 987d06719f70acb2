/* Block copies of strided arrays, and their adjoints.
 *
 * CONTRACT
 *
 *   enzyme_py_copy{R}_{dst}{src}(dst, src, n..., dst steps..., src steps...)
 *       dst[...] = src[...], as NumPy assigns: as if all of src were read before anything is
 *       written, in the order of the indices. The blocks may overlap in any way.
 *   enzyme_py_move_back{R}_{dst}{src}(dst, src, n..., dst steps..., src steps...)
 *       The adjoint of that copy:  t = dst[...];  dst[...] = 0;  src[...] += t, as if in these
 *       three strokes. Elements that src repeats get the sum.
 *   enzyme_py_clear{R}_{dst}(dst, n..., dst steps...)
 *       dst[...] = 0, the adjoint of itself.
 *
 * R, the rank, is 1 to 4. An element type is d (double) or s (float); where dst and src differ, a
 * copy converts, and the adjoint converts back. `n` are the lengths; where one is 0 or less,
 * nothing happens. Steps are strides in bytes and may have either sign. A step of src may be 0:
 * broadcasting. Where elements of dst are one, the last one written stays, and backward it alone has an adjoint. Addresses
 * need no alignment.
 *
 * Why the two are adjoint. Let memory be a vector m, one entry per element, and let element i of
 * the block lie at D(i) in dst and at S(i) in src, D being injective: of several that lie at one place, only the last one
 * is counted. The copy is the linear map
 *     (Cm)[D(i)] = m[S(i)],      (Cm)[x] = m[x] for every x outside of dst.
 * For any w,
 *     <Cm, w> = sum_i m[S(i)] w[D(i)] + sum_{x outside of dst} m[x] w[x] = <m, w'>, where
 *     w'[y] = (y outside of dst ? w[y] : 0) + sum_{i : S(i) = y} w[D(i)].
 * w' is what move_back makes of w: t(i) = w[D(i)] is read first, then dst is 0, then t is added at
 * S(i). Nothing was assumed of S, so this holds for repeated elements and for any overlap; where
 * D = S, both are the identity. Conversion enters as a factor of 1. Where blocks share bytes, but
 * not whole elements, both still do what they say, but a copy is no linear map there.
 *
 * Sums over a repeated element are taken in no promised order.
 *
 * Memory. Blocks that overlap in other ways than shifts may need a temporary, which comes from
 * enzyme_py_malloc before anything is written and is freed at the end. Where there is no memory,
 * ENZYME_PY_NO_MEMORY is raised and both blocks are as they were; outside of any entry a raise
 * ends the process, since nobody could be told that the copy was not made.
 *
 * Threads. No state is kept between calls.
 */
#ifndef ENZYME_PY_COPIES_H
#define ENZYME_PY_COPIES_H

#include "runtime.h"

#define LIST1(x) int64_t x##0
#define LIST2(x) LIST1(x), int64_t x##1
#define LIST3(x) LIST2(x), int64_t x##2
#define LIST4(x) LIST3(x), int64_t x##3

#define COPY(rank, pair)                                                        \
    void enzyme_py_copy##rank##_##pair(char *dst, const char *src, LIST##rank(n), \
                                       LIST##rank(d), LIST##rank(s))
#define MOVE_BACK(rank, pair)                                                   \
    void enzyme_py_move_back##rank##_##pair(char *dst, char *src, LIST##rank(n), \
                                            LIST##rank(d), LIST##rank(s))
#define CLEAR(rank, type) \
    void enzyme_py_clear##rank##_##type(char *dst, LIST##rank(n), LIST##rank(d))

#define FOR_RANKS(X, types) X(1, types) X(2, types) X(3, types) X(4, types)
#define FOR_PAIRS(X) FOR_RANKS(X, dd) FOR_RANKS(X, ss) FOR_RANKS(X, ds) FOR_RANKS(X, sd)
#define FOR_TYPES(X) FOR_RANKS(X, d) FOR_RANKS(X, s)

#define DECLARE_PAIR(rank, pair) \
    ENZYME_PY_API COPY(rank, pair); \
    ENZYME_PY_API MOVE_BACK(rank, pair);
#define DECLARE_TYPE(rank, type) ENZYME_PY_API CLEAR(rank, type);

FOR_PAIRS(DECLARE_PAIR)
FOR_TYPES(DECLARE_TYPE)

#endif
