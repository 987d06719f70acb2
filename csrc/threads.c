/* A pool of threads that run the parts of a loop; runtime.h states the contract.
 *
 * One fork at a time has the pool: who finds it taken, or is a part of a fork itself, runs its parts
 * one after the other. A worker waits for a job of its own, awake for a little while, then asleep.
 * The caller wakes two of those that sleep, each of which wakes two more, as in a heap: for one
 * thread to wake fifteen takes longer than many a loop.
 * All parts of a slot run below one frame; a raise ends the slot, whose later parts have higher numbers.
 */
#define _GNU_SOURCE
#include "region.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MOST_WORKERS 255
#define AWAKE 50000 /* nanoseconds before a thread goes to sleep: what it may take to wake it */
#define LOOKS 32    /* between two looks at the clock: a pause takes 10 to 140 cycles */
#define MANY_BYTES ((size_t)4 << 20) /* zeros that several threads write */
#define PAGE ((uintptr_t)4096)

typedef struct job job;

struct slot {
    job *job;
    int64_t number;
    int64_t part; /* that runs, or ran last */
    int32_t status;
    void *excinfo;
    enzyme_py_failure failure;
};

struct job {
    void (*task)(void *, int64_t);
    void *pack;
    int64_t count, threads, parts;
    void (*origin)(void *);
    enzyme_py_region *region; /* of the caller; null: the parts neither ask for memory nor raise */
    _Atomic int64_t lowest;   /* the lowest part that raised */
    _Atomic int64_t running;  /* workers that are not done */
    struct slot *slots;
};

struct worker {
    _Atomic(struct slot *) given;
    _Atomic int sleeps;
    pthread_mutex_t lock;
    pthread_cond_t wake;
};

static struct worker workers[MOST_WORKERS];
static int64_t worker_count;
static atomic_flag taken = ATOMIC_FLAG_INIT;
static pthread_mutex_t done_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;

static int64_t (*_Atomic asked)(void);
static _Atomic int64_t standard = 1, set_threads, set_parts, fork_count;

static void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static int64_t nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Whether it is time to sleep, for one who has looked so often since `begin`. */
static bool is_tired(int64_t looks, int64_t *begin) {
    relax();
    if (looks == 0) *begin = nanoseconds();
    return looks % LOOKS == LOOKS - 1 && nanoseconds() - *begin > AWAKE;
}

/* -- a slot ------------------------------------------------------------------------------- */

static void run_parts(void *given) {
    struct slot *self = given;
    job *own = self->job;
    for (self->part = self->number; self->part < own->count; self->part += own->threads) {
        if (self->part > atomic_load_explicit(&own->lowest, memory_order_relaxed)) return;
        own->task(own->pack, self->part);
    }
}

static void run_slot(thread *self, struct slot *slot) {
    job *own = slot->job;
    int64_t before = self->parts;
    self->parts = own->parts;
    slot->status = frame_run(self, run_parts, slot, own->origin, &slot->excinfo);
    self->parts = before;
    if (slot->status == ENZYME_PY_OK) return;
    slot->failure = self->failure;
    int64_t lowest = atomic_load(&own->lowest);
    while (slot->part < lowest && !atomic_compare_exchange_weak(&own->lowest, &lowest, slot->part)) {
    }
}

static void run_slot_of_worker(struct slot *slot) {
    if (slot->job->region == NULL) {
        run_parts(slot);
        return;
    }
    thread *self = this_thread();
    enzyme_py_region *region = slot->job->region->children[slot->number];
    if (self == NULL) {
        slot->status = ENZYME_PY_NO_MEMORY;
        slot->part = slot->number;
        atomic_store(&slot->job->lowest, 0);
        return;
    }
    __atomic_store_n(&region->thread, self, __ATOMIC_RELAXED);
    region_open(self, region);
    run_slot(self, slot);
    while (self->region != region) region_give(self, region_pop(self)); /* left open by a raise */
    region_pop(self);
    __atomic_store_n(&region->thread, NULL, __ATOMIC_RELAXED);
}

/* -- workers ------------------------------------------------------------------------------ */

static struct slot *wait_for_slot(struct worker *self) {
    int64_t begin = 0;
    for (int64_t looks = 0; !is_tired(looks, &begin); looks++) {
        if (atomic_load_explicit(&self->given, memory_order_acquire) != NULL) break;
    }
    if (atomic_load(&self->given) == NULL) {
        pthread_mutex_lock(&self->lock);
        atomic_store(&self->sleeps, 1);
        while (atomic_load(&self->given) == NULL) pthread_cond_wait(&self->wake, &self->lock);
        atomic_store(&self->sleeps, 0);
        pthread_mutex_unlock(&self->lock);
    }
    return atomic_load(&self->given);
}

