/* Exercises csrc/region.c and raise.c; `driver NAME` runs one case and exits 0 if all held. */
#define _GNU_SOURCE
#include "runtime.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(claim)                                                            \
    do {                                                                        \
        if (!(claim)) {                                                         \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #claim); \
            exit(1);                                                            \
        }                                                                       \
    } while (0)

static enzyme_py_stats stats(void) {
    enzyme_py_stats found;
    enzyme_py_region_stats(&found);
    return found;
}

static int32_t enter(void (*body)(void *)) { return enzyme_py_enter(body, NULL, NULL, 0); }

static void nothing(void *pack) { (void)pack; }

/* -- random requests, contents compared ---------------------------------------------------- */

#define SLOTS 300

static uint64_t state;

static uint64_t draw(uint64_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % below;
}

static size_t some_size(void) {
    size_t size = draw(20) == 0 ? draw(3000000) : draw(8) == 0 ? draw(40000) : draw(1200);
    return draw(30) == 0 ? 0 : size;
}

struct slot {
    unsigned char *at;
    size_t size;
    unsigned char fill;
};

static void fill(struct slot *slot) {
    slot->fill = (unsigned char)draw(256);
    memset(slot->at, slot->fill, slot->size);
}

static void check_fill(const struct slot *slot, size_t size) {
    for (size_t i = 0; i < size; i++) CHECK(slot->at[i] == slot->fill);
}

static void renew(struct slot *slot) {
    slot->size = some_size();
    if (draw(2)) {
        slot->at = enzyme_py_malloc(slot->size);
    } else {
        slot->at = enzyme_py_calloc(1, slot->size);
        for (size_t i = 0; i < slot->size; i++) CHECK(slot->at[i] == 0);
    }
    CHECK(((uintptr_t)slot->at & (slot->size > 1008 ? 63 : 15)) == 0);
    fill(slot);
}

static void resize(struct slot *slot) {
    size_t size = some_size();
    slot->at = enzyme_py_realloc(slot->at, size);
    CHECK(((uintptr_t)slot->at & (size > 1008 ? 63 : 15)) == 0);
    check_fill(slot, size < slot->size ? size : slot->size);
    slot->size = size;
    fill(slot);
}

static void random_requests(void *pack) {
    struct slot slots[SLOTS] = {{0}};
    int rounds = *(int *)pack;
    for (int i = 0; i < rounds; i++) {
        struct slot *slot = &slots[draw(SLOTS)];
        if (slot->at == NULL) {
            renew(slot);
        } else {
            check_fill(slot, slot->size);
            if (draw(3) == 0) {
                resize(slot);
            } else {
                enzyme_py_free(slot->at);
                slot->at = NULL;
            }
        }
    }
    for (int i = 0; i < SLOTS; i++) {
        if (slots[i].at != NULL) check_fill(&slots[i], slots[i].size);
        if (draw(2)) {
            enzyme_py_free(slots[i].at);
            slots[i].at = NULL;
        }
    }
    if (draw(2)) enter(nothing);
}

static void fuzz(void) {
    int rounds = 4000;
    for (state = 1; state < 6;) {
        uint64_t seed = state;
        CHECK(enzyme_py_enter(random_requests, &rounds, NULL, 0) == 0);
        CHECK(stats().live == 0 && stats().regions_open == 0);
        state = seed + 1;
    }
}

static void fuzz_without_region(void) {
    state = 7;
    struct slot slot;
    for (int i = 0; i < 2000; i++) {
        renew(&slot);
        resize(&slot);
        enzyme_py_free(slot.at);
    }
    CHECK(stats().held == 0);
}

static void fuzz_tape(void) {
    int rounds = 2000;
    enzyme_py_region *tape = enzyme_py_tape_new();
    for (state = 11; state < 14;) {
        uint64_t seed = state;
        CHECK(enzyme_py_enter_tape(tape, random_requests, &rounds, NULL) == 0);
        CHECK(enzyme_py_tape_bytes(tape) > 0 && stats().live == 0);
        state = seed + 1;
    }
    enzyme_py_tape_free(tape);
    enzyme_py_tape_free(NULL);
}

/* -- memory is kept, reused and given back ------------------------------------------------- */

