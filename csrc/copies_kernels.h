/* The innermost loops of copies.c for one pair of element types; included once for each pair, with
 * D and S, the types of dst and src, NAME(x), x with the pair's suffix, and SAME, 1 where D is S.
 *
 * All but `small` and the `shift` kernels rely on this: no element of dst overlaps one of src.
 */

#define DST(i) (*(D *)(dst + (i) * dst_step))
#define SRC(i) (*(S *)(src + (i) * src_step))

/* -- few elements: reading everything first is cheaper than looking for overlap --------------- */

#define FOR_ELEMENTS(body)                                                         \
    for (int64_t i = 0; i < axes[0].n; i++)                                        \
        for (int64_t j = 0; j < axes[1].n; j++)                                    \
            for (int64_t k = 0; k < axes[2].n; k++)                                \
                for (int64_t l = 0; l < axes[3].n; l++) body
/* The last one written to an element of dst is the first one that takes its adjoint. */
#define FOR_ELEMENTS_BACKWARD(body)                              \
    for (int64_t i = axes[0].n - 1; i >= 0; i--)                 \
        for (int64_t j = axes[1].n - 1; j >= 0; j--)             \
            for (int64_t k = axes[2].n - 1; k >= 0; k--)         \
                for (int64_t l = axes[3].n - 1; l >= 0; l--) body
#define AT(type, base, step)                                                       \
    (*(type *)(base + i * axes[0].step + j * axes[1].step + k * axes[2].step +     \
               l * axes[3].step))

static INLINE void NAME(small_copy)(char *dst, const char *src, const axis *axes) {
    D read[SMALL];
    int64_t count = 0;
    FOR_ELEMENTS(read[count++] = (D)AT(const S, src, src);)
    count = 0;
    FOR_ELEMENTS(AT(D, dst, dst) = read[count++];)
}

static INLINE void NAME(small_back)(char *dst, char *src, const axis *axes) {
    D read[SMALL];
    int64_t count = 0;
    FOR_ELEMENTS_BACKWARD({
        read[count++] = AT(D, dst, dst);
        AT(D, dst, dst) = 0;
    })
    FOR_ELEMENTS(AT(S, src, src) += read[--count];)
}

#undef FOR_ELEMENTS
#undef FOR_ELEMENTS_BACKWARD
#undef AT

/* -- rows ----------------------------------------------------------------------------------- */

static INLINE void NAME(copy_loop)(char *restrict dst, char *restrict src, int64_t n,
                                   int64_t dst_step, int64_t src_step) {
    for (int64_t i = 0; i < n; i++) DST(i) = (D)SRC(i);
}

static void NAME(copy_row)(char *dst, char *src, int64_t n, int64_t dst_step, int64_t src_step) {
    if (dst_step != sizeof(D)) {
        NAME(copy_loop)(dst, src, n, dst_step, src_step);
    } else if (src_step == 0) {
        NAME(copy_loop)(dst, src, n, sizeof(D), 0);
    } else if (src_step != sizeof(S)) {
        NAME(copy_loop)(dst, src, n, sizeof(D), src_step);
    } else if (SAME) {
        memcpy(dst, src, (size_t)n * sizeof(D));
    } else {
        NAME(copy_loop)(dst, src, n, sizeof(D), sizeof(S));
    }
}

static INLINE void NAME(back_loop)(char *restrict dst, char *restrict src, int64_t n,
                                   int64_t dst_step, int64_t src_step) {
    for (int64_t i = 0; i < n; i++) {
        D read = DST(i);
        DST(i) = 0;
        SRC(i) += read;
    }
}

/* Several sums at a time, since each waits for its own last addition; in double, for they are
 * long. */
static INLINE void NAME(sum_loop)(char *restrict dst, char *restrict src, int64_t n,
                                  int64_t dst_step) {
    const int64_t src_step = 0;
    double sums[LANES] = {0};
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        for (int64_t lane = 0; lane < LANES; lane++) {
            sums[lane] += DST(i + lane);
            DST(i + lane) = 0;
        }
    }
    for (; i < n; i++) {
        sums[0] += DST(i);
        DST(i) = 0;
    }
    for (int64_t lane = 1; lane < LANES; lane++) sums[0] += sums[lane];
    SRC(0) = (S)(SRC(0) + sums[0]);
}

