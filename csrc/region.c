/* The region allocator; runtime.h states the contract.
 *
 * A region reserves a stretch of address space (a chunk) and makes it writable as it grows, so its
 * memory is contiguous and a bump of one pointer allocates. Freed blocks go to a list per size
 * class, or, at the top, back under the pointer. A block is a 16-byte header and its payload. Small
 * ones come in steps of 16 bytes and stand anywhere; the payload of others begins a cache line.
 * What lies above a chunk's `clean` mark was never handed out, so calloc need not zero it.
 */
#define _GNU_SOURCE
#include "region.h"

#include "blocks.h"
#include "crash.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define LARGEST ((size_t)1 << 40)          /* bytes in one block; a larger wish is a mistake */
#define ADDRESS_SPACE ((size_t)1 << 47)    /* what no process has; negative sizes lie above */
#define RESERVE ((size_t)16 << 30)         /* address space of a chunk, where it costs nothing */
#define RESERVE_LIMITED ((size_t)32 << 20) /* the same where RLIMIT_AS is set */
#define FIRST_STEP ((size_t)1 << 20)
#define LARGEST_STEP ((size_t)64 << 20)
#define KEEP_LIMIT ((size_t)1 << 30)
#define HUGE ((size_t)2 << 20)
#define AGE_CLOSINGS 64               /* between two looks at what is kept and not used */
#define AGE_MILLISECONDS 2000
#define ALWAYS_KEPT ((size_t)8 << 20) /* less is not worth a system call */

struct chunk {
    chunk *older;
    size_t reserved;
    unsigned char *end;   /* of the writable part */
    unsigned char *clean; /* from here on all bytes are zero */
};

#define CHUNK_HEADER (UNIT - sizeof(block)) /* the first payload lies at the chunk's second unit */
_Static_assert(sizeof(chunk) <= CHUNK_HEADER, "a chunk's header must leave room for a block's");

#if defined(__ELF__)
static _Thread_local thread *current __attribute__((tls_model("initial-exec")));
#else
static _Thread_local thread *current;
#endif
static pthread_key_t at_thread_exit;

static bool guards; /* set before anybody allocates */

static _Noreturn void give_up(const char *what) {
    fprintf(stderr, "enzyme_py: %s\n", what);
    abort();
}

/* -- chunks ------------------------------------------------------------------------------- */

static size_t round_up(size_t size, size_t unit) { return (size + unit - 1) / unit * unit; }

static size_t page(void) { return (size_t)sysconf(_SC_PAGESIZE); }

static size_t reserve_wanted(void) {
    struct rlimit limit;
    bool is_limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return is_limited ? RESERVE_LIMITED : RESERVE;
}

static unsigned char *reserve(size_t size) {
    void *found = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return found == MAP_FAILED ? NULL : found;
}

static void ask_for_large_pages(unsigned char *from, size_t size) {
#ifdef MADV_HUGEPAGE
    if (size >= 2 * HUGE) madvise(from, size, MADV_HUGEPAGE);
#else
    (void)from, (void)size;
#endif
}

static bool make_writable(unsigned char *from, size_t size) {
    if (mprotect(from, size, PROT_READ | PROT_WRITE) != 0) return false;
    ask_for_large_pages(from, size);
    return true;
}

static chunk *chunk_new(size_t least) {
    size_t size = reserve_wanted(), first = round_up(least + UNIT, FIRST_STEP);
    if (size < first) size = first;
    unsigned char *start = reserve(size);
    while (start == NULL && size / 2 >= first) start = reserve(size /= 2);
    if (start == NULL) return NULL;
    if (!make_writable(start, first)) {
        munmap(start, size);
        return NULL;
    }
    chunk *self = (chunk *)start;
    self->reserved = size;
    self->end = start + first;
    self->clean = start + CHUNK_HEADER;
    return self;
}

static size_t chunk_held(const chunk *self) { return (size_t)(self->end - (unsigned char *)self); }

/* Make the newest chunk's writable part longer by at least `least` bytes. */
static bool chunk_grow(chunk *self, size_t least) {
    size_t held = chunk_held(self), room = self->reserved - held;
    size_t step = held < LARGEST_STEP ? held : LARGEST_STEP;
    step = round_up(step < least ? least : step, page());
    if (step > room) step = room;
    if (step < least || !make_writable(self->end, step)) return false;
    self->end += step;
    return true;
}

