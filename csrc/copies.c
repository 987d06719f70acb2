/* Block copies; copies.h states the contract.
 *
 * A call becomes a layout (copies_layout.h). Then the plan is made:
 *
 *   apart   no element is in both blocks: single rows, or patches of a plane, in any order
 *   shift   src is dst, moved, and addresses rise with the indices: in place, row by row. Where
 *           src lies above dst, a copy goes upward, so that what is overwritten was read before,
 *           and the adjoint goes downward, so that what is added to was read and cleared before.
 *           Moved by nothing: both are the identity.
 *   packed  all else: through a temporary
 *   ordered elements of dst may be one: through a temporary, element by element
 */
#include "copies.h"

#include <stdbool.h>
#include <string.h>

#define INLINE inline __attribute__((always_inline))

#include "copies_layout.h"

#define SMALL 16  /* elements */
#define LANES 8   /* sums at a time */
#define PATCH 8   /* elements; a row of doubles in a patch is a cache line */
#define SHORT 8   /* rows with fewer elements are not worth a call each */
#define THIN 32   /* bytes from one element to the next */
#define STRIP 512 /* elements that short rows are taken together by */

typedef double loose_double __attribute__((aligned(1), may_alias));
typedef float loose_float __attribute__((aligned(1), may_alias));

typedef void row_kernel(char *dst, char *src, int64_t n, int64_t dst_step, int64_t src_step);
typedef void plane_kernel(char *dst, char *src, const axis *outer, const axis *inner);

typedef struct {
    row_kernel *row;
    plane_kernel *across; /* null: rows must be taken whole, and in order */
} kernels;

/* What one entry point is made of. */
typedef struct {
    const kernels *apart, *shift; /* shift is null where a copy converts */
    const kernels *pack, *clear;  /* for dst and a temporary of its type */
    int64_t dst_size, src_size;
    bool is_back;
} operation;

static INLINE int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static INLINE void across(row_kernel *row, char *dst, char *src, const axis *outer,
                          const axis *inner) {
    for (int64_t j = 0; j < inner->n; j += PATCH) {
        int64_t columns = least(PATCH, inner->n - j);
        for (int64_t i = 0; i < outer->n; i += PATCH) {
            int64_t rows = least(PATCH, outer->n - i);
            for (int64_t k = i; k < i + rows; k++) {
                row(dst + k * outer->dst + j * inner->dst, src + k * outer->src + j * inner->src,
                    columns, inner->dst, inner->src);
            }
        }
    }
}

#define D loose_double
#define S loose_double
#define NAME(x) x##_dd
#define SAME 1
#include "copies_kernels.h"
#undef D
#undef S
#undef NAME
#undef SAME

#define D loose_float
#define S loose_float
#define NAME(x) x##_ss
#define SAME 1
#include "copies_kernels.h"
#undef S
#undef NAME
#undef SAME

#define S loose_double
#define NAME(x) x##_sd
#define SAME 0
#include "copies_kernels.h"
#undef D
#undef S
#undef NAME

#define D loose_double
#define S loose_float
#define NAME(x) x##_ds
#include "copies_kernels.h"

/* -- doing it ------------------------------------------------------------------------------- */

/* Short rows: along the outer axis instead, in strips that stay in the cache. */
static void plane_by_strips(row_kernel *row, char *dst, char *src, axis outer, axis inner) {
    for (int64_t i = 0; i < outer.n; i += STRIP) {
        int64_t n = least(STRIP, outer.n - i);
        for (int64_t j = 0; j < inner.n; j++) {
            row(dst + i * outer.dst + j * inner.dst, src + i * outer.src + j * inner.src, n,
                outer.dst, outer.src);
        }
    }
}

/* Whether rows lie so thin in src that each element of one fetches a cache line, while the next
 * row would find its elements there. */
static bool is_across(axis outer, axis inner) {
    return magnitude(inner.src) >= THIN && magnitude(outer.src) < magnitude(inner.src);
}

static void plane(const kernels *with, char *dst, char *src, axis outer, axis inner) {
    if (with->across != NULL && inner.n < SHORT && outer.n > inner.n) {
        plane_by_strips(with->row, dst, src, outer, inner);
    } else if (with->across != NULL && is_across(outer, inner)) {
        with->across(dst, src, &outer, &inner);
    } else {
        for (int64_t i = 0; i < outer.n; i++) {
            with->row(dst + i * outer.dst, src + i * outer.src, inner.n, inner.dst, inner.src);
        }
    }
}

