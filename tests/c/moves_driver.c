/* Exercises csrc/moves.c against memmove of the C library: exits 0 if the same bytes are there in the end. */
#include "moves.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 40000 };

static uint64_t state = 1;

static size_t draw(size_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(state >> 33) % below;
}

static int check(size_t to, size_t from, size_t size)
{
    static char found[SIZE], wanted[SIZE];
    for (size_t i = 0; i < SIZE; i++) found[i] = wanted[i] = (char)draw(256);
    void *given = enzyme_py_memmove(found + to, found + from, size);
    memmove(wanted + to, wanted + from, size);
    if (given == found + to && !memcmp(found, wanted, SIZE)) return 0;
    fprintf(stderr, "%zu bytes from %zu to %zu\n", size, from, to);
    return 1;
}

int main(void)
{
    int failures = 0;
    for (int round = 0; round < 2000; round++) {
        size_t size = draw(SIZE / 3), from = draw(SIZE / 3), behind = draw(80);
        failures += check(from + behind, from, size);              /* overlapping */
        failures += check(from, from + behind, size);
        failures += check((from + 4096 + behind) % (SIZE - size), from, size);
    }
    static const size_t sizes[] = {0, 1, 1023, 1024, 1025, 2047, 2048, 2049, 3072, 8192};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t behind = 0; behind < 40; behind++) failures += check(behind + 4096, 4096, sizes[i]) + check(4096, behind, sizes[i]);
    return failures != 0;
}
