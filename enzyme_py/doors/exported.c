/* What exported code needs of Numba's runtime, for libraries that enzyme.export writes.
 *
 * An array that compiled code makes has a header with a count of references in front of its memory; the count is kept
 * by the code itself, which calls in here to make one and to drop one that nobody holds. The layout of the header is
 * Numba's.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct {
    size_t references;
    void (*drop)(void *data, size_t size, void *about);
    void *about;
    void *data;
    size_t size;
    void *allocator;
} header;

void *NRT_Allocate(size_t size) { return malloc(size); }

void NRT_Free(void *memory) { free(memory); }

header *NRT_MemInfo_alloc_aligned(size_t size, uint32_t alignment) {
    size_t step = alignment < 16 ? 16 : alignment;
    if (size > SIZE_MAX - sizeof(header) - step) return NULL;
    header *made = malloc(sizeof(header) + step + size);
    if (made == NULL) return NULL;
    uintptr_t data = (uintptr_t)(made + 1);
    data += (step - data % step) % step;
    *made = (header){.references = 1, .data = (void *)data, .size = size};
    return made;
}

header *NRT_MemInfo_alloc(size_t size) { return NRT_MemInfo_alloc_aligned(size, 16); }

header *NRT_MemInfo_alloc_safe_aligned(size_t size, uint32_t alignment) {
    return NRT_MemInfo_alloc_aligned(size, alignment);
}

header *NRT_MemInfo_alloc_safe(size_t size) { return NRT_MemInfo_alloc_aligned(size, 16); }

void NRT_MemInfo_call_dtor(header *one) {
    if (one->drop != NULL) one->drop(one->data, one->size, one->about);
    free(one);
}

/* Numba's record of an exception; one with values of run time is the caller's to free. */
typedef struct {
    const void *pickled;
    int32_t size;
    void *values;
    void *unwrap;
    int32_t is_allocated;
} exception;

void enzyme_py_door_failed(int64_t door, int32_t status, exception *raised) {
    (void)door;
    if (status >= 1 && raised != NULL && raised->is_allocated > 0) free(raised);
}

/* With an exception that has values of run time goes a function that would make Python objects of them. Python is not
 * there, so nobody calls it. Code that runs Python takes the interpreter's lock, which is not here: export refuses it. */
#define NEVER(name) \
    void name(void) { abort(); }
NEVER(PyFloat_FromDouble)
NEVER(PyLong_FromLongLong)
NEVER(PyLong_FromUnsignedLongLong)
NEVER(PyLong_FromLong)
NEVER(PyLong_FromSsize_t)
NEVER(PyBool_FromLong)
NEVER(PyComplex_FromDoubles)
NEVER(PyTuple_Pack)
NEVER(PyErr_SetString)
NEVER(Py_IncRef)
NEVER(Py_DecRef)
void *PyExc_RuntimeError;

/* The strides of a new shape for the memory of an array; 0 where that is not possible without a copy. Numba reshapes
 * arrays without gaps alone, which is what this can do. */
int32_t numba_attempt_nocopy_reshape(intptr_t rank, const intptr_t *sizes, const intptr_t *strides,
                                     intptr_t new_rank, const intptr_t *new_sizes,
                                     intptr_t *new_strides, intptr_t item, int32_t is_f_order) {
    intptr_t step = item, count = 1;
    for (intptr_t i = 0; i < rank; i++) count *= sizes[i];
    for (intptr_t i = 0; count != 0 && i < rank; i++) {
        intptr_t axis = is_f_order ? i : rank - 1 - i;
        if (sizes[axis] != 1 && strides[axis] != step) return 0;
        step *= sizes[axis];
    }
    step = item;
    for (intptr_t i = 0; i < new_rank; i++) {
        intptr_t axis = is_f_order ? i : new_rank - 1 - i;
        new_strides[axis] = step;
        step *= new_sizes[axis];
    }
    return 1;
}