static void remember_first(void *pack) {
    void **found = pack;
    found[0] = enzyme_py_malloc(1000);
    memset(found[0], 0xff, 1000);
    unsigned char *zeroed = enzyme_py_calloc(100, 100);
    for (int i = 0; i < 10000; i++) CHECK(zeroed[i] == 0);
    memset(zeroed, 0xff, 10000);
}

static void kept(void) {
    void *found[2];
    enzyme_py_enter(remember_first, &found[0], NULL, 0);
    size_t held = stats().held;
    CHECK(held > 0 && stats().live == 0);
    enzyme_py_enter(remember_first, &found[1], NULL, 0);
    CHECK(found[0] == found[1] && stats().held == held);
    enzyme_py_trim();
    CHECK(stats().held == 0);
}

static void take_much(void *pack) {
    size_t size = (size_t)48 << 20;
    for (int i = 0; i < 3; i++) memset(enzyme_py_malloc(size), 1, size);
    *(size_t *)pack = stats().held;
}

static void given_back(void) {
    size_t most, limit = (size_t)8 << 20;
    enzyme_py_keep_limit(limit);
    for (int i = 0; i < 3; i++) {
        CHECK(enzyme_py_enter(take_much, &most, NULL, 0) == 0);
        CHECK(most >= (size_t)144 << 20);
        CHECK(stats().held <= limit + ((size_t)1 << 20));
    }
    void *found;
    enzyme_py_enter(remember_first, &found, NULL, 0);
}

/* -- small blocks are small, untouched ones cost nothing ------------------------------------ */

static void many_small(void *pack) {
    (void)pack;
    enzyme_py_reset_stats();
    unsigned char *before = enzyme_py_malloc(64);
    for (int i = 0; i < 1000; i++) {
        unsigned char *next = enzyme_py_malloc(64);
        CHECK(next - before == 80);
        before = next;
    }
    CHECK(stats().live == 1001 * 80);
    enzyme_py_free(before);
    CHECK(enzyme_py_malloc(8) == before); /* at the top, memory goes back under the pointer */
    CHECK(stats().live == 1000 * 80 + 32);
}

static void mixed_sizes_at_the_top(void *pack) {
    (void)pack;
    size_t held = stats().held;
    for (int i = 0; i < 100000; i++) {
        void *small = enzyme_py_malloc(24 + i % 400), *large = enzyme_py_malloc(1100 + i % 3000);
        CHECK(((uintptr_t)large & 63) == 0);
        enzyme_py_free(i % 2 ? small : large);
        enzyme_py_free(i % 2 ? large : small);
    }
    CHECK(stats().held <= held + ((size_t)1 << 20));
}

static void aligned(void *pack) {
    (void)pack;
    for (size_t alignment = 1; alignment <= 64; alignment *= 2) {
        void *at;
        enzyme_py_malloc(16);
        CHECK(((uintptr_t)enzyme_py_aligned_alloc(alignment, 40) & (alignment - 1)) == 0);
        enzyme_py_malloc(16);
        CHECK(enzyme_py_posix_memalign(&at, alignment, 8) == 0);
        CHECK(((uintptr_t)at & (alignment - 1)) == 0);
    }
    CHECK(enzyme_py_aligned_alloc(128, 8) == NULL);
}

static void compact(void) {
    CHECK(enter(many_small) == 0);
    CHECK(enter(mixed_sizes_at_the_top) == 0);
    CHECK(enter(aligned) == 0);
}

static size_t resident(void) { /* 0 where the system does not say */
    FILE *file = fopen("/proc/self/statm", "r");
    unsigned long all = 0, in_memory = 0;
    if (file == NULL) return 0;
    if (fscanf(file, "%lu %lu", &all, &in_memory) != 2) in_memory = 0;
    fclose(file);
    return (size_t)in_memory * (size_t)sysconf(_SC_PAGESIZE);
}

static void zeros_untouched(void *pack) {
    size_t before = resident(), size = (size_t)32 << 20;
    unsigned char *zeros[8];
    for (int i = 0; i < 8; i++) zeros[i] = enzyme_py_calloc(1, size);
    *(size_t *)pack = resident() - before;
    for (int i = 0; i < 8; i++) CHECK(zeros[i][size / 2] == 0);
}

static void untouched(void) {
    size_t taken;
    for (int i = 0; i < 2; i++) {
        CHECK(enzyme_py_enter(zeros_untouched, &taken, NULL, 0) == 0);
        enzyme_py_trim();
    }
    CHECK(taken <= (size_t)9 * (2 << 20)); /* headers, on the largest of pages */
}

