/* Whether a kernel writes to memory that two of its arrays have in common: see sharing.h. */
#include "sharing.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* An array as the caller describes it, and the bytes from its lowest to its highest element. */
typedef struct {
    const int64_t *words;
    uintptr_t low, high;
} array;

enum { ADDRESS, ITEM, RANK, SIZES };

/* Two arrays whose spans meet, and what lay where they do. */
typedef struct pair {
    struct pair *next;
    int64_t first, second;
    uintptr_t start;
    size_t bytes;
    int64_t *words[2]; /* their descriptions, behind the copy */
    unsigned char copy[];
} pair;

static pair refused; /* in place of a pair for which there was no memory */

static _Thread_local int64_t last_first, last_second;

static size_t words_of(const int64_t *words) { return SIZES + 2 * (size_t)words[RANK]; }

static array described(const int64_t *words) {
    const int64_t *sizes = words + SIZES, *strides = sizes + words[RANK];
    array self = {words, (uintptr_t)words[ADDRESS], (uintptr_t)words[ADDRESS]};
    for (int64_t axis = 0; axis < words[RANK]; axis++) {
        if (sizes[axis] == 0) return (array){words, 0, 0};
        int64_t reach = (sizes[axis] - 1) * strides[axis];
        if (reach < 0) self.low += (uintptr_t)reach;
        else self.high += (uintptr_t)reach;
    }
    self.high += (uintptr_t)words[ITEM];
    return self;
}

static pair *kept(const array *one, const array *other, pair *next) {
    uintptr_t start = one->low > other->low ? one->low : other->low;
    uintptr_t end = one->high < other->high ? one->high : other->high;
    size_t words[2] = {words_of(one->words), words_of(other->words)};
    size_t bytes = end - start, room = (bytes + sizeof(int64_t) - 1) / sizeof(int64_t) * sizeof(int64_t);
    pair *self = malloc(sizeof *self + room + (words[0] + words[1]) * sizeof(int64_t));
    if (self == NULL) return NULL;
    self->next = next;
    self->start = start;
    self->bytes = bytes;
    self->words[0] = (int64_t *)(void *)(self->copy + room);
    self->words[1] = self->words[0] + words[0];
    memcpy(self->copy, (const void *)start, bytes);
    memcpy(self->words[0], one->words, words[0] * sizeof(int64_t));
    memcpy(self->words[1], other->words, words[1] * sizeof(int64_t));
    return self;
}

static void released(pair *list) {
    for (pair *next; list != NULL && list != &refused; list = next) {
        next = list->next;
        free(list);
    }
}

void *enzyme_py_shared_before(const int64_t *arrays, int64_t count) {
    array known[count > 0 ? count : 1];
    pair *list = NULL;
    for (int64_t i = 0; i < count; i++, arrays += words_of(arrays)) {
        known[i] = described(arrays);
        for (int64_t j = 0; j < i; j++) {
            if (known[i].low >= known[j].high || known[j].low >= known[i].high) continue;
            pair *made = kept(&known[j], &known[i], list);
            if (made == NULL) {
                released(list);
                refused.first = j;
                refused.second = i;
                return &refused;
            }
            made->first = j;
            made->second = i;
            list = made;
        }
    }
    return list;
}

/* What is done with the bytes of each element that lies where the spans meet. */
typedef bool visitor(const pair *self, unsigned char *marks, size_t place);

static bool mark(const pair *self, unsigned char *marks, size_t place) {
    (void)self;
    marks[place] = 1;
    return false;
}

static bool is_written(const pair *self, unsigned char *marks, size_t place) {
    return marks[place] && ((const unsigned char *)self->start)[place] != self->copy[place];
}

/* Visit the elements from one axis on; true as soon as the visitor says so. */
static bool visit(const pair *self, const int64_t *words, int64_t axis, uintptr_t at, unsigned char *marks,
                  visitor *visitor) {
    if (axis == words[RANK]) {
        for (uintptr_t byte = at; byte < at + (uintptr_t)words[ITEM]; byte++) {
            bool is_there = byte >= self->start && byte - self->start < self->bytes;
            if (is_there && visitor(self, marks, byte - self->start)) return true;
        }
        return false;
    }
    const int64_t *sizes = words + SIZES, *strides = sizes + words[RANK];
    int64_t size = strides[axis] == 0 ? 1 : sizes[axis]; /* one element again and again */
    for (int64_t i = 0; i < size; i++, at += (uintptr_t)strides[axis])
        if (visit(self, words, axis + 1, at, marks, visitor)) return true;
    return false;
}

static bool was_written(const pair *self) {
    if (memcmp((const void *)self->start, self->copy, self->bytes) == 0) return false;
    unsigned char *marks = calloc(self->bytes, 1);
    if (marks == NULL) return true;
    visit(self, self->words[0], 0, (uintptr_t)self->words[0][ADDRESS], marks, mark);
    bool found = visit(self, self->words[1], 0, (uintptr_t)self->words[1][ADDRESS], marks, is_written);
    free(marks);
    return found;
}

int32_t enzyme_py_shared_after(void *shared) {
    int32_t found = 0;
    for (const pair *self = shared; self != NULL; self = self->next) {
        if (self != &refused && !was_written(self)) continue;
        found = 1;
        last_first = self->first;
        last_second = self->second;
    }
    released(shared);
    return found;
}

void enzyme_py_shared_pair(int64_t *first, int64_t *second) {
    *first = last_first;
    *second = last_second;
}