static void walk(const kernels *with, char *dst, char *src, const axis *axes, int rank) {
    if (rank == 0) {
        with->row(dst, src, 1, 0, 0);
    } else if (rank == 1) {
        with->row(dst, src, axes->n, axes->dst, axes->src);
    } else if (rank == 2) {
        plane(with, dst, src, axes[0], axes[1]);
    } else {
        for (int64_t i = 0; i < axes->n; i++) {
            walk(with, dst + i * axes->dst, src + i * axes->src, axes + 1, rank - 1);
        }
    }
}

/* Which axis makes the best plane with the innermost one: the longest where that one is short,
 * else the one along which src is densest. */
static int partner(const layout *self) {
    const axis *axes = self->axes;
    int inner = self->rank - 1, best = inner - 1;
    bool is_short = axes[inner].n < SHORT;
    for (int at = best - 1; at >= 0; at--) {
        bool is_better = is_short ? axes[at].n > axes[best].n
                                  : magnitude(axes[at].src) < magnitude(axes[best].src);
        if (is_better) best = at;
    }
    bool is_worth_it = is_short || is_across(axes[best], axes[inner]);
    return is_worth_it ? best : inner - 1;
}

/* Blocks without common elements, so the order is free. */
static void run_apart(const kernels *with, char *dst, char *src, const layout *self) {
    layout ordered = *self;
    if (self->rank > 2) {
        int from = partner(self), to = self->rank - 2;
        for (int at = from; at < to; at++) ordered.axes[at] = self->axes[at + 1];
        ordered.axes[to] = self->axes[from];
    }
    walk(with, dst, src, ordered.axes, ordered.rank);
}

/* The same for axes that are neither sorted nor joined. */
static void run_any(const kernels *with, char *dst, char *src, const axis *axes, int rank) {
    layout self;
    if (rank == 1 && axes->n > 0) {
        with->row(dst, src, axes->n, axes->dst, axes->src);
    } else if (arrange(&self, axes, rank, &dst, &src)) {
        run_apart(with, dst, src, &self);
    }
}

static void run_shift(const operation *self, char *dst, char *src, const layout *where) {
    axis axes[RANKS];
    bool is_upward = (src > dst) != self->is_back;
    for (int at = 0; at < where->rank; at++) {
        axes[at] = where->axes[at];
        if (is_upward) continue;
        dst += (axes[at].n - 1) * axes[at].dst;
        src += (axes[at].n - 1) * axes[at].src;
        axes[at].dst = -axes[at].dst;
        axes[at].src = -axes[at].src;
    }
    walk(self->shift, dst, src, axes, where->rank);
}

/* A temporary for one slab: what lies below the first axes, along which all is independent. */
typedef struct {
    const operation *does;
    char *temporary;
    int rank;
    axis dst[RANKS], src[RANKS]; /* between the temporary and either block */
    axis clear[RANKS];
} packing;

/* Returns the size of the temporary. */
static int64_t prepare(packing *self, const axis *axes) {
    int64_t step = self->does->dst_size;
    for (int at = self->rank - 1; at >= 0; at--) {
        axis from = axes[at];
        self->src[at] = (axis){from.n, step, from.src};
        self->dst[at] = self->does->is_back ? (axis){from.n, step, from.dst}
                                            : (axis){from.n, from.dst, step};
        self->clear[at] = (axis){from.n, from.dst, 0};
        step *= from.n;
    }
    return step;
}

static void run_slab(const packing *self, char *dst, char *src) {
    const operation *does = self->does;
    if (does->is_back) {
        run_any(does->pack, self->temporary, dst, self->dst, self->rank);
        run_any(does->clear, dst, dst, self->clear, self->rank);
        run_any(does->apart, self->temporary, src, self->src, self->rank);
    } else {
        run_any(does->apart, self->temporary, src, self->src, self->rank);
        run_any(does->pack, dst, self->temporary, self->dst, self->rank);
    }
}

static void run_slabs(const packing *self, char *dst, char *src, const axis *axes, int slabs) {
    if (slabs == 0) {
        run_slab(self, dst, src);
        return;
    }
    for (int64_t i = 0; i < axes->n; i++) {
        run_slabs(self, dst + i * axes->dst, src + i * axes->src, axes + 1, slabs - 1);
    }
}