/* -- what is not needed goes back ------------------------------------------------------------ */

static void take(void *pack) { memset(enzyme_py_malloc(*(size_t *)pack), 1, *(size_t *)pack); }

static void call(size_t size, int times) {
    for (int i = 0; i < times; i++) CHECK(enzyme_py_enter(take, &size, NULL, 0) == 0);
}

static void idle(void) {
    size_t large = (size_t)100 << 20, small = (size_t)3 << 20;
    enzyme_py_idle_after(0); /* an age is 64 closings */
    call(large, 1);
    size_t held = stats().held, before = resident();
    CHECK(held >= large);
    call(small, 64); /* the large one was in this age */
    CHECK(stats().held == held);
    call(small, 64);
    CHECK(stats().held == held);
    call(small, 64);
    CHECK(stats().held >= small && stats().held <= 4 * small);
    CHECK(before == 0 || resident() + large / 2 < before);
    held = stats().held;
    call(small, 1000);
    CHECK(stats().held == held); /* and there it stays */
    call(large, 1);
    held = stats().held;
    for (int i = 0; i < 20; i++) { /* now and then is often enough */
        call(large, 1);
        call(small, 60);
        CHECK(stats().held == held);
    }
    enzyme_py_idle_after(60000);
    call(small, 1000); /* many calls in no time are no age */
    CHECK(stats().held == held);
}

static void nest(void *pack) {
    size_t size = (size_t)50 << 20;
    call(size, 1);
    (void)pack;
}

static void idle_below(void) {
    size_t small = 1000;
    enzyme_py_idle_after(0);
    CHECK(enter(nest) == 0);
    CHECK(stats().held >= (size_t)50 << 20);
    call(small, 200); /* the inner region lies unused beneath */
    CHECK(stats().held <= (size_t)8 << 20);
}

static void scribbled(void *pack) {
    (void)pack;
    double *found = enzyme_py_malloc(80), *zeros = enzyme_py_calloc(10, 8);
    CHECK(found[0] != found[0] && found[9] != found[9]);
    CHECK(zeros[0] == 0 && zeros[9] == 0);
    zeros[3] = 1;
    enzyme_py_free(found);
    CHECK(found[5] != found[5]);
    enzyme_py_free(zeros);
    zeros = enzyme_py_calloc(10, 8);
    for (int i = 0; i < 10; i++) CHECK(zeros[i] == 0);
}

static void scribbling(void) {
    enzyme_py_scribble(1);
    for (int i = 0; i < 3; i++) CHECK(enter(scribbled) == 0);
    enzyme_py_scribble(0);
}

static void many_temporaries(void *pack) {
    (void)pack;
    for (int i = 0; i < 100000; i++) {
        void *a = enzyme_py_malloc(80000), *b = enzyme_py_malloc(40000);
        enzyme_py_free(a);
        enzyme_py_free(b);
    }
    CHECK(stats().peak < 200000 && stats().held <= (size_t)2 << 20);
    CHECK(stats().allocations == 200000);
}

static void grow_by_appending(void *pack) {
    (void)pack;
    unsigned char *list = NULL;
    for (size_t size = 1; size < ((size_t)64 << 20); size += size / 8 + 1) {
        list = enzyme_py_realloc(list, size);
        list[size - 1] = 1;
    }
    CHECK(stats().held <= (size_t)256 << 20);
}

static void temporaries(void) {
    enzyme_py_reset_stats();
    CHECK(enter(many_temporaries) == 0);
    CHECK(enter(grow_by_appending) == 0);
}

static void beyond_the_address_limit(void *pack) {
    (void)pack;
    for (int i = 0; i < 100; i++) memset(enzyme_py_malloc(1 << 20), 1, 1 << 20);
}

static void address_limit(void) {
    struct rlimit limit = {(rlim_t)400 << 20, (rlim_t)400 << 20};
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
    for (int i = 0; i < 3; i++) CHECK(enter(beyond_the_address_limit) == 0);
    size_t most;
    for (int i = 0; i < 3; i++) {
        CHECK(enzyme_py_enter(take_much, &most, NULL, 0) == 0);
    }
}

/* -- raising ------------------------------------------------------------------------------- */

static int trace;

static void raise_seven(void *pack) {
    enzyme_py_malloc(100);
    enzyme_py_raise(7, pack);
}