/* Give back what is writable beyond `keep` bytes, and the promise of it. */
static void chunk_shrink(chunk *self, size_t keep) {
    unsigned char *from = (unsigned char *)self + round_up(keep < page() ? page() : keep, page());
    if (from >= self->end) return;
    size_t size = (size_t)(self->end - from);
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
    if (mmap(from, size, PROT_NONE, flags, -1, 0) == MAP_FAILED) return;
    self->end = from;
    if (self->clean > from) self->clean = from;
}

/* -- regions ------------------------------------------------------------------------------ */

static size_t region_held(const enzyme_py_region *self) {
    size_t held = 0;
    for (const chunk *at = self->chunks; at != NULL; at = at->older) held += chunk_held(at);
    return held;
}

static bool region_add_chunk(enzyme_py_region *self, size_t stride) {
    chunk *added = chunk_new(stride);
    if (added == NULL) return false;
    added->older = self->chunks;
    self->chunks = added;
    self->top = (unsigned char *)added + CHUNK_HEADER;
    self->end = added->end;
    return true;
}

static bool region_grow(enzyme_py_region *self, size_t stride) {
    chunk *newest = self->chunks;
    if (newest != NULL && chunk_grow(newest, stride)) {
        self->end = newest->end;
        return true;
    }
    return region_add_chunk(self, stride);
}

static void region_destroy(enzyme_py_region *self) {
    for (int64_t slot = 0; slot < self->child_count; slot++) {
        if (self->children[slot] != NULL) region_destroy(self->children[slot]);
    }
    free(self->children);
    guard_release(&self->guarded);
    for (chunk *at = self->chunks, *older; at != NULL; at = older) {
        older = at->older;
        munmap(at, at->reserved);
    }
    free(self);
}

static void region_forget_free_blocks(enzyme_py_region *self) {
    for (unsigned word = 0; word < CLASS_WORDS; word++) {
        for (uint64_t left = self->filled[word]; left != 0; left &= left - 1) {
            self->free[word * 64 + (unsigned)__builtin_ctzll(left)] = NULL;
        }
        self->filled[word] = 0;
    }
}

/* How much of what is held was in use, at most, since the region was opened. */
static size_t region_used(const enzyme_py_region *self) {
    if (self->chunks == NULL) return 0;
    if (self->chunks->older != NULL) return region_held(self);
    unsigned char *most = self->high > self->top ? self->high : self->top;
    return (size_t)(most - (unsigned char *)self->chunks);
}

/* Release all blocks, and all chunks but the first. */
static void region_reset(enzyme_py_region *self) {
    size_t used = region_used(self);
    if (used > self->need) self->need = used;
    self->high = NULL;
    region_forget_free_blocks(self);
    guard_release(&self->guarded);
    self->live = 0;
    self->root = NULL;
    self->is_kept = 0;
    chunk *kept = self->chunks;
    if (kept == NULL) return;
    while (kept->older != NULL) {
        chunk *older = kept->older;
        munmap(kept, kept->reserved);
        kept = older;
    }
    self->chunks = kept;
    self->top = (unsigned char *)kept + CHUNK_HEADER;
    self->end = kept->end;
}

static void region_shrink(enzyme_py_region *self, size_t keep) {
    if (self->chunks == NULL) return;
    chunk_shrink(self->chunks, keep);
    self->end = self->chunks->end;
}

enzyme_py_region *region_take(thread *self) {
    enzyme_py_region *region = self->spare;
    if (region == NULL) return calloc(1, sizeof *region);
    self->spare = region->below;
    return region;
}

static size_t spare_held(const thread *self) {
    size_t held = 0;
    for (const enzyme_py_region *at = self->spare; at != NULL; at = at->below) {
        held += region_held(at);
    }
    return held;
}

/* Give back what a kept region has not needed for two ages, beyond twice what it needed. */
static void region_age(enzyme_py_region *self) {
    size_t most = self->need > self->need_before ? self->need : self->need_before;
    size_t held = region_held(self);
    if (held > ALWAYS_KEPT && most < held / 4) {
        region_shrink(self, 2 * most > FIRST_STEP ? 2 * most : FIRST_STEP);
    }
    self->need_before = self->need;
    self->need = 0;
}

