"""Zeros for large shadows: written by the threads of the pool, every byte and not one more (csrc/threads.c)."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import numba
import numpy as np
import pytest
from numba import prange

import enzyme_py as enzyme
from enzyme_py.native.runtime import interface, library
from enzyme_py.native.threads.counts import follow_settings

MANY = 4 << 20


@pytest.mark.parametrize("threads", [1, 2, 3, 7])
@pytest.mark.parametrize("size", [0, 1, MANY - 1, MANY, MANY + 1, MANY + 4095, 3 * MANY + 12345])
def test_all_bytes_and_no_others(threads: int, size: int) -> None:
    follow_settings()
    for before in (0, 1, 64, 4095):
        memory = np.full(before + size + 4097, 7, np.uint8)
        with enzyme.config(threads=threads):
            start = interface().cast("void *", memory.ctypes.data + before)
            library().enzyme_py_zeros(start, size)
        assert not memory[before : before + size].any()
        assert (memory[:before] == 7).all()
        assert (memory[before + size :] == 7).all()


def squares(x):
    total = 0.0
    for i in prange(x.size):
        total += x[i] * x[i]
    return total


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_gradients_of_large_arrays(threads: int) -> None:
    x = np.random.default_rng(3).normal(size=(1000, 1000)) + 2.0
    gradient = enzyme.grad(numba.njit(parallel=True)(lambda a: squares_of(a.ravel())))
    with enzyme.config(threads=threads):
        for _ in range(3):  # memory that was used before is not zero by itself
            assert (gradient(x) == 2.0 * x).all()


squares_of = numba.njit(parallel=True)(squares)


def test_within_a_part_the_zeros_are_its_own() -> None:
    """A gradient by an array of 8 MB, in each part of a loop on threads: nobody waits for anybody."""
    inner = enzyme.grad(squares_of)

    @numba.njit(parallel=True)
    def outer(x, n):
        total = 0.0
        for i in prange(n):
            total += inner(x * (i + 1.0)).sum()
        return total

    x = np.linspace(1.0, 2.0, 1_000_000)
    with enzyme.config(threads=3):
        value, slope = enzyme.jvp(outer, (x, 4), (np.ones_like(x), None))
    np.testing.assert_allclose(value, 2.0 * 10.0 * x.sum(), rtol=1e-12)
    np.testing.assert_allclose(slope, 2.0 * 10.0 * x.size, rtol=1e-12)


def test_threads_are_started_for_many_bytes_alone() -> None:
    """In a process of its own: its threads are counted."""
    source = f"""
        import os
        import numpy as np
        import enzyme_py as enzyme
        from enzyme_py.native.runtime import interface, library
        from enzyme_py.native.threads.counts import follow_settings

        follow_settings()
        memory = np.ones({MANY}, np.uint8)
        start = interface().cast("void *", memory.ctypes.data)
        count = lambda: len(os.listdir("/proc/self/task"))
        with enzyme.config(threads=3):
            before = count()
            library().enzyme_py_zeros(start, {MANY - 1})
            print(count() - before)
            library().enzyme_py_zeros(start, {MANY})
            print(count() - before, memory.any())
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(source)], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0", "2", "False"]
