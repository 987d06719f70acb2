/* See moves.h. */
#include "moves.h"

#include <string.h>

enum { PAGE = 4096, NEAR = 32, PIECE = 1024, FEW = 2048 };

static void move_in_pieces(char *to, const char *from, size_t size)
{
    if ((uintptr_t)to - (uintptr_t)from < size) { /* what is read last may be written first */
        while (size > PIECE) {
            size -= PIECE;
            memmove(to + size, from + size, PIECE);
        }
    }
    while (size > PIECE) {
        memmove(to, from, PIECE);
        to += PIECE, from += PIECE, size -= PIECE;
    }
    memmove(to, from, size);
}

void *enzyme_py_memmove(void *to, const void *from, size_t size)
{
    size_t behind = ((uintptr_t)to - (uintptr_t)from) % PAGE;
    if (size < FEW || behind == 0 || behind >= NEAR)
        return memmove(to, from, size);
    move_in_pieces(to, from, size);
    return to;
}