static uint64_t milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* An age lasts for both some closings and some time: a few large calls now and then, or many small
 * ones in between, are no reason to take memory from the system again and again. */
static void spare_age(thread *self) {
    uint64_t now = milliseconds();
    if (now - self->aged_at < self->age) return;
    self->aged_at = now;
    for (enzyme_py_region *at = self->spare; at != NULL; at = at->below) region_age(at);
}

static void give_children(thread *self, enzyme_py_region *region) {
    for (int64_t slot = 0; slot < region->child_count; slot++) {
        if (region->children[slot] != NULL) region_give(self, region->children[slot]);
    }
    free(region->children);
    region->children = NULL;
    region->child_count = 0;
}

void region_give(thread *self, enzyme_py_region *region) {
    if (region->children != NULL) give_children(self, region);
    region_reset(region);
    __atomic_store_n(&region->thread, NULL, __ATOMIC_RELAXED);
    size_t held = region_held(region);
    if (held > FIRST_STEP) {
        size_t others = spare_held(self);
        size_t room = self->keep_limit > others ? self->keep_limit - others : 0;
        if (held > room) region_shrink(region, room);
    }
    region->below = self->spare;
    self->spare = region;
    if (++self->closings % AGE_CLOSINGS == 0) spare_age(self);
}

/* -- threads ------------------------------------------------------------------------------ */

static void destroy_list(enzyme_py_region *first) {
    for (enzyme_py_region *at = first, *next; at != NULL; at = next) {
        next = at->below;
        region_destroy(at);
    }
}

static void thread_end(void *dying) {
    thread *self = dying;
    destroy_list(self->spare);
    destroy_list(self->region);
    crash_stack_give(self->signal_stack);
    free(self);
    current = NULL;
}

__attribute__((constructor)) static void prepare_thread_exit(void) {
    if (pthread_key_create(&at_thread_exit, thread_end) != 0) give_up("no thread key is left");
    const char *wish = getenv("ENZYME_PY_GUARD");
    guards = wish != NULL && strcmp(wish, "") != 0 && strcmp(wish, "0") != 0;
}

static thread *thread_begin(void) {
    thread *self = calloc(1, sizeof *self);
    if (self == NULL) return NULL;
    self->keep_limit = KEEP_LIMIT;
    self->age = AGE_MILLISECONDS;
    self->aged_at = milliseconds();
    if (pthread_setspecific(at_thread_exit, self) != 0) {
        free(self);
        return NULL;
    }
    self->signal_stack = crash_stack_take();
    return current = self;
}

thread *this_thread(void) {
    thread *self = current;
    return __builtin_expect(self != NULL, 1) ? self : thread_begin();
}

const frame *running_frame(void) { return current == NULL ? NULL : current->frame; }

int32_t guard_is_on(void) { return guards; }

/* -- blocks ------------------------------------------------------------------------------- */

/* Noted for whoever turns the status into an exception; nothing of it is known beforehand, so that
 * a request that succeeds costs nothing. */
__attribute__((cold, noinline)) static void *fail(size_t count, size_t size, const void *caller) {
    thread *self = this_thread();
    if (self != NULL && self->frame != NULL) {
        size_t total;
        bool overflows = __builtin_mul_overflow(count, size, &total) || total > ADDRESS_SPACE;
        self->failure = (enzyme_py_failure){count, size, caller, self->frame->body};
        enzyme_py_raise(overflows ? ENZYME_PY_NO_SUCH_SIZE : ENZYME_PY_NO_MEMORY, NULL);
    }
    errno = ENOMEM;
    return NULL;
}

#define CALLER __builtin_extract_return_addr(__builtin_return_address(0))

static block *unlink_free(enzyme_py_region *region, unsigned class) {
    block *found = region->free[class];
    region->free[class] = found->next;
    if (found->next == NULL) region->filled[class / 64] &= ~((uint64_t)1 << (class % 64));
    return found;
}

/* The smallest free block of a larger class, but not more than twice as large. */
static block *find_larger(enzyme_py_region *region, unsigned class) {
    for (unsigned larger = class + 1; larger <= class + 4 && larger < CLASSES; larger++) {
        if (region->free[larger] != NULL) return unlink_free(region, larger);
    }
    return NULL;
}