static void run_packed(const operation *does, char *dst, char *src, const layout *where,
                       int slabs) {
    packing self = {.does = does, .rank = where->rank - slabs};
    self.temporary = enzyme_py_malloc((size_t)prepare(&self, where->axes + slabs));
    if (self.temporary == NULL) enzyme_py_raise(ENZYME_PY_NO_MEMORY, NULL);
    run_slabs(&self, dst, src, where->axes, slabs);
    enzyme_py_free(self.temporary);
}

/* Elements of dst may be one, as those of a view made with `as_strided`. The last one written stays, in the order of the
 * indices. Backward it is read first, and cleared: the others find zero. */
static char *in_order(const operation *does, char *dst, char *temporary, const axis *axes, int rank) {
    int64_t size = does->dst_size;
    for (int64_t i = 0; rank > 0 && i < axes->n; i++) {
        int64_t at = does->is_back ? axes->n - 1 - i : i;
        temporary = in_order(does, dst + at * axes->dst, temporary, axes + 1, rank - 1);
    }
    if (rank > 0) return temporary;
    if (!does->is_back) {
        does->pack->row(dst, temporary, 1, size, size);
        return temporary + size;
    }
    temporary -= size;
    does->pack->row(temporary, dst, 1, size, size);
    does->clear->row(dst, dst, 1, size, size);
    return temporary;
}

static void run_ordered(const operation *does, char *dst, char *src, const axis *axes, int rank) {
    packing self = {.does = does, .rank = rank};
    int64_t size = prepare(&self, axes);
    self.temporary = enzyme_py_malloc((size_t)size);
    if (self.temporary == NULL) enzyme_py_raise(ENZYME_PY_NO_MEMORY, NULL);
    if (does->is_back) in_order(does, dst, self.temporary + size, axes, rank);
    run_any(does->apart, self.temporary, src, self.src, rank);
    if (!does->is_back) in_order(does, dst, self.temporary, axes, rank);
    enzyme_py_free(self.temporary);
}

/* -- the plan ------------------------------------------------------------------------------- */

/* Where the bytes of two blocks lie, seen from the first element of dst. */
typedef struct {
    int64_t dst_end, src_begin, src_end;
} extent;

static extent extent_of(const operation *does, int64_t distance, const axis *axes, int rank) {
    extent found = {does->dst_size, distance, distance + does->src_size};
    for (int at = 0; at < rank; at++) {
        int64_t last = (axes[at].n - 1) * axes[at].src;
        found.dst_end += (axes[at].n - 1) * axes[at].dst;
        *(last < 0 ? &found.src_begin : &found.src_end) += last;
    }
    return found;
}

static bool is_apart(extent self) { return self.src_begin >= self.dst_end || self.src_end <= 0; }

