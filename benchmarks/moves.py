"""How fast the C library's memmove copies to a few bytes behind the source, modulo a page, and how fast ours does (csrc/moves.h).

    python benchmarks/moves.py

GB a second, best of 20. On processors that glibc's bug 30994 is about, the first is 15 to 30 times slower for 8 bytes.
"""

from __future__ import annotations

import ctypes
import time

import numpy as np

from enzyme_py.native.runtime import runtime_addresses

SIZES = (1000, 4000, 16000, 256000)
BEHIND = (0, 8, 16, 24, 32)
SHAPE = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
PAGE = 4096


def speed(move: ctypes._CFuncPtr, size: int, behind: int) -> float:
    memory = np.zeros(4 * (size + 2 * PAGE), np.uint8)
    start = -(-memory.ctypes.data // PAGE) * PAGE
    to, best = start + 2 * (size // PAGE + 1) * PAGE + behind, float("inf")
    for _ in range(20):
        begun = time.perf_counter()
        for _ in range(100):
            move(to, start, size)
        best = min(best, time.perf_counter() - begun)
    return 100 * size / best / 1e9


if __name__ == "__main__":
    libc = ctypes.cast(ctypes.CDLL(None).memmove, SHAPE)
    ours = SHAPE(runtime_addresses()["enzyme_py_memmove"])
    print("bytes, behind: memmove, ours")
    for size in SIZES:
        for behind in BEHIND:
            print(f"{size:>7}, {behind:>2}: {speed(libc, size, behind):6.1f} {speed(ours, size, behind):6.1f}")