static block *bump(enzyme_py_region *region, unsigned class, unsigned char *place, size_t stride) {
    block *made = (block *)place;
    region->top = place + stride;
    made->class = class;
    chunk *newest = region->chunks;
    if (region->top > newest->clean) newest->clean = region->top;
    return made;
}

static bool has_room(const enzyme_py_region *region, const unsigned char *place, size_t stride) {
    return region->end - place >= (ptrdiff_t)stride; /* the place may lie beyond the end */
}

static block *grow_or_find(enzyme_py_region *region, unsigned class, unsigned char **clean) {
    block *larger = class < SMALL ? NULL : find_larger(region, class);
    if (larger != NULL) return larger;
    size_t stride = stride_of(class);
    if (!region_grow(region, stride + UNIT)) return NULL;
    *clean = region->chunks->clean;
    return bump(region, class, place_for(class, region->top), stride);
}

/* *clean: where the zero bytes of the block begin. */
static block *region_block(enzyme_py_region *region, unsigned class, unsigned char **clean) {
    *clean = (unsigned char *)UINTPTR_MAX;
    if (region->free[class] != NULL) return unlink_free(region, class);
    size_t stride = stride_of(class);
    unsigned char *place = place_for(class, region->top);
    if (__builtin_expect(!has_room(region, place, stride), 0)) {
        return grow_or_find(region, class, clean);
    }
    *clean = region->chunks->clean;
    return bump(region, class, place, stride);
}

static block *library_block(unsigned class) {
    void *start;
    if (posix_memalign(&start, UNIT, stride_of(class) + UNIT) != 0) return NULL;
    block *made = (block *)((unsigned char *)start + CHUNK_HEADER);
    made->class = class;
    return made;
}

static void count_live(thread *self, enzyme_py_region *region, size_t stride) {
    region->live += stride;
    self->live += stride;
    if (self->live > self->peak) self->peak = self->live;
}

void region_count(thread *self, enzyme_py_region *region, int64_t bytes) {
    region->live += (size_t)bytes;
    self->live += (size_t)bytes;
    if (self->live > self->peak) self->peak = self->live;
}

static void scribble(block *self) { memset(payload_of(self), 0xff, capacity_of(self)); }

static block *guarded_block(enzyme_py_region *region, size_t size, unsigned char **clean) {
    size_t bytes = sizeof(block) + size;
    size_t alignment = bytes <= SMALL * GRAIN ? GRAIN : UNIT;
    block *made = guard_take(&region->guarded, bytes, alignment, sizeof(block));
    if (made == NULL) return NULL;
    made->class = GUARDED;
    *clean = payload_of(made);
    return made;
}

static block *take_block(enzyme_py_region *region, size_t size, unsigned char **clean) {
    unsigned class = class_of(size + sizeof(block));
    if (region == NULL) return library_block(class);
    block *made = __builtin_expect(guards, 0) ? guarded_block(region, size, clean) : NULL;
    return made != NULL ? made : region_block(region, class, clean);
}

__attribute__((always_inline)) static inline void *allocate(size_t size, unsigned char **clean) {
    thread *self = this_thread();
    if (self == NULL || size > LARGEST || ++self->allocations == self->fail_at) {
        return NULL;
    }
    enzyme_py_region *region = self->region;
    block *made = take_block(region, size, clean);
    if (made == NULL) return NULL;
    made->owner = region;
    made->mark = LIVE;
    if (region != NULL) count_live(self, region, extent_of(made));
    if (__builtin_expect(self->scribbles, 0)) scribble(made);
    return payload_of(made);
}

static void lower_top(enzyme_py_region *self, block *to) {
    if (self->top > self->high) self->high = self->top;
    self->top = (unsigned char *)to;
}

/* Give a block back to where it can be taken from again. */
__attribute__((always_inline)) static inline void put_back(enzyme_py_region *owner, block *freed,
                                                           size_t stride) {
    owner->live -= stride;
    owner->thread->live -= stride;
    freed->mark = FREED;
    if ((unsigned char *)freed + stride == owner->top) {
        lower_top(owner, freed);
        return;
    }
    unsigned class = freed->class;
    freed->next = owner->free[class];
    owner->free[class] = freed;
    owner->filled[class / 64] |= (uint64_t)1 << (class % 64);
}