static void keep_one(void *pack) { enzyme_py_enter(nothing, pack, NULL, 1); }

static void nest_and_raise(void *pack) {
    void *inner = NULL;
    size_t open = stats().regions_open;
    CHECK(enzyme_py_enter(raise_seven, &trace, &inner, 1) == 7);
    CHECK(inner == &trace && stats().regions_open == open);
    CHECK(enzyme_py_enter(keep_one, NULL, NULL, 0) == 0);
    CHECK(stats().regions_open == open);
    keep_one(NULL);
    keep_one(NULL);
    CHECK(stats().regions_open == open + 2);
    enzyme_py_raise(9, pack);
}

static void raising(void) {
    void *excinfo = NULL;
    for (int i = 0; i < 1000; i++) {
        CHECK(enzyme_py_enter(nest_and_raise, &excinfo, &excinfo, i % 2) == 9);
        CHECK(excinfo == &excinfo && stats().regions_open == 0 && stats().live == 0);
    }
    CHECK(enter(raise_seven) == 7); /* excinfo may be null */
}

static void write_result(void *pack) { *(double **)pack = enzyme_py_calloc(4, sizeof(double)); }

static void keep(void) {
    double *outer, *inner;
    CHECK(enzyme_py_enter(write_result, &outer, NULL, 1) == 0);
    outer[3] = 3;
    CHECK(enzyme_py_enter(write_result, &inner, NULL, 1) == 0);
    inner[3] = 4;
    CHECK(stats().regions_open == 2 && outer[3] == 3 && outer != inner);
    enzyme_py_leave();
    CHECK(stats().regions_open == 1 && outer[3] == 3);
    enzyme_py_leave();
    enzyme_py_leave(); /* one too many */
    CHECK(stats().regions_open == 0);
}

static void leave_inside(void *pack) {
    double *mine = enzyme_py_malloc(8);
    *mine = 5;
    enzyme_py_leave(); /* nothing is kept: the region of this very entry stays */
    CHECK(stats().regions_open == 1 && *mine == 5);
    (void)pack;
}

static void leave_is_no_exit(void) { CHECK(enter(leave_inside) == 0); }

/* -- running out --------------------------------------------------------------------------- */

static void ask_three(void *pack) {
    for (int i = 0; i < 3; i++) enzyme_py_malloc(10);
    *(int *)pack = 1;
}

static void overflow(void *pack) {
    (void)pack;
    enzyme_py_calloc(SIZE_MAX / 2, 3);
}

static void too_large(void *pack) {
    (void)pack;
    enzyme_py_malloc(SIZE_MAX - 8);
}

static void larger_than_any_machine(void *pack) {
    (void)pack;
    enzyme_py_malloc((size_t)1 << 46);
}

static void exhaustion(void) {
    for (int nth = 1; nth <= 4; nth++) {
        int done = 0;
        void *excinfo = &done;
        enzyme_py_fail_after(nth);
        int32_t status = enzyme_py_enter(ask_three, &done, &excinfo, 0);
        CHECK(status == (nth <= 3 ? ENZYME_PY_NO_MEMORY : 0) && done == (nth > 3));
        CHECK(nth > 3 || excinfo == NULL);
        CHECK(stats().regions_open == 0);
    }
    enzyme_py_fail_after(0);
    enzyme_py_failure last;
    CHECK(enter(overflow) == ENZYME_PY_NO_SUCH_SIZE);
    enzyme_py_last_failure(&last);
    CHECK(last.count == SIZE_MAX / 2 && last.size == 3 && last.body == overflow);
    CHECK(enter(too_large) == ENZYME_PY_NO_SUCH_SIZE);
    enzyme_py_last_failure(&last);
    CHECK(last.count == 1 && last.size == SIZE_MAX - 8 && last.body == too_large);
    CHECK(enter(larger_than_any_machine) == ENZYME_PY_NO_MEMORY);
    enzyme_py_last_failure(&last);
    CHECK(last.size == (size_t)1 << 46 && last.caller != NULL);
    CHECK(enzyme_py_malloc(SIZE_MAX - 8) == NULL); /* no frame: as malloc would */
    CHECK(enzyme_py_calloc(SIZE_MAX / 2, 3) == NULL);
    CHECK(enzyme_py_aligned_alloc(128, 1) == NULL);
}

static void really_exhaust(void *pack) {
    (void)pack;
    for (;;) enzyme_py_malloc((size_t)1 << 30);
}