static void wake(struct worker *self) {
    if (!atomic_load(&self->sleeps)) return;
    pthread_mutex_lock(&self->lock);
    pthread_cond_signal(&self->wake);
    pthread_mutex_unlock(&self->lock);
}

/* Wake whom it falls to slot `number` to wake; all slots were given before. Nobody who runs is missed: who goes to sleep
 * says so, and looks once more. */
static void wake_next(const job *own, int64_t number) {
    for (int64_t next = 2 * number + 1; next <= 2 * number + 2 && next < own->threads; next++) {
        wake(&workers[next - 1]);
    }
}

static void *work(void *given) {
    struct worker *self = given;
    for (;;) {
        struct slot *slot = wait_for_slot(self);
        job *own = slot->job;
        wake_next(own, slot->number);
        run_slot_of_worker(slot);
        atomic_store(&self->given, NULL); /* before the caller may give another one */
        if (atomic_fetch_sub(&own->running, 1) == 1) {
            pthread_mutex_lock(&done_lock);
            pthread_cond_signal(&done);
            pthread_mutex_unlock(&done_lock);
        }
    }
    return NULL;
}

/* Signals are for the threads that were there before; but for faults, which hit who commits them. */
static bool start_worker(struct worker *self) {
    pthread_t started;
    pthread_attr_t detached;
    sigset_t blocked, before;
    atomic_store(&self->given, NULL);
    atomic_store(&self->sleeps, 0);
    pthread_mutex_init(&self->lock, NULL);
    pthread_cond_init(&self->wake, NULL);
    sigfillset(&blocked);
    const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigdelset(&blocked, faults[i]);
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    bool is_started = pthread_create(&started, &detached, work, self) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&detached);
    return is_started;
}

static void wait_for_workers(job *own) {
    int64_t begin = 0;
    for (int64_t looks = 0; !is_tired(looks, &begin); looks++) {
        if (atomic_load_explicit(&own->running, memory_order_acquire) == 0) return;
    }
    pthread_mutex_lock(&done_lock);
    while (atomic_load(&own->running) != 0) pthread_cond_wait(&done, &done_lock);
    pthread_mutex_unlock(&done_lock);
}

/* -- forks -------------------------------------------------------------------------------- */

static int64_t threads_wanted(void) {
    int64_t (*ask)(void) = atomic_load(&asked);
    int64_t wanted = atomic_load(&set_threads);
    if (wanted <= 0) wanted = ask == NULL ? atomic_load(&standard) : ask();
    return wanted < 1 ? 1 : wanted > MOST_WORKERS + 1 ? MOST_WORKERS + 1 : wanted;
}

int64_t enzyme_py_parts(void) {
    thread *self = this_thread();
    if (self != NULL && self->parts != 0) return self->parts; /* as the caller of the fork would */
    int64_t set = atomic_load(&set_parts);
    return set > 0 ? set : threads_wanted();
}

static bool has_children(thread *self, enzyme_py_region *region, int64_t threads) {
    if (region->child_count < threads) {
        enzyme_py_region **more = realloc(region->children, (size_t)threads * sizeof *more);
        if (more == NULL) return false;
        for (int64_t slot = region->child_count; slot < threads; slot++) more[slot] = NULL;
        region->children = more;
        region->child_count = threads;
    }
    for (int64_t slot = 1; slot < threads; slot++) {
        if (region->children[slot] == NULL) region->children[slot] = region_take(self);
        if (region->children[slot] == NULL) return false;
    }
    return true;
}

static int64_t live_in_children(const enzyme_py_region *region, int64_t threads) {
    int64_t live = 0;
    for (int64_t slot = 1; slot < threads; slot++) live += (int64_t)region->children[slot]->live;
    return live;
}

static int64_t workers_for(int64_t threads) {
    while (worker_count < threads - 1 && start_worker(&workers[worker_count])) worker_count++;
    return worker_count + 1 < threads ? worker_count + 1 : threads;
}

static void raise_lowest(thread *self, const job *own) {
    const struct slot *first = NULL;
    for (int64_t slot = 0; slot < own->threads; slot++) {
        const struct slot *one = &own->slots[slot];
        if (one->status == ENZYME_PY_OK) continue;
        if (first == NULL || one->part < first->part) first = one;
    }
    if (first == NULL) return;
    self->failure = first->failure;
    enzyme_py_raise(first->status, first->excinfo);
}