static int64_t common_divisor(int64_t a, int64_t b) {
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Whether the blocks take different bytes of a common period: the columns of one matrix. */
static bool is_interleaved(const operation *does, int64_t distance, const layout *where) {
    int64_t period = 0;
    for (int at = 0; at < where->rank; at++) {
        period = common_divisor(period, where->axes[at].dst);
        period = common_divisor(period, magnitude(where->axes[at].src));
    }
    if (period == 0) return false;
    int64_t phase = distance % period;
    if (phase < 0) phase += period;
    return phase >= does->dst_size && period - phase >= does->src_size;
}

/* How many of the first axes separate the block into slabs, each of which meets only itself. Where
 * all of the slabs have dst and src apart, so has the block: *is_free. */
static int slabs_of(const operation *does, int64_t distance, const layout *where, bool *is_free) {
    for (int at = 0;; at++) {
        const axis *axes = &where->axes[at];
        int left = where->rank - at;
        *is_free = is_apart(extent_of(does, distance, axes, left));
        if (*is_free || left == 0 || axes->dst != axes->src) return at;
        extent below = extent_of(does, distance, axes + 1, left - 1);
        int64_t begin = least(0, below.src_begin);
        int64_t end = -least(-below.dst_end, -below.src_end);
        if (end - begin > axes->dst) return at;
    }
}

/* Of a layout whose elements are distinct. */
static bool is_shift(const layout *where) {
    for (int at = 0; at < where->rank; at++) {
        if (where->axes[at].dst != where->axes[at].src) return false;
    }
    return true;
}

static void run(const operation *does, char *dst, char *src, const axis *axes, int rank) {
    layout where;
    bool is_free;
    char *first_dst = dst, *first_src = src;
    if (!arrange(&where, axes, rank, &dst, &src)) return;
    if (!is_distinct(&where, does->dst_size)) {
        run_ordered(does, first_dst, first_src, axes, rank);
        return;
    }
    int64_t distance = (int64_t)((intptr_t)src - (intptr_t)dst);
    int slabs = slabs_of(does, distance, &where, &is_free);
    if (is_free || is_interleaved(does, distance, &where)) {
        run_apart(does->apart, dst, src, &where);
    } else if (does->shift != NULL && is_shift(&where)) {
        if (distance != 0) run_shift(does, dst, src, &where);
    } else {
        run_packed(does, dst, src, &where, slabs);
    }
}

/* -- entry points --------------------------------------------------------------------------- */

#define AXIS(x) {n##x, d##x, s##x}
#define AXES1 AXIS(0)
#define AXES2 AXES1, AXIS(1)
#define AXES3 AXES2, AXIS(2)
#define AXES4 AXES3, AXIS(3)

#define OPERATIONS(pair, own, shift_copy, shift_back, dst_type, src_type)                       \
    static const operation copy_##pair = {                                                      \
        &copying_##pair, shift_copy, &copying_##own, NULL, sizeof(dst_type), sizeof(src_type), \
        false};                                                                                 \
    static const operation move_back_##pair = {                                                 \
        &moving_back_##pair, shift_back, &copying_##own, &clearing_##own, sizeof(dst_type),    \
        sizeof(src_type), true};

OPERATIONS(dd, dd, &shifting_dd, &shifting_back_dd, double, double)
OPERATIONS(ss, ss, &shifting_ss, &shifting_back_ss, float, float)
OPERATIONS(ds, dd, NULL, NULL, double, float)
OPERATIONS(sd, ss, NULL, NULL, float, double)

#define ONE {1, 0, 0}
#define FOUR_AXES1 (axis[]){ONE, ONE, ONE, AXES1}
#define FOUR_AXES2 (axis[]){ONE, ONE, AXES2}
#define FOUR_AXES3 (axis[]){ONE, AXES3}
#define FOUR_AXES4 (axis[]){AXES4}

#define FEW1 (n0 <= SMALL)
#define FEW2 (FEW1 && n1 <= SMALL && n0 * n1 <= SMALL)
#define FEW3 (FEW1 && n1 <= SMALL && n2 <= SMALL && n0 * n1 * n2 <= SMALL)
#define FEW4 (FEW3 && n3 <= SMALL && n0 * n1 * n2 * n3 <= SMALL)

#define IF_DENSE1(done) done(dst, src, n0, d0, s0)
#define IF_DENSE2(done) false
#define IF_DENSE3(done) false
#define IF_DENSE4(done) false

#define DEFINE(head, rank, own, small, dense)                       \
    head {                                                          \
        if (FEW##rank) {                                            \
            small(dst, src, FOUR_AXES##rank);                       \
        } else if (!IF_DENSE##rank(dense)) {                        \
            run(own, dst, (char *)src, (axis[]){AXES##rank}, rank); \
        }                                                           \
    }
#define DEFINE_PAIR(rank, pair)                                                                   \
    DEFINE(COPY(rank, pair), rank, &copy_##pair, small_copy_##pair, dense_copy_##pair)            \
    DEFINE(MOVE_BACK(rank, pair), rank, &move_back_##pair, small_back_##pair, dense_back_##pair)

FOR_PAIRS(DEFINE_PAIR)

#define CLEAR_AXIS(x) {n##x, d##x, 0}
#define CLEAR_AXES1 CLEAR_AXIS(0)
#define CLEAR_AXES2 CLEAR_AXES1, CLEAR_AXIS(1)
#define CLEAR_AXES3 CLEAR_AXES2, CLEAR_AXIS(2)
#define CLEAR_AXES4 CLEAR_AXES3, CLEAR_AXIS(3)

#define DEFINE_CLEAR(rank, type)                                                      \
    CLEAR(rank, type) {                                                               \
        run_any(&clearing_##type##type, dst, dst, (axis[]){CLEAR_AXES##rank}, rank);  \
    }

FOR_TYPES(DEFINE_CLEAR)