static void NAME(back_row)(char *dst, char *src, int64_t n, int64_t dst_step, int64_t src_step) {
    bool is_dense = dst_step == sizeof(D);
    if (src_step == 0) {
        NAME(sum_loop)(dst, src, n, is_dense ? (int64_t)sizeof(D) : dst_step);
    } else if (is_dense && src_step == sizeof(S)) {
        NAME(back_loop)(dst, src, n, sizeof(D), sizeof(S));
    } else {
        NAME(back_loop)(dst, src, n, dst_step, src_step);
    }
}

/* -- planes whose rows run across the rows of src: in patches, so that each cache line that is
 *    fetched is used up while it is there ----------------------------------------------------- */

static void NAME(copy_across)(char *dst, char *src, const axis *outer, const axis *inner) {
    across(NAME(copy_loop), dst, src, outer, inner);
}

static void NAME(back_across)(char *dst, char *src, const axis *outer, const axis *inner) {
    across(NAME(back_loop), dst, src, outer, inner);
}

/* -- one dense row, without a plan; false where it is none ------------------------------------- */

static INLINE bool NAME(dense_copy)(char *dst, const char *src, int64_t n, int64_t dst_step,
                                    int64_t src_step) {
    if (!SAME || dst_step != sizeof(D) || src_step != sizeof(S)) return false;
    memmove(dst, src, (size_t)n * sizeof(D));
    return true;
}

static INLINE bool NAME(dense_back)(char *dst, char *src, int64_t n, int64_t dst_step,
                                    int64_t src_step) {
    bool is_dense = dst_step == sizeof(D) && src_step == sizeof(S);
    if (!is_dense || !(dst + n * dst_step <= src || src + n * src_step <= dst)) return false;
    NAME(back_loop)(dst, src, n, sizeof(D), sizeof(S));
    return true;
}

static const kernels NAME(copying) = {NAME(copy_row), NAME(copy_across)};
static const kernels NAME(moving_back) = {NAME(back_row), NAME(back_across)};

#if SAME

static void NAME(clear_row)(char *dst, char *src, int64_t n, int64_t dst_step, int64_t src_step) {
    (void)src, (void)src_step;
    if (dst_step == sizeof(D)) {
        memset(dst, 0, (size_t)n * sizeof(D));
    } else {
        for (int64_t i = 0; i < n; i++) DST(i) = 0;
    }
}

/* -- shifts: src is dst, moved; the caller chose the direction in which the steps go */

static void NAME(shift_copy_row)(char *dst, char *src, int64_t n, int64_t dst_step,
                                 int64_t src_step) {
    if (dst_step == sizeof(D)) {
        memmove(dst, src, (size_t)n * sizeof(D));
    } else if (dst_step == -(int64_t)sizeof(D)) {
        memmove(&DST(n - 1), &SRC(n - 1), (size_t)n * sizeof(D));
    } else {
        for (int64_t i = 0; i < n; i++) DST(i) = SRC(i);
    }
}

/* A dense row that goes `k` elements back or forth: the k that leave dst are added, the others
 * come to places that were just cleared, so they are merely moved. */
static void NAME(slide_back)(D *dst, D *src, int64_t n, int64_t k) {
    int64_t left = n - k;
    D *leaving = src < dst ? dst : dst + left, *target = src < dst ? src : src + left;
    NAME(back_loop)((char *)leaving, (char *)target, k, sizeof(D), sizeof(D));
    if (src < dst) {
        memmove(dst, dst + k, (size_t)left * sizeof(D));
    } else {
        memmove(dst + k, dst, (size_t)left * sizeof(D));
    }
    memset(src < dst ? dst + left : dst, 0, (size_t)k * sizeof(D));
}

static void NAME(shift_back_row)(char *dst, char *src, int64_t n, int64_t dst_step,
                                 int64_t src_step) {
    bool is_dense = dst_step == sizeof(D) || dst_step == -(int64_t)sizeof(D);
    int64_t distance = src < dst ? dst - src : src - dst;
    if (is_dense && distance % (int64_t)sizeof(D) == 0) {
        int64_t k = distance / (int64_t)sizeof(D), first = dst_step < 0 ? n - 1 : 0;
        NAME(slide_back)(&DST(first), &SRC(first), n, k < n ? k : n);
    } else {
        for (int64_t i = 0; i < n; i++) {
            D read = DST(i);
            DST(i) = 0;
            SRC(i) += read;
        }
    }
}

static const kernels NAME(clearing) = {NAME(clear_row), NULL};
static const kernels NAME(shifting) = {NAME(shift_copy_row), NULL};
static const kernels NAME(shifting_back) = {NAME(shift_back_row), NULL};

#endif

#undef DST
#undef SRC
