/* The entry trampoline, the noreturn exit, and tapes; runtime.h states the contract.
 *
 * Open regions and frames are two stacks of the thread. A frame remembers the region that was
 * innermost before it, so that leaving it, either way, puts the region stack right again, whatever
 * the body left open.
 */
#define _GNU_SOURCE
#include "progress.h"
#include "region.h"

#include <stdio.h>
#include <stdlib.h>

void region_open(thread *self, enzyme_py_region *region) {
    region->below = self->region;
    self->region = region;
    self->live += region->live; /* what a tape brings along */
}

enzyme_py_region *region_pop(thread *self) {
    enzyme_py_region *region = self->region;
    self->region = region->below;
    self->live -= region->live;
    return region;
}

static void close_region(thread *self) { region_give(self, region_pop(self)); }

/* Close what was opened, and kept, above `region`. */
static void close_above(thread *self, const enzyme_py_region *region) {
    while (self->region != region) close_region(self);
}

/* The signal mask is neither saved nor restored: that would be two system calls an entry. */
int32_t frame_run(thread *self, void (*body)(void *), void *pack, void (*origin)(void *),
                  void **excinfo) {
    frame here;
    here.outer = self->frame;
    here.body = origin;
    here.status = ENZYME_PY_OK;
    here.excinfo = NULL;
    self->frame = &here;
    if (_setjmp(here.jump) == 0) body(pack);
    self->frame = here.outer;
    if (excinfo != NULL && here.status != ENZYME_PY_OK) *excinfo = here.excinfo;
    return here.status;
}

int32_t enzyme_py_enter(void (*body)(void *), void *pack, void **excinfo, int32_t keep) {
    thread *self = this_thread();
    enzyme_py_region *region = self == NULL ? NULL : region_take(self);
    if (region == NULL) {
        if (self != NULL) self->failure = (enzyme_py_failure){.body = body};
        if (excinfo != NULL) *excinfo = NULL;
        return ENZYME_PY_NO_MEMORY;
    }
    __atomic_store_n(&region->thread, self, __ATOMIC_RELAXED);
    region_open(self, region);
    int32_t status = frame_run(self, body, pack, body, excinfo);
    close_above(self, region);
    region->is_kept = status == ENZYME_PY_OK && keep != 0;
    if (!region->is_kept) close_region(self);
    return status;
}

void enzyme_py_leave(void) {
    thread *self = this_thread();
    if (self != NULL && self->region != NULL && self->region->is_kept) close_region(self);
}

void enzyme_py_raise(int32_t status, void *excinfo) {
    thread *self = this_thread();
    if (self == NULL || self->frame == NULL) {
        fputs("enzyme_py: raised outside of any entry\n", stderr);
        abort();
    }
    enzyme_py_count_clear();
    self->frame->status = status;
    self->frame->excinfo = excinfo;
    _longjmp(self->frame->jump, 1);
}

enzyme_py_region *enzyme_py_tape_new(void) {
    thread *self = this_thread();
    return self == NULL ? NULL : region_take(self);
}

static int32_t lock_tape(enzyme_py_region *tape, thread *self) {
    thread *nobody = NULL;
    int taken = __atomic_compare_exchange_n(&tape->thread, &nobody, self, 0, __ATOMIC_ACQUIRE,
                                            __ATOMIC_RELAXED);
    return taken ? ENZYME_PY_OK : ENZYME_PY_BUSY;
}

int32_t enzyme_py_enter_tape(enzyme_py_region *tape, void (*body)(void *), void *pack,
                             void **excinfo) {
    thread *self = this_thread();
    int32_t status = self == NULL ? ENZYME_PY_NO_MEMORY : lock_tape(tape, self);
    if (status != ENZYME_PY_OK) {
        if (excinfo != NULL) *excinfo = NULL;
        return status;
    }
    region_open(self, tape);
    status = frame_run(self, body, pack, body, excinfo);
    close_above(self, tape);
    region_pop(self);
    __atomic_store_n(&tape->thread, NULL, __ATOMIC_RELEASE);
    return status;
}

void *enzyme_py_tape_root(enzyme_py_region *tape) { return tape->root; }

void enzyme_py_tape_set_root(enzyme_py_region *tape, void *root) { tape->root = root; }

size_t enzyme_py_tape_bytes(enzyme_py_region *tape) { return tape->live; }

void enzyme_py_tape_free(enzyme_py_region *tape) {
    thread *self = this_thread();
    if (tape != NULL && self != NULL) region_give(self, tape);
}
