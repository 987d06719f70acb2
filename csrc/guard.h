/* Blocks against pages that nobody may touch: a debug form of the allocator, see guard.c. */
#ifndef ENZYME_PY_GUARD_H
#define ENZYME_PY_GUARD_H

#include <stddef.h>

typedef struct guarded guarded;

/* `bytes` zeros that begin at a multiple of `alignment` less `offset`, and end at a forbidden page,
 * or less than an alignment before it. Added to the list. Null: no memory, or too many mappings. */
void *guard_take(guarded **list, size_t bytes, size_t alignment, size_t offset);
size_t guard_bytes(const void *start);  /* as asked for */
void guard_forbid(void *start);         /* it was freed: whoever touches it from now on crashes */
void guard_release(guarded **list);     /* all of a list goes back to the system */

#endif
