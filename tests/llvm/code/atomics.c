#include <stdatomic.h>

int added(atomic_int *p) { return atomic_fetch_add(p, 1); }
_Bool swapped(atomic_long *p, long *old, long new) { return atomic_compare_exchange_weak(p, old, new); }
void stored(atomic_int *p) {
    atomic_store_explicit(p, 3, memory_order_release);
    atomic_thread_fence(memory_order_acquire);
}
int loaded(volatile atomic_int *p) { return atomic_load(p); }
int nand(int *p) { return __sync_fetch_and_nand(p, 3) + __atomic_exchange_n(p, 4, 5); }
volatile int counted;
int read_again(void) { counted = 3; return counted; }
