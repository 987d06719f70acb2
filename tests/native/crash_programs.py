"""Programs that die inside of a derivative: `python -m tests.native.crash_programs HOW...`, run by test_crashes.py.

The words say how, in any order: see `main`.
"""

from __future__ import annotations

import ctypes
import faulthandler
import os
import signal
import sys
import threading

import numpy as np
from numba import njit

NOWHERE = -(2**42)  # elements: an address that a process may have, and nobody here has


@njit
def writes_anywhere(x, n):
    a = np.empty(4)
    a[0] = x[0]
    a[n] = x[0] * 2.0
    return a[0] * a[n]


@njit
def descends(x, n):
    if n == 0:
        return x[0]
    return descends(x, n - 1) * np.sin(x[1])


@njit(nogil=True)
def never_ends(x, n):
    s = 0.0
    i = 0
    while s < n:
        i += 1
        s += x[0] / (1.0 + i) ** 2
    return s


def nesting():
    import enzyme_py as enzyme

    @njit
    def inner_and_outer(x, n):
        s = 0.0
        for i in range(2):
            s += enzyme.grad(writes_anywhere)(x, n)[0] * x[i]
        return s

    return inner_and_outer


def install_own_handler() -> None:
    """Put a C handler of somebody else's there: os._exit(77), told nothing of us."""
    library = ctypes.CDLL(None)
    kind = ctypes.CFUNCTYPE(None, ctypes.c_int)
    handler = kind(lambda _: os._exit(77))
    library.signal.argtypes = [ctypes.c_int, kind]
    library.signal(signal.SIGSEGV, handler)
    globals()["kept"] = handler


def abort_below_a_frame() -> None:
    """Run the C library's abort as if it were a derivative's code: the pass drops calls of it."""
    from enzyme_py.errors import Where
    from enzyme_py.native.faults.watched import Layout, Origin, watch
    from enzyme_py.native.runtime import interface, library

    address = ctypes.cast(ctypes.CDLL(None).abort, ctypes.c_void_p).value
    assert address is not None
    where = Where("aborts", __file__, 1)
    watch(Origin("reverse_of_aborts", where, "; reverse_of_aborts"), address, Layout(0, 16))
    body = interface().cast("void (*)(void *)", address)
    library().enzyme_py_enter(body, interface().NULL, interface().NULL, 0)


def main(how: set[str]) -> None:  # noqa: C901  (a list of cases)
    if "faulthandler-before" in how:
        faulthandler.enable()
    if "own-handler" in how:
        install_own_handler()
    import enzyme_py as enzyme

    f, bad = writes_anywhere, NOWHERE
    if "deep" in how:
        f, bad = descends, 10**9
    if "nested" in how:
        f = nesting()
    if "endless" in how:
        f, bad = never_ends, 10**9
    x = np.ones(2)
    enzyme.gradient(f, x, 1 if "endless" not in how else 0)
    if "faulthandler-after" in how:
        faulthandler.enable()
    if "faulthandler-off" in how:
        faulthandler.disable()
    if "elsewhere" in how:
        ctypes.string_at(8)

    if "abort" in how:
        abort_below_a_frame()

    def run() -> None:
        print("begins", flush=True)  # noqa: T201  (read by the test)
        enzyme.gradient(f, x, bad)

    if "thread" in how:
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
    elif "fork" in how:
        child = os.fork()
        if child == 0:
            run()
        _, status = os.waitpid(child, 0)
        os.kill(os.getpid(), os.WTERMSIG(status))
    else:
        run()


if __name__ == "__main__":
    main(set(sys.argv[1:]))