static void real_exhaustion(void) {
    struct rlimit limit = {(rlim_t)2 << 30, (rlim_t)2 << 30};
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
    for (int i = 0; i < 3; i++) CHECK(enter(really_exhaust) == ENZYME_PY_NO_MEMORY);
    CHECK(enter(nothing) == 0 && stats().live == 0);
}

static void realloc_keeps_on_failure(void *pack) {
    (void)pack;
    char *block = enzyme_py_malloc(100);
    strcpy(block, "here");
    enzyme_py_malloc(1); /* not the topmost any more */
    enzyme_py_fail_after(1);
    enzyme_py_realloc(block, 100000);
}

static void realloc_failure(void) {
    CHECK(enter(realloc_keeps_on_failure) == ENZYME_PY_NO_MEMORY);
    enzyme_py_fail_after(0);
    CHECK(enter(nothing) == 0);
}

/* -- tapes --------------------------------------------------------------------------------- */

static void record(void *pack) {
    double *values = enzyme_py_malloc(100 * sizeof *values);
    for (int i = 0; i < 100; i++) values[i] = i;
    enzyme_py_tape_set_root(pack, values);
    CHECK(enzyme_py_enter_tape(pack, nothing, NULL, NULL) == ENZYME_PY_BUSY);
}

static void replay(void *pack) {
    double *values = enzyme_py_tape_root(pack);
    for (int i = 0; i < 100; i++) CHECK(values[i] == i);
    enter(nothing);
    enzyme_py_free(values);
}

static void *replay_elsewhere(void *tape) {
    CHECK(enzyme_py_enter_tape(tape, replay, tape, NULL) == 0);
    CHECK(stats().live == 0);
    return NULL;
}

static void in_thread(void *(*body)(void *), void *argument) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, body, argument) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
}

static void tapes(void) {
    for (int i = 0; i < 100; i++) {
        enzyme_py_region *tape = enzyme_py_tape_new();
        CHECK(enzyme_py_tape_root(tape) == NULL && enzyme_py_tape_bytes(tape) == 0);
        CHECK(enzyme_py_enter_tape(tape, record, tape, NULL) == 0);
        CHECK(enzyme_py_tape_bytes(tape) >= 800 && stats().live == 0);
        enter(nothing);
        void *excinfo = NULL;
        CHECK(enzyme_py_enter_tape(tape, raise_seven, &trace, &excinfo) == 7);
        CHECK(excinfo == &trace);
        if (i % 2) {
            in_thread(replay_elsewhere, tape);
        } else {
            CHECK(enzyme_py_enter_tape(tape, replay, tape, NULL) == 0);
        }
        CHECK(enzyme_py_tape_bytes(tape) < 800);
        enzyme_py_tape_free(tape);
    }
    CHECK(stats().held <= (size_t)4 << 20); /* freed tapes are used again */
}

/* One at a time, whoever asks; the others are told to come again. */

static void count_entry(void *tape) {
    int *count = enzyme_py_tape_root(tape);
    ++*count;
    memset(enzyme_py_malloc(200), 1, 200);
}

static void *enter_often(void *tape) {
    for (int entered = 0; entered < 1000;) {
        int32_t status = enzyme_py_enter_tape(tape, count_entry, tape, NULL);
        CHECK(status == 0 || status == ENZYME_PY_BUSY);
        entered += status == 0;
        if (status != 0) sched_yield();
    }
    return NULL;
}

static void contended_tape(void) {
    pthread_t running[4];
    int count = 0;
    enzyme_py_region *tape = enzyme_py_tape_new();
    enzyme_py_tape_set_root(tape, &count);
    for (int i = 0; i < 4; i++) pthread_create(&running[i], NULL, enter_often, tape);
    for (int i = 0; i < 4; i++) pthread_join(running[i], NULL);
    CHECK(count == 4 * 1000);
    enzyme_py_tape_free(tape);
}

/* -- threads and fork ---------------------------------------------------------------------- */

static void *raise_in_thread(void *seed) {
    for (int i = 0; i < 20; i++) {
        void *excinfo;
        CHECK(enzyme_py_enter(nest_and_raise, seed, &excinfo, 0) == 9 && excinfo == seed);
        CHECK(enzyme_py_enter(write_result, &excinfo, NULL, 1) == 0); /* left open at the end */
    }
    return NULL;
}

