/* Exercises csrc/sharing.c against sets of addresses; exits 0 if all held.
 *
 * Two views of random sizes and strides lie in one buffer, some bytes of it are changed, and each byte is looked up in both.
 */
#include "sharing.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 512, AXES = 3, WORDS = 3 + 2 * AXES };

static uint64_t state = 7;

static int64_t draw(int64_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((state >> 33) % (uint64_t)below);
}

/* A view somewhere in the middle of the buffer; marks has a 1 for each byte of it. */
static size_t view(unsigned char *buffer, unsigned char *marks, int64_t *words) {
    int64_t item = (int64_t)1 << draw(4), rank = draw(AXES + 1), *sizes = words + 3, *strides = sizes + rank;
    words[0] = (int64_t)(uintptr_t)(buffer + BYTES / 2 + draw(64) - 32);
    words[1] = item;
    words[2] = rank;
    for (int64_t axis = 0; axis < rank; axis++) {
        sizes[axis] = draw(12) ? 1 + draw(3) : 0;
        strides[axis] = draw(49) - 24;
    }
    memset(marks, 0, BYTES);
    int64_t count = 1;
    for (int64_t axis = 0; axis < rank; axis++) count *= sizes[axis];
    for (int64_t number = 0; number < count; number++) {
        int64_t at = words[0] - (int64_t)(uintptr_t)buffer, rest = number;
        for (int64_t axis = 0; axis < rank; rest /= sizes[axis++]) at += rest % sizes[axis] * strides[axis];
        for (int64_t byte = 0; byte < item; byte++) marks[at + byte] = 1;
    }
    return 3 + 2 * (size_t)rank;
}

int main(void) {
    static unsigned char buffer[BYTES], marks[2][BYTES];
    int64_t words[2 * WORDS];
    int seen[2] = {0, 0};
    for (int turn = 0; turn < 20000; turn++) {
        size_t used = view(buffer, marks[0], words);
        view(buffer, marks[1], words + used);
        void *kept = enzyme_py_shared_before(words, 2);
        bool expected = false;
        for (int64_t change = draw(4); change > 0; change--) {
            int64_t at = BYTES / 2 + draw(128) - 64;
            buffer[at]++;
            expected |= marks[0][at] && marks[1][at];
        }
        bool found = kept != NULL && enzyme_py_shared_after(kept);
        if (found != expected) {
            fprintf(stderr, "turn %d: %d where %d is right\n", turn, found, expected);
            return 1;
        }
        seen[found]++;
    }
    /* Three arrays, of which the first and the last are one. */
    double one[4] = {1, 2, 3, 4}, other[4] = {0};
    int64_t rows[3][5] = {{0, 8, 1, 4, 8}, {0, 8, 1, 4, 8}, {0, 8, 1, 4, 8}};
    rows[0][0] = rows[2][0] = (int64_t)(uintptr_t)one;
    rows[1][0] = (int64_t)(uintptr_t)other;
    void *kept = enzyme_py_shared_before(&rows[0][0], 3);
    one[3] = 5;
    int64_t first = -1, second = -1;
    if (kept == NULL || !enzyme_py_shared_after(kept)) return 2;
    enzyme_py_shared_pair(&first, &second);
    if (first != 0 || second != 2) return 3;
    return seen[0] > 100 && seen[1] > 100 ? 0 : 4;
}