static void release(enzyme_py_region *owner, block *freed) {
    size_t stride = extent_of(freed);
    if (__builtin_expect(owner->thread->scribbles, 0)) scribble(freed);
    if (__builtin_expect(freed->class == GUARDED, 0)) {
        owner->live -= stride;
        owner->thread->live -= stride;
        freed->mark = FREED;
        guard_forbid(freed);
        return;
    }
    put_back(owner, freed, stride);
}

/* Any thread may ask, for any thread may free; only the one that it is open in gets a yes. */
static bool is_open_here(const enzyme_py_region *owner) {
    thread *opener = __atomic_load_n(&owner->thread, __ATOMIC_RELAXED);
    return opener != NULL && opener == current;
}

static block *checked(void *payload) {
    block *self = block_of(payload);
    if (self->mark == FREED) give_up("generated code freed a block twice");
    if (self->mark != LIVE) give_up("generated code freed what it did not allocate");
    return self;
}

/* A small block, where nothing but a region and a count is touched for it; null: `allocate` is asked.
 * Records of calls are made and freed a million times, one by one. */
__attribute__((always_inline)) static inline void *allocate_small(size_t size) {
    thread *self = current;
    if (self == NULL || size > SMALL * GRAIN - sizeof(block)) return NULL;
    enzyme_py_region *region = self->region;
    bool is_usual = region != NULL && !guards && !self->scribbles;
    if (!is_usual || self->allocations + 1 == self->fail_at) return NULL;
    unsigned class = class_of(size + sizeof(block));
    size_t stride = stride_of(class);
    block *made = region->free[class];
    if (made != NULL) {
        unlink_free(region, class);
    } else {
        if (!has_room(region, region->top, stride)) return NULL;
        made = bump(region, class, region->top, stride);
    }
    made->owner = region;
    made->mark = LIVE;
    self->allocations++;
    count_live(self, region, stride);
    return payload_of(made);
}

__attribute__((noinline)) static void *malloc_any(size_t size, const void *caller) {
    unsigned char *clean;
    void *payload = allocate(size, &clean);
    return __builtin_expect(payload != NULL, 1) ? payload : fail(1, size, caller);
}

void *enzyme_py_malloc(size_t size) {
    void *payload = allocate_small(size);
    return __builtin_expect(payload != NULL, 1) ? payload : malloc_any(size, CALLER);
}

void *enzyme_py_calloc(size_t count, size_t size) {
    size_t total;
    unsigned char *clean = (unsigned char *)UINTPTR_MAX;
    if (__builtin_mul_overflow(count, size, &total)) return fail(count, size, CALLER);
    unsigned char *payload = allocate(total, &clean);
    if (__builtin_expect(payload == NULL, 0)) return fail(count, size, CALLER);
    if (this_thread()->scribbles) clean = payload + total;
    if (payload < clean) {
        size_t dirty = (size_t)(clean - payload);
        memset(payload, 0, dirty < total ? dirty : total);
    }
    return payload;
}

__attribute__((noinline)) static void free_any(void *payload) {
    block *freed = checked(payload);
    enzyme_py_region *owner = freed->owner;
    if (owner == NULL) {
        freed->mark = FREED;
        free((unsigned char *)payload - UNIT);
    } else if (is_open_here(owner)) {
        release(owner, freed);
    }
}

void enzyme_py_free(void *payload) {
    if (payload == NULL) return;
    block *freed = block_of(payload);
    bool is_small = freed->mark == LIVE && freed->class < SMALL;
    enzyme_py_region *owner = is_small ? freed->owner : NULL;
    if (owner == NULL || !is_open_here(owner) || current->scribbles) {
        free_any(payload);
        return;
    }
    put_back(owner, freed, stride_of(freed->class));
}