static void threads(void) {
    pthread_t running[8];
    for (int round = 0; round < 5; round++) {
        for (int i = 0; i < 8; i++) pthread_create(&running[i], NULL, raise_in_thread, &trace);
        for (int i = 0; i < 8; i++) pthread_join(running[i], NULL);
    }
}

static void *free_it(void *block) {
    enzyme_py_free(block);
    return NULL;
}

static void free_from_elsewhere(void *pack) {
    (void)pack;
    size_t before = stats().live;
    double *block = enzyme_py_malloc(80);
    in_thread(free_it, block);
    CHECK(stats().live > before); /* it stays, until the region goes */
    *block = 1;
    enzyme_py_free(block);
    CHECK(stats().live == before);
}

static void foreign_thread(void) {
    CHECK(enter(free_from_elsewhere) == 0);
    void *block = enzyme_py_malloc(80); /* from the C library: any thread may free it */
    in_thread(free_it, block);
}

static void fork_inside(void *pack) {
    double *block = enzyme_py_malloc(80);
    *block = 2;
    pid_t child = fork();
    if (child == 0) {
        CHECK(*block == 2);
        enzyme_py_free(block);
        CHECK(enter(nest_and_raise) == 9);
        enzyme_py_raise(5, pack);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 55);
    CHECK(*block == 2);
}

static void forking(void) {
    int32_t status = enter(fork_inside);
    if (status == 5) _exit(55);
    CHECK(status == 0);
}

/* -- what must end the process -------------------------------------------------------------- */

static void free_twice(void *pack) {
    (void)pack;
    char *block = enzyme_py_malloc(10), *other = enzyme_py_malloc(10);
    enzyme_py_free(block);
    enzyme_py_free(block);
    enzyme_py_free(other);
}

static void free_foreign(void *pack) {
    (void)pack;
    char *block = enzyme_py_calloc(1, 1000);
    enzyme_py_free(block + 128);
}

static void die_free_twice(void) { enter(free_twice); }
static void die_free_foreign(void) { enter(free_foreign); }
static void die_raise(void) { enzyme_py_raise(1, NULL); }

/* -- what only the guarded form notices, and where it happens ---------------------------------- */

static void overrun(void *pack) {
    (void)pack;
    volatile double *block = enzyme_py_malloc(1000 * sizeof *block);
    for (int i = 0; i <= 1000; i++) block[i] = i;
}

static void overrun_a_little(void *pack) {
    (void)pack;
    volatile double *block = enzyme_py_calloc(3, sizeof *block);
    block[3] = 1.0; /* still in the step of 16 bytes */
}

static void use_after_free(void *pack) {
    double *volatile block = enzyme_py_malloc(80);
    enzyme_py_free(block);
    *(volatile double *)pack = block[2];
}

static void die_overrun(void) { enter(overrun); }
static void die_overrun_a_little(void) { enter(overrun_a_little); }
static void die_use_after_free(void) {
    double seen;
    enzyme_py_enter(use_after_free, &seen, NULL, 0);
}

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
    {"fuzz", fuzz},
    {"fuzz_without_region", fuzz_without_region},
    {"fuzz_tape", fuzz_tape},
    {"kept", kept},
    {"given_back", given_back},
    {"temporaries", temporaries},
    {"compact", compact},
    {"untouched", untouched},
    {"idle", idle},
    {"idle_below", idle_below},
    {"scribbling", scribbling},
    {"address_limit", address_limit},
    {"raising", raising},
    {"keep", keep},
    {"leave_is_no_exit", leave_is_no_exit},
    {"exhaustion", exhaustion},
    {"real_exhaustion", real_exhaustion},
    {"realloc_failure", realloc_failure},
    {"tapes", tapes},
    {"contended_tape", contended_tape},
    {"threads", threads},
    {"foreign_thread", foreign_thread},
    {"forking", forking},
    {"die_free_twice", die_free_twice},
    {"die_free_foreign", die_free_foreign},
    {"die_raise", die_raise},
    {"die_overrun", die_overrun},
    {"die_overrun_a_little", die_overrun_a_little},
    {"die_use_after_free", die_use_after_free},
};

int main(int count, char **arguments) {
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (count == 2 && strcmp(arguments[1], cases[i].name) == 0) {
            cases[i].run();
            return 0;
        }
        if (count == 1) puts(cases[i].name);
    }
    return count == 1 ? 0 : 2;
}
