/* Exercises csrc/copies.c; `driver NAME` runs one case and exits 0 if all held.
 *
 * Buffers end where their blocks end, so that the sanitizer sees every byte too many; what lies
 * between the elements of a block must stay as it was, since whole buffers are compared.
 */
#include "copies.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(claim)                                                            \
    do {                                                                        \
        if (!(claim)) {                                                         \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #claim); \
            exit(1);                                                            \
        }                                                                       \
    } while (0)

static uint64_t state = 1;

static int64_t draw(int64_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((state >> 33) % (uint64_t)below);
}

/* -- the calls ----------------------------------------------------------------------------- */

typedef struct {
    int64_t n[4], dst[4], src[4];
    int64_t at_dst, at_src; /* of the first elements, in their buffers */
} block;

#define GET1(x) self->x[0]
#define GET2(x) GET1(x), self->x[1]
#define GET3(x) GET2(x), self->x[2]
#define GET4(x) GET3(x), self->x[3]
#define CASE(rank, call, ...) \
    case rank: call(__VA_ARGS__, GET##rank(n), GET##rank(dst), GET##rank(src)); break;

#define DEFINE(pair)                                                                    \
    static void copy_##pair(int rank, char *dst, char *src, const block *self) {        \
        switch (rank) {                                                                 \
            CASE(1, enzyme_py_copy1_##pair, dst, src)                                   \
            CASE(2, enzyme_py_copy2_##pair, dst, src)                                   \
            CASE(3, enzyme_py_copy3_##pair, dst, src)                                   \
            CASE(4, enzyme_py_copy4_##pair, dst, src)                                   \
        }                                                                               \
    }                                                                                   \
    static void move_back_##pair(int rank, char *dst, char *src, const block *self) {   \
        switch (rank) {                                                                 \
            CASE(1, enzyme_py_move_back1_##pair, dst, src)                              \
            CASE(2, enzyme_py_move_back2_##pair, dst, src)                              \
            CASE(3, enzyme_py_move_back3_##pair, dst, src)                              \
            CASE(4, enzyme_py_move_back4_##pair, dst, src)                              \
        }                                                                               \
    }
DEFINE(dd)
DEFINE(ss)
DEFINE(ds)
DEFINE(sd)

typedef void operation(int rank, char *dst, char *src, const block *self);

typedef struct {
    operation *copy, *move_back;
    bool is_dst_double, is_src_double;
} pair;

static const pair pairs[] = {
    {copy_dd, move_back_dd, true, true},
    {copy_ss, move_back_ss, false, false},
    {copy_ds, move_back_ds, true, false},
    {copy_sd, move_back_sd, false, true},
};

static void clear(int rank, bool is_double, char *dst, const block *self) {
    switch (rank + (is_double ? 4 : 0)) {
        case 1: enzyme_py_clear1_s(dst, GET1(n), GET1(dst)); break;
        case 2: enzyme_py_clear2_s(dst, GET2(n), GET2(dst)); break;
        case 3: enzyme_py_clear3_s(dst, GET3(n), GET3(dst)); break;
        case 4: enzyme_py_clear4_s(dst, GET4(n), GET4(dst)); break;
        case 5: enzyme_py_clear1_d(dst, GET1(n), GET1(dst)); break;
        case 6: enzyme_py_clear2_d(dst, GET2(n), GET2(dst)); break;
        case 7: enzyme_py_clear3_d(dst, GET3(n), GET3(dst)); break;
        case 8: enzyme_py_clear4_d(dst, GET4(n), GET4(dst)); break;
    }
}

/* -- what they should do, element by element ------------------------------------------------- */

static double get(const char *at, bool is_double) {
    double wide;
    float narrow;
    memcpy(is_double ? (void *)&wide : (void *)&narrow, at, is_double ? 8 : 4);
    return is_double ? wide : narrow;
}

static void put(char *at, double value, bool is_double) {
    float narrow = (float)value;
    memcpy(at, is_double ? (void *)&value : (void *)&narrow, is_double ? 8 : 4);
}

/* The offsets of all elements; returns how many there are. */
static size_t offsets(const block *self, const int64_t *steps, int64_t start, int64_t *found) {
    size_t count = 0;
    for (int64_t i = 0; i < self->n[0]; i++)
        for (int64_t j = 0; j < self->n[1]; j++)
            for (int64_t k = 0; k < self->n[2]; k++)
                for (int64_t l = 0; l < self->n[3]; l++)
                    found[count++] = start + i * steps[0] + j * steps[1] + k * steps[2] +
                                     l * steps[3];
    return count;
}

#define MOST 20000
static int64_t in_dst[MOST], in_src[MOST];
static double read[MOST];

static void expect_copy(const pair *types, size_t count, char *dst, char *src) {
    for (size_t i = 0; i < count; i++) read[i] = get(src + in_src[i], types->is_src_double);
    for (size_t i = 0; i < count; i++) put(dst + in_dst[i], read[i], types->is_dst_double);
}

static void expect_clear(const pair *types, size_t count, char *dst) {
    for (size_t i = 0; i < count; i++) put(dst + in_dst[i], 0, types->is_dst_double);
}

static void expect_move_back(const pair *types, size_t count, char *dst, char *src) {
    for (size_t i = 0; i < count; i++) read[i] = get(dst + in_dst[i], types->is_dst_double);
    expect_clear(types, count, dst);
    for (size_t i = 0; i < count; i++) {
        char *at = src + in_src[i];
        put(at, get(at, types->is_src_double) + read[i], types->is_src_double);
    }
}

/* -- random blocks ------------------------------------------------------------------------- */

static int64_t size_of(bool is_double) { return is_double ? 8 : 4; }

static void draw_lengths(block *self, int rank) {
    static const int64_t longest[] = {1500, 90, 18, 9};
    for (int i = 0; i < 4; i++) self->n[i] = 1;
    for (int i = 0; i < rank; i++) self->n[i] = 1 + draw(draw(3) ? longest[rank - 1] : 5);
    if (draw(40) == 0) self->n[draw(rank)] = -draw(2);
    if (rank == 2 && draw(4) == 0) self->n[0] = 600 + draw(600), self->n[1] = 1 + draw(10);
}

/* Steps of a block whose elements are distinct; returns where the first one lies. */
static int64_t draw_steps(int rank, const int64_t *n, int64_t size, int64_t *steps) {
    int order[] = {0, 1, 2, 3};
    int64_t step = size, start = 0;
    for (int i = rank - 1; i > 0 && draw(2); i--) {
        int other = (int)draw(i + 1), kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
    memset(steps, 0, 4 * sizeof *steps);
    for (int i = rank - 1; i >= 0; i--) {
        int axis = order[i];
        int64_t length = n[axis] > 0 ? n[axis] : 1;
        steps[axis] = step * (draw(3) ? 1 : 2);
        step = steps[axis] * length;
        if (draw(4)) continue;
        start += (length - 1) * steps[axis];
        steps[axis] = -steps[axis];
    }
    return start;
}

static int64_t end_of(const int64_t *n, const int64_t *steps, int64_t start, int64_t size) {
    for (int i = 0; i < 4; i++) {
        if (n[i] > 0 && steps[i] > 0) start += (n[i] - 1) * steps[i];
    }
    return start + size;
}

/* Both blocks in one buffer, anyhow. Returns its size. */
static int64_t overlap(block *self, int64_t size) {
    int64_t most = end_of(self->n, self->dst, self->at_dst, size) / size;
    int64_t by = draw(3) == 0 ? 0 : draw(2) ? draw(12) * size : draw(most + 1) * size;
    *(draw(2) ? &self->at_dst : &self->at_src) += by;
    int64_t end = end_of(self->n, self->dst, self->at_dst, size);
    int64_t other = end_of(self->n, self->src, self->at_src, size);
    return end > other ? end : other;
}

static void draw_block(block *self, int rank, const pair *types) {
    int64_t dst_size = size_of(types->is_dst_double), src_size = size_of(types->is_src_double);
    draw_lengths(self, rank);
    self->at_dst = draw_steps(rank, self->n, dst_size, self->dst);
    if (dst_size == src_size && draw(2)) {
        memcpy(self->src, self->dst, sizeof self->src);
        self->at_src = self->at_dst;
    } else {
        self->at_src = draw_steps(rank, self->n, src_size, self->src);
    }
    for (int i = 0; i < rank; i++) {
        if (draw(6) == 0) self->src[i] = 0;
    }
}

/* A buffer that ends exactly where it is used to, at any alignment. */
typedef struct {
    char *room, *start;
    int64_t size;
} buffer;

static buffer buffer_new(int64_t size, bool is_double) {
    int64_t misaligned_by = draw(3) ? 0 : draw(8);
    buffer made = {malloc((size_t)(size + misaligned_by)), NULL, size};
    made.start = made.room + misaligned_by;
    memset(made.start, 0x55, (size_t)size);
    int64_t step = size_of(is_double);
    for (int64_t at = 0; at + step <= size; at += step) {
        put(made.start + at, (double)(draw(19) - 9), is_double);
    }
    return made;
}

static buffer buffer_copy(buffer from) {
    buffer made = {malloc((size_t)from.size), NULL, from.size};
    made.start = made.room;
    memcpy(made.start, from.start, (size_t)from.size);
    return made;
}

static void check_same_and_free(buffer first, buffer second) {
    CHECK(memcmp(first.start, second.start, (size_t)first.size) == 0);
    free(first.room);
    free(second.room);
}

enum { COPIES, MOVES_BACK, CLEARS };

static void run_both(int what, const pair *types, int rank, const block *self, char **got,
                     char **wanted) {
    size_t count = offsets(self, self->dst, self->at_dst, in_dst);
    CHECK(count <= MOST && count == offsets(self, self->src, self->at_src, in_src));
    char *dst = got[0] + self->at_dst, *src = got[1] + self->at_src;
    if (what == COPIES) {
        types->copy(rank, dst, src, self);
        expect_copy(types, count, wanted[0], wanted[1]);
    } else if (what == MOVES_BACK) {
        types->move_back(rank, dst, src, self);
        expect_move_back(types, count, wanted[0], wanted[1]);
    } else {
        clear(rank, types->is_dst_double, dst, self);
        expect_clear(types, count, wanted[0]);
    }
}

static void one_buffer(int what, const pair *types, int rank, block *self) {
    int64_t size = overlap(self, size_of(types->is_dst_double));
    buffer got = buffer_new(size, types->is_dst_double), wanted = buffer_copy(got);
    run_both(what, types, rank, self, (char *[]){got.start, got.start},
             (char *[]){wanted.start, wanted.start});
    check_same_and_free(got, wanted);
}

static void two_buffers(int what, const pair *types, int rank, const block *self) {
    int64_t dst_size = end_of(self->n, self->dst, self->at_dst, size_of(types->is_dst_double));
    int64_t src_size = end_of(self->n, self->src, self->at_src, size_of(types->is_src_double));
    buffer dst = buffer_new(dst_size, types->is_dst_double), wanted_dst = buffer_copy(dst);
    buffer src = buffer_new(src_size, types->is_src_double), wanted_src = buffer_copy(src);
    run_both(what, types, rank, self, (char *[]){dst.start, src.start},
             (char *[]){wanted_dst.start, wanted_src.start});
    check_same_and_free(dst, wanted_dst);
    check_same_and_free(src, wanted_src);
}

static void random_blocks(int what) {
    for (int i = 0; i < 6000; i++) {
        const pair *types = &pairs[draw(4)];
        int rank = 1 + (int)draw(4);
        block self;
        draw_block(&self, rank, types);
        if (types->is_dst_double == types->is_src_double && draw(4)) {
            one_buffer(what, types, rank, &self);
        } else {
            two_buffers(what, types, rank, &self);
        }
    }
}

static void copies(void) { random_blocks(COPIES); }
static void moves_back(void) { random_blocks(MOVES_BACK); }
static void clears(void) { random_blocks(CLEARS); }

/* -- running out of memory ------------------------------------------------------------------ */

#define ROWS 40
#define STACK 3

/* What needs a temporary: each of three matrices becomes its own transposed. */
static const int64_t step = sizeof(double), row = ROWS * sizeof(double),
                     matrix = ROWS * ROWS * sizeof(double);

static void transpose(void *at) {
    enzyme_py_copy3_dd(at, at, STACK, ROWS, ROWS, matrix, row, step, matrix, step, row);
}

static void transpose_back(void *at) {
    enzyme_py_move_back3_dd(at, at, STACK, ROWS, ROWS, matrix, row, step, matrix, step, row);
}

static void narrow(void *at) { /* doubles to floats, over each other */
    enzyme_py_copy1_sd(at, at, ROWS * ROWS, 4, 8);
}

static enzyme_py_stats stats(void) {
    enzyme_py_stats found;
    enzyme_py_region_stats(&found);
    return found;
}

static void check_failure(void (*body)(void *)) {
    static double values[STACK * ROWS * ROWS], before[STACK * ROWS * ROWS];
    for (int i = 0; i < STACK * ROWS * ROWS; i++) values[i] = i;
    memcpy(before, values, sizeof values);
    size_t live = stats().live, open = stats().regions_open;
    void *excinfo = values;
    enzyme_py_fail_after(1);
    CHECK(enzyme_py_enter(body, values, &excinfo, 0) == ENZYME_PY_NO_MEMORY && excinfo == NULL);
    CHECK(memcmp(values, before, sizeof values) == 0);
    CHECK(stats().live == live && stats().regions_open == open);
    enzyme_py_fail_after(2); /* one temporary is enough */
    CHECK(enzyme_py_enter(body, values, &excinfo, 0) == ENZYME_PY_OK);
    CHECK(memcmp(values, before, sizeof values) != 0);
    enzyme_py_fail_after(0);
    CHECK(stats().live == live && stats().regions_open == open);
}

static void no_memory(void) {
    check_failure(transpose);
    check_failure(transpose_back);
    check_failure(narrow);
}

static void many(void *at) {
    size_t live = stats().live;
    for (int i = 0; i < 200; i++) {
        transpose(at);
        transpose_back(at);
        CHECK(stats().live == live);
    }
}

static void temporaries_are_freed(void) {
    static double values[STACK * ROWS * ROWS];
    CHECK(enzyme_py_enter(many, values, NULL, 0) == ENZYME_PY_OK);
    CHECK(stats().peak < 2 * (size_t)matrix);
    many(values); /* outside of any entry: from the C library */
}

static void die_no_memory(void) {
    static double values[STACK * ROWS * ROWS];
    enzyme_py_fail_after(1);
    transpose(values);
}

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
    {"copies", copies},
    {"moves_back", moves_back},
    {"clears", clears},
    {"no_memory", no_memory},
    {"temporaries_are_freed", temporaries_are_freed},
    {"die_no_memory", die_no_memory},
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
