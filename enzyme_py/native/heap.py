"""The C library's heap, which keeps what is freed: arrays of some megabytes are not new pages at each call.

Symptom: `hvp` of a function of 100,000 numbers took 1.1 to 1.4 ms, `jvp` of its gradient 0.3: 14 to 17 gradients.

Cause: a derivative makes and frees arrays at each call: copies, shadows, results. glibc gives a freed block at the end of the heap
back to the system if it is larger than a threshold, which it learns from what the program frees: twice the largest block that had pages of
its own. With arrays of 0.8 MB that is 1.6 MB, and each call begins with page faults.

Cure: a block of nearly 32 MB, the largest that glibc learns from, is asked for and freed, untouched. From then on it keeps up to 64 MB
of what was freed, as in any program that ever freed such an array. Where the user has set MALLOC_TRIM_THRESHOLD_ or
MALLOC_MMAP_THRESHOLD_, glibc learns nothing, and that stays so.
"""

from __future__ import annotations

import ctypes
import functools
import sys

_LARGEST = 32 * 2**20 - 2**16  # the block's own header and rounding to pages included


@functools.cache
def keep_freed_memory() -> None:
    """Have the heap keep what is freed; once in a process."""
    if sys.platform != "linux":
        return
    library = ctypes.CDLL(None)
    library.malloc.restype, library.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
    library.free.restype, library.free.argtypes = None, [ctypes.c_void_p]
    library.free(library.malloc(_LARGEST))
