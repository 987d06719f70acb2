/* The debug form of the allocator: ENZYME_PY_GUARD=1 in the environment.
 *
 * Generated code that writes past its memory, or uses what it freed, mostly gets away with it: the
 * region's memory is contiguous and stays mapped. Here each block has pages of its own, its end lies
 * at a page without access, and what was freed loses access until its region closes. So such code
 * crashes where it errs, and a fuzzer sees it. What lies between a block's end and the page, for the
 * sake of alignment, is filled and looked at when the block goes.
 */
#define _GNU_SOURCE
#include "guard.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define FILL 0xa5

struct guarded {
    guarded *next;
    unsigned char *base; /* of the mapping, the page behind it included */
    size_t mapped;
    unsigned char *start;
    size_t bytes;
    bool is_forbidden;
};

static size_t page(void) { return (size_t)sysconf(_SC_PAGESIZE); }

/* A pointer to its record stands in front of each block. */
static guarded *record_of(const void *start) {
    guarded *record;
    memcpy(&record, (const unsigned char *)start - sizeof record, sizeof record);
    return record;
}

void *guard_take(guarded **list, size_t bytes, size_t alignment, size_t offset) {
    guarded *record = malloc(sizeof *record);
    if (record == NULL) return NULL;
    size_t room = sizeof record + bytes + alignment;
    size_t usable = (room + page() - 1) / page() * page(), mapped = usable + page();
    unsigned char *base =
        mmap(NULL, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED || mprotect(base, usable, PROT_READ | PROT_WRITE) != 0) {
        if (base != MAP_FAILED) munmap(base, mapped);
        free(record);
        return NULL;
    }
    unsigned char *end = base + usable, *start = end - bytes;
    start -= (uintptr_t)(start + offset) & (alignment - 1);
    memset(start + bytes, FILL, (size_t)(end - start) - bytes);
    memcpy(start - sizeof record, &record, sizeof record);
    *record = (guarded){*list, base, mapped, start, bytes, false};
    *list = record;
    return start;
}

size_t guard_bytes(const void *start) { return record_of(start)->bytes; }

static void check_fill(const guarded *self) {
    const unsigned char *end = self->base + self->mapped - page();
    for (const unsigned char *at = self->start + self->bytes; at < end; at++) {
        if (*at == FILL) continue;
        fprintf(stderr, "enzyme_py: generated code wrote past a block of %zu bytes\n", self->bytes);
        abort();
    }
}

void guard_forbid(void *start) {
    guarded *self = record_of(start);
    check_fill(self);
    self->is_forbidden = mprotect(self->base, self->mapped, PROT_NONE) == 0;
}

void guard_release(guarded **list) {
    for (guarded *at = *list, *next; at != NULL; at = next) {
        next = at->next;
        if (!at->is_forbidden) check_fill(at);
        munmap(at->base, at->mapped);
        free(at);
    }
    *list = NULL;
}
