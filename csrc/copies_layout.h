/* How the elements of two blocks lie, for copies.c: axes of length 2 and more, sorted by their step in dst, outermost first,
 * all steps of dst positive, neighbours joined where they are one. */
#ifndef ENZYME_PY_COPIES_LAYOUT_H
#define ENZYME_PY_COPIES_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#define RANKS 4

typedef struct {
    int64_t n, dst, src; /* the length, and the steps in bytes */
} axis;

typedef struct {
    int rank;
    axis axes[RANKS];
} layout;

static INLINE int64_t magnitude(int64_t step) { return step < 0 ? -step : step; }

/* Put an axis where its step in dst belongs; where steps are equal, src decides. */
static void insert(layout *self, axis added) {
    int at = self->rank++;
    for (; at > 0; at--) {
        const axis *before = &self->axes[at - 1];
        if (before->dst > added.dst) break;
        if (before->dst == added.dst && magnitude(before->src) >= magnitude(added.src)) break;
        self->axes[at] = *before;
    }
    self->axes[at] = added;
}

static void join(layout *self) {
    int last = 0;
    for (int at = 1; at < self->rank; at++) {
        axis *outer = &self->axes[last], inner = self->axes[at];
        if (outer->dst == inner.n * inner.dst && outer->src == inner.n * inner.src) {
            *outer = (axis){outer->n * inner.n, inner.dst, inner.src};
        } else {
            self->axes[++last] = inner;
        }
    }
    if (self->rank > 0) self->rank = last + 1;
}

/* The layout of a call; false where there is nothing to do. */
static bool arrange(layout *self, const axis *axes, int rank, char **dst, char **src) {
    self->rank = 0;
    for (int at = 0; at < rank; at++) {
        axis added = axes[at];
        if (added.n <= 0) return false;
        if (added.n == 1) continue;
        if (added.dst < 0) {
            *dst += (added.n - 1) * added.dst;
            *src += (added.n - 1) * added.src;
            added.dst = -added.dst;
            added.src = -added.src;
        }
        insert(self, added);
    }
    join(self);
    return true;
}

/* Whether it is sure that no two elements of dst share a byte. */
static bool is_distinct(const layout *self, int64_t size) {
    for (int at = self->rank - 1; at >= 0; at--) {
        const axis *one = &self->axes[at];
        if (one->dst < size) return false;
        size += (one->n - 1) * one->dst;
    }
    return true;
}

#endif