/* The topmost block of a region can grow or shrink where it stands. */
static bool resize_at_top(block *self, size_t size) {
    enzyme_py_region *owner = self->owner;
    if (owner == NULL || self->class == GUARDED || !is_open_here(owner)) return false;
    size_t before = stride_of(self->class);
    if ((unsigned char *)self + before != owner->top || size > LARGEST) return false;
    unsigned class = class_of(size + sizeof(block));
    size_t after = stride_of(class);
    unsigned char *place = (unsigned char *)self;
    if (!has_room(owner, place, after) || place_for(class, place) != place) return false;
    owner->live -= before;
    owner->thread->live -= before;
    lower_top(owner, self);
    bump(owner, class, place, after);
    count_live(owner->thread, owner, after);
    return true;
}

void *enzyme_py_realloc(void *payload, size_t size) {
    unsigned char *clean;
    if (payload == NULL) {
        void *made = allocate(size, &clean);
        return made != NULL ? made : fail(1, size, CALLER);
    }
    block *self = checked(payload);
    size_t capacity = capacity_of(self);
    bool fits = size <= capacity && size >= capacity / 2;
    if (fits && self->class != GUARDED) return payload;
    if (resize_at_top(self, size)) return payload;
    void *moved = allocate(size, &clean);
    if (moved == NULL) return fail(1, size, CALLER);
    memcpy(moved, payload, size < capacity ? size : capacity);
    enzyme_py_free(payload);
    return moved;
}

/* Null for alignments that are not served, and where memory runs out. */
static void *allocate_aligned(size_t alignment, size_t size) {
    unsigned char *clean;
    if (alignment > UNIT) return NULL;
    if (alignment > GRAIN && size < SMALL * GRAIN) size = SMALL * GRAIN;
    return allocate(size, &clean);
}

void *enzyme_py_aligned_alloc(size_t alignment, size_t size) {
    void *payload = allocate_aligned(alignment, size);
    if (payload != NULL) return payload;
    if (alignment <= UNIT) return fail(1, size, CALLER);
    errno = EINVAL;
    return NULL;
}

int enzyme_py_posix_memalign(void **payload, size_t alignment, size_t size) {
    if (alignment > UNIT) return EINVAL;
    *payload = allocate_aligned(alignment, size);
    if (*payload == NULL) *payload = fail(1, size, CALLER);
    return *payload == NULL ? ENOMEM : 0;
}

/* -- looking and tuning ------------------------------------------------------------------- */

void enzyme_py_region_stats(enzyme_py_stats *stats) {
    memset(stats, 0, sizeof *stats);
    thread *self = this_thread();
    if (self == NULL) return;
    stats->held = spare_held(self);
    for (const enzyme_py_region *at = self->region; at != NULL; at = at->below) {
        stats->held += region_held(at);
        stats->regions_open++;
    }
    stats->live = self->live;
    stats->peak = self->peak;
    stats->allocations = self->allocations;
    stats->turn = self->turn;
}

void enzyme_py_last_failure(enzyme_py_failure *failure) {
    thread *self = this_thread();
    *failure = self == NULL ? (enzyme_py_failure){0} : self->failure;
}

void enzyme_py_reset_stats(void) {
    thread *self = this_thread();
    if (self == NULL) return;
    if (self->fail_at != 0) self->fail_at -= self->allocations;
    self->allocations = 0;
    self->peak = self->live;
    self->turn = 0;
}

void enzyme_py_hint_turn(void) {
    thread *self = this_thread();
    if (self != NULL) self->turn = self->live;
}

void enzyme_py_trim(void) {
    thread *self = this_thread();
    if (self == NULL) return;
    destroy_list(self->spare);
    self->spare = NULL;
}

void enzyme_py_keep_limit(size_t bytes) {
    thread *self = this_thread();
    if (self != NULL) self->keep_limit = bytes;
}

void enzyme_py_idle_after(size_t milliseconds) {
    thread *self = this_thread();
    if (self != NULL) self->age = milliseconds;
}

void enzyme_py_large(void *start, size_t bytes) {
    if (bytes < 2 * HUGE) return;
    size_t before = round_up((uintptr_t)start, page()) - (uintptr_t)start;
    ask_for_large_pages((unsigned char *)start + before, (bytes - before) / page() * page());
}

void enzyme_py_scribble(int32_t on) {
    thread *self = this_thread();
    if (self != NULL) self->scribbles = on;
}

void enzyme_py_fail_after(size_t count) {
    thread *self = this_thread();
    if (self != NULL) self->fail_at = count == 0 ? 0 : self->allocations + count;
}
