/* Which lines of generated code asked for the memory that is alive between the sweeps: see trace.h. */
#define _POSIX_C_SOURCE 199309L
#include "trace.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
    const void *payload, *caller;
    size_t bytes;
} note;

/* Notes by payload, in a table with free places; null and GONE are none. */
typedef struct {
    note *places;
    size_t room, used, live; /* used: places that are, or were, taken */
} table;

#define CALLER __builtin_extract_return_addr(__builtin_return_address(0))

static const char gone;
static _Thread_local bool is_on;
static _Thread_local table notes;
static _Thread_local note *turn;
static _Thread_local size_t turn_count;

/* The bytes alive at moments: each `step`-th change, so that there are at most MOST of them. */
#define MOST 2048
typedef struct {
    int64_t nanoseconds;
    size_t bytes;
} moment;

static _Thread_local struct {
    moment *moments; /* null while nothing is traced: a thread has little room of its own */
    size_t count, step, until;
    int64_t begin;
    size_t bytes; /* alive */
} past;

static int64_t clock_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void changed(void) {
    if (past.moments == NULL || ++past.until < past.step) return;
    past.until = 0;
    if (past.count == MOST) {
        for (size_t i = 0; i < MOST / 2; i++) past.moments[i] = past.moments[2 * i + 1];
        past.count = MOST / 2;
        past.step *= 2;
    }
    past.moments[past.count].nanoseconds = clock_now() - past.begin;
    past.moments[past.count++].bytes = past.bytes;
}

void enzyme_py_trace_mark(void) {
    past.count = past.until = past.bytes = 0;
    past.step = 1;
    past.begin = clock_now();
}

size_t enzyme_py_traced_past(size_t number, int64_t *nanoseconds, size_t *bytes) {
    if (number < past.count) {
        *nanoseconds = past.moments[number].nanoseconds;
        *bytes = past.moments[number].bytes;
    }
    return past.count;
}

static bool is_taken(const note *one) { return one->payload != NULL && one->payload != &gone; }

static note *place_of(const table *self, const void *payload) {
    size_t at = (size_t)((uintptr_t)payload >> 4) * 0x9e3779b97f4a7c15u;
    for (;; at++) {
        note *place = &self->places[at & (self->room - 1)];
        if (place->payload == NULL || place->payload == payload) return place;
    }
}

static bool has_room(table *self) {
    if (self->used * 2 < self->room) return true;
    table other = {NULL, 1024, self->live, self->live};
    while (other.room < self->live * 4) other.room *= 2;
    other.places = calloc(other.room, sizeof *other.places);
    if (other.places == NULL) return false;
    for (size_t i = 0; i < self->room; i++)
        if (is_taken(&self->places[i])) *place_of(&other, self->places[i].payload) = self->places[i];
    free(self->places);
    *self = other;
    return true;
}

static void *noted(void *payload, size_t bytes, const void *caller) {
    if (!is_on || payload == NULL || !has_room(&notes)) return payload;
    note *place = place_of(&notes, payload);
    notes.used += place->payload == NULL;
    notes.live++;
    past.bytes += bytes;
    changed();
    *place = (note){payload, caller, bytes};
    return payload;
}

static void forget(const void *payload) {
    if (!is_on || payload == NULL || notes.room == 0) return;
    note *place = place_of(&notes, payload);
    if (place->payload == NULL) return;
    past.bytes -= place->bytes <= past.bytes ? place->bytes : past.bytes;
    changed();
    place->payload = &gone;
    notes.live--;
}

void enzyme_py_trace(int32_t on) {
    free(notes.places);
    free(turn);
    notes = (table){NULL, 0, 0, 0};
    turn = NULL;
    turn_count = 0;
    is_on = on != 0;
    free(past.moments);
    past.moments = is_on ? malloc(MOST * sizeof *past.moments) : NULL;
    enzyme_py_trace_mark();
}

void enzyme_py_traced_turn(void) {
    enzyme_py_hint_turn();
    if (!is_on) return;
    free(turn);
    turn_count = 0;
    turn = malloc((notes.live + 1) * sizeof *turn);
    for (size_t i = 0; turn != NULL && i < notes.room; i++)
        if (is_taken(&notes.places[i])) turn[turn_count++] = notes.places[i];
}

size_t enzyme_py_traced(size_t number, const void **caller, size_t *bytes) {
    if (number < turn_count) {
        *caller = turn[number].caller;
        *bytes = turn[number].bytes;
    }
    return turn_count;
}

void *enzyme_py_traced_malloc(size_t size) { return noted(enzyme_py_malloc(size), size, CALLER); }

void *enzyme_py_traced_calloc(size_t count, size_t size) {
    return noted(enzyme_py_calloc(count, size), count * size, CALLER);
}

void *enzyme_py_traced_realloc(void *payload, size_t size) {
    forget(payload);
    return noted(enzyme_py_realloc(payload, size), size, CALLER);
}

void enzyme_py_traced_free(void *payload) {
    forget(payload);
    enzyme_py_free(payload);
}

void *enzyme_py_traced_aligned_alloc(size_t alignment, size_t size) {
    return noted(enzyme_py_aligned_alloc(alignment, size), size, CALLER);
}

int enzyme_py_traced_posix_memalign(void **payload, size_t alignment, size_t size) {
    int refused = enzyme_py_posix_memalign(payload, alignment, size);
    if (refused == 0) noted(*payload, size, CALLER);
    return refused;
}
