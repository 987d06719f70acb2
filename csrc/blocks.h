/* What a block of a region looks like: its header, and the sizes that there are. For region.c. */
#ifndef ENZYME_PY_BLOCKS_H
#define ENZYME_PY_BLOCKS_H

#include "guard.h"
#include "region.h"

#include <stddef.h>
#include <stdint.h>

#define GRAIN ((size_t)16) /* between the classes of small blocks */
#define SMALL 64           /* such classes; then four a doubling, in units */
#define UNIT ((size_t)64)

enum { LIVE = 0x11fe, FREED = 0xf4eed };
#define GUARDED UINT32_MAX /* in the place of a block's class: see guard.c */

struct block {
    union {
        enzyme_py_region *owner; /* live; null: from the C library */
        block *next;             /* in a free list */
    };
    uint32_t class;
    uint32_t mark;
};
_Static_assert(sizeof(block) == 16, "headers are 16 bytes");

static inline unsigned class_of(size_t stride) {
    if (stride <= SMALL * GRAIN) return (unsigned)((stride - 1) / GRAIN);
    size_t last = (stride - 1) / UNIT;
    unsigned power = 63u - (unsigned)__builtin_clzll(last);
    return SMALL + (power - 4) * 4 + (unsigned)((last >> (power - 2)) & 3);
}

static inline size_t stride_of(unsigned class) {
    if (class < SMALL) return (class + 1) * GRAIN;
    unsigned step = class - SMALL;
    return UNIT * ((size_t)(step % 4 + 5) << (step / 4 + 2));
}

/* Where a block of a class can begin, at `top` or a little behind it. */
static inline unsigned char *place_for(unsigned class, unsigned char *top) {
    if (class < SMALL) return top;
    return top + (-(uintptr_t)(top + sizeof(block)) & (UNIT - 1));
}

static inline void *payload_of(block *self) { return self + 1; }
static inline block *block_of(void *payload) { return (block *)payload - 1; }

/* What a block takes, header included. */
static inline size_t extent_of(const block *self) {
    return self->class == GUARDED ? guard_bytes(self) : stride_of(self->class);
}

static inline size_t capacity_of(const block *self) { return extent_of(self) - sizeof(block); }

#endif