static void give_slots(job *own) {
    for (int64_t slot = 0; slot < own->threads; slot++) {
        own->slots[slot] = (struct slot){.job = own, .number = slot};
    }
    /* From the last one: who has a slot may count on those that it wakes to have theirs. */
    for (int64_t slot = own->threads - 1; slot > 0; slot--) {
        atomic_store(&workers[slot - 1].given, &own->slots[slot]);
    }
    wake_next(own, 0);
}

static void run_job(thread *self, job *own) {
    int64_t before = live_in_children(own->region, own->threads);
    give_slots(own);
    run_slot(self, &own->slots[0]);
    wait_for_workers(own);
    while (self->region != own->region) region_give(self, region_pop(self));
    region_count(self, own->region, live_in_children(own->region, own->threads) - before);
    atomic_fetch_add_explicit(&fork_count, 1, memory_order_relaxed);
}

/* Whether the parts ran on several threads. */
static bool forked(thread *self, void (*task)(void *, int64_t), void *pack, int64_t count) {
    if (self == NULL || self->parts != 0 || self->region == NULL || self->frame == NULL) return false;
    int64_t threads = threads_wanted();
    if (threads > count) threads = count;
    if (threads < 2 || atomic_flag_test_and_set_explicit(&taken, memory_order_acquire)) return false;
    threads = workers_for(threads);
    bool is_ready = threads >= 2 && has_children(self, self->region, threads);
    struct slot slots[MOST_WORKERS + 1];
    job own = {.task = task, .pack = pack, .count = count, .threads = threads,
               .origin = self->frame->body, .region = self->region, .lowest = INT64_MAX,
               .running = threads - 1, .slots = slots};
    if (is_ready) {
        int64_t set = atomic_load(&set_parts);
        own.parts = set > 0 ? set : threads_wanted();
        run_job(self, &own);
    }
    atomic_flag_clear_explicit(&taken, memory_order_release);
    if (is_ready) raise_lowest(self, &own);
    return is_ready;
}

void enzyme_py_fork(void (*task)(void *, int64_t), void *pack, int64_t count) {
    if (count > 1 && forked(this_thread(), task, pack, count)) return;
    for (int64_t part = 0; part < count; part++) task(pack, part);
}

/* -- zeros -------------------------------------------------------------------------------- */

struct zeros {
    uintptr_t start, end, step;
};

static void zero_part(void *given, int64_t part) {
    const struct zeros *all = given;
    uintptr_t start = part == 0 ? all->start : (all->start + (uintptr_t)part * all->step) & ~(PAGE - 1);
    uintptr_t end = (all->start + (uintptr_t)(part + 1) * all->step) & ~(PAGE - 1);
    if (end > all->end) end = all->end;
    if (start < end) memset((void *)start, 0, end - start);
}

/* Whether several threads have written the zeros. */
static bool zeroed(void *start, size_t bytes) {
    thread *self = this_thread();
    if (self == NULL || self->parts != 0) return false;
    int64_t threads = threads_wanted();
    if (threads < 2 || atomic_flag_test_and_set_explicit(&taken, memory_order_acquire)) return false;
    threads = workers_for(threads);
    bool is_ready = threads >= 2;
    if (is_ready) {
        uintptr_t from = (uintptr_t)start;
        /* A page more for each part, so that the last one, which begins at a page, reaches the end. */
        struct zeros all = {from, from + bytes, bytes / (size_t)threads + PAGE};
        struct slot slots[MOST_WORKERS + 1];
        job own = {.task = zero_part, .pack = &all, .count = threads, .threads = threads,
                   .lowest = INT64_MAX, .running = threads - 1, .slots = slots};
        give_slots(&own);
        run_parts(&slots[0]);
        wait_for_workers(&own);
    }
    atomic_flag_clear_explicit(&taken, memory_order_release);
    return is_ready;
}

void enzyme_py_zeros(void *start, size_t bytes) {
    enzyme_py_large(start, bytes);
    if (bytes < MANY_BYTES || !zeroed(start, bytes)) memset(start, 0, bytes);
}

void enzyme_py_threads(int64_t (*from)(void), int64_t usual, int64_t threads, int64_t parts) {
    atomic_store(&asked, from);
    atomic_store(&standard, usual);
    atomic_store(&set_threads, threads);
    atomic_store(&set_parts, parts);
}

int64_t enzyme_py_fork_count(void) { return atomic_load(&fork_count); }

/* The workers are not there in the child; what they held is never freed. */
static void forget_workers(void) {
    worker_count = 0;
    atomic_flag_clear(&taken);
    pthread_mutex_init(&done_lock, NULL);
    pthread_cond_init(&done, NULL);
}

__attribute__((constructor)) static void watch_fork(void) {
    pthread_atfork(NULL, NULL, forget_workers);
}
