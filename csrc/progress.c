/* See progress.h. Times are nanoseconds of a clock that nobody sets. */
#define _GNU_SOURCE
#include "progress.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define ERASE "\r\033[K"
#define SECOND 1000000000

enum { NOTHING, ONE_LINE, PLAIN_LINES };

static _Atomic int32_t shown_how;
static _Atomic int64_t patience, every;
static _Atomic int64_t last;      /* when something was drawn */
static _Atomic int32_t is_drawn;  /* a line that has to be taken away */

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * SECOND + time.tv_nsec;
}

void enzyme_py_show_counts(int32_t how, int64_t wait, int64_t apart) {
    atomic_store(&patience, wait * (SECOND / 1000));
    atomic_store(&every, apart * (SECOND / 1000));
    atomic_store(&shown_how, how);
}

int64_t enzyme_py_count_begin(void) {
    return atomic_load_explicit(&shown_how, memory_order_relaxed) == NOTHING ? 0 : now();
}

/* The program's errno is not ours to change; and nobody may be there to read. */
static void put(const char *text, int size) {
    int before = errno;
    if (write(STDERR_FILENO, text, (size_t)size) < 0)
        atomic_store(&shown_how, NOTHING);
    errno = before;
}

static void draw(int how, int64_t took, int64_t kind, int64_t done, int64_t total) {
    static const char *const kinds[] = {"columns", "rows", "products"};
    char text[160];
    int64_t left = done > 0 ? (int64_t)((double)took * (double)(total - done) / (double)done) : 0;
    int size = snprintf(text, sizeof text, "%senzyme_py: Jacobian: %lld of %lld %s, %lld s, about %lld s more%s",
                        how == ONE_LINE ? ERASE : "", (long long)done, (long long)total,
                        kinds[kind >= 0 && kind < 3 ? kind : 2], (long long)(took / SECOND), (long long)(left / SECOND),
                        how == ONE_LINE ? "\r" : "\n");
    if (size > 0 && size < (int)sizeof text)
        put(text, size);
}

void enzyme_py_count(int64_t begun, int64_t kind, int64_t done, int64_t total) {
    if (begun == 0)
        return;
    int64_t at = now(), before = atomic_load_explicit(&last, memory_order_relaxed);
    if (at - begun < atomic_load_explicit(&patience, memory_order_relaxed) ||
        at - before < atomic_load_explicit(&every, memory_order_relaxed))
        return;
    int how = atomic_load(&shown_how);
    if (how == NOTHING || !atomic_compare_exchange_strong(&last, &before, at))
        return;
    if (how == ONE_LINE)
        atomic_store(&is_drawn, 1);
    draw(how, at - begun, kind, done < total ? done : total, total);
}

void enzyme_py_count_end(int64_t begun) {
    if (begun != 0)
        enzyme_py_count_clear();
}

void enzyme_py_count_clear(void) {
    if (atomic_load_explicit(&is_drawn, memory_order_relaxed) && atomic_exchange(&is_drawn, 0))
        put(ERASE, sizeof ERASE - 1);
}
