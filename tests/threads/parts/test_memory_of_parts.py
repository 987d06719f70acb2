"""Drivers and chunks of parallel loops leave `errno` alone; of other functions nothing else is said than before."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from numba import prange

import enzyme_py as enzyme
from enzyme_py.passes.memory.overwriting.memory_of_parts import MemoryOfParts
from tests.passes.running import is_left_alone, ran

CODE = """\
define internal void @k1.threads_chunk_7(ptr %x) #0 {
  ret void
}
define internal void @k1.threads_driver_7(ptr %x) memory(errnomem: write) {
  ret void
}
define internal void @k1.threads_driver_8(ptr %x) memory(argmem: read) {
  ret void
}
define internal void @other(ptr %x) #0 {
  ret void
}
attributes #0 = { nounwind memory(argmem: readwrite, inaccessiblemem: readwrite, errnomem: write) }
"""


def test_errno_is_left_out() -> None:
    code = ran(MemoryOfParts(), CODE).code
    said = [code.function(name).attribute("memory") for name in ("k1.threads_chunk_7", "k1.threads_driver_7")]
    assert said == ["memory(argmem: readwrite, inaccessiblemem: readwrite)", "memory(none)"]
    assert code.function("k1.threads_driver_8").attribute("memory") == "memory(argmem: read)"
    assert "errnomem" in str(code.function("other").attribute("memory"))


def test_without_parallel_loops_nothing_changes() -> None:
    assert is_left_alone(MemoryOfParts(), CODE.replace("threads_", "other_"))


@numba.njit(parallel=True)
def norms(x):
    a = x.reshape(20, 100)
    total = 0.0
    for i in prange(a.shape[0]):
        inner = 0.0
        for j in range(a.shape[1]):
            inner += a[i, j] * a[i, j]
        total += np.sqrt(inner + 1.0)
    return total


def test_what_a_part_reads_is_not_kept() -> None:
    """The part's tape holds the sums of rows, and no copy of `x`."""
    x = np.linspace(0.1, 1.0, 2000)
    with enzyme.config(threads=2):
        (head,) = [
            line
            for line in enzyme.inspect.ir(norms, x, stage="differentiated").splitlines()
            if line.startswith("define") and "@augmented" in line and "threads_chunk" in line
        ]
        assert head.partition("@")[0].count("ptr") == 1
        a = x.reshape(20, 100)
        expected = a / np.sqrt((a * a).sum(axis=1, keepdims=True) + 1.0)
        np.testing.assert_allclose(enzyme.grad(norms)(x), expected.ravel(), rtol=1e-14)


@pytest.mark.parametrize("threads", [1, 2])
def test_an_array_that_is_written_in_between_is_kept(threads: int) -> None:
    """The second loop writes over what the first one read."""

    @numba.njit(parallel=True)
    def twice(x):
        z = x * 1.0
        total = 0.0
        for i in prange(z.size):
            total += np.sqrt(z[i] * z[i] * z[i])
        for i in prange(z.size):
            z[i] = z[i] * z[i]
        for i in prange(z.size):
            total += np.sqrt(z[i] * z[i] * z[i])
        return total

    x = np.linspace(0.5, 1.0, 50)
    with enzyme.config(threads=threads):
        np.testing.assert_allclose(enzyme.grad(twice)(x), 1.5 * x**0.5 + 3 * x**2, rtol=1e-13)
