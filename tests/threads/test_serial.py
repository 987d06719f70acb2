"""Loops that stay on one thread: the derivative is right, and `enzyme.inspect.loops` tells why."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numba
import numpy as np
import pytest
from numba import prange

import enzyme_py as enzyme
from enzyme_py.native.threads.counts import fork_count


@pytest.fixture(autouse=True)
def two_threads() -> Iterator[None]:
    with enzyme.config(threads=2):
        yield


def parallel(function: Any) -> Any:
    return numba.njit(parallel=True)(function)


X = np.linspace(0.2, 2.0, 40)


@parallel
def last(x):
    kept = 0.0
    for i in prange(x.size):
        kept = x[i] * x[i]
    return kept


@parallel
def catching(x):
    total = 0.0
    for i in prange(x.size):
        try:
            if x[i] > 1.0:
                raise ValueError("large")
            total += x[i]
        except Exception:
            total += x[i] * x[i]
    return total


@parallel
def numbered(x):
    sums = np.zeros(numba.get_num_threads())
    for i in prange(x.size):
        sums[numba.get_thread_id()] += x[i] * x[i]
    return sums.sum()


@parallel
def listed(x):
    weights = [1.0, 2.0]
    total = 0.0
    for i in prange(x.size):
        total += x[i] * weights[i % 2]
    return total


CASES = {
    "last": (last, np.where(np.arange(40) == 39, 2 * X, 0.0), "assigned in the loop"),
    "catching": (catching, np.where(X > 1, 2 * X, 1.0), "catches exceptions"),
    "numbered": (numbered, 2 * X, "get_thread_id"),
    "listed": (listed, np.where(np.arange(40) % 2 == 0, 1.0, 2.0), "list"),
}


@pytest.mark.parametrize("name", CASES)
def test_right_and_told(name: str) -> None:
    kernel, expected, reason = CASES[name]
    before = fork_count()
    np.testing.assert_allclose(enzyme.grad(kernel)(X), expected, rtol=1e-14)
    assert fork_count() == before
    told = [one for one in enzyme.inspect.loops(kernel, X) if not one.is_threaded]
    assert any(reason in one.why_serial for one in told), told


@parallel
def drawing(x):
    total = 0.0
    for i in prange(x.size):
        total += x[i] * x[i] * (1.0 + 0.0 * np.random.random())  # noqa: NPY002
    return total


@parallel
def printing(x):
    total = 0.0
    for i in prange(x.size):
        if x[i] > 1e9:
            print(i)  # noqa: T201
        total += x[i] * x[i]
    return total


@pytest.mark.parametrize("kernel", [drawing, printing])
def test_the_sweep_that_needs_pythons_lock_stays_on_one_thread(kernel: Any) -> None:
    np.testing.assert_allclose(enzyme.grad(kernel)(X), 2 * X, rtol=1e-14)
    told = enzyme.inspect.loops(kernel, X)
    assert any(one.why_serial.startswith("it calls ") for one in told), told


def test_a_kernel_without_the_option_has_serial_loops() -> None:
    def plain(x):
        total = 0.0
        for i in prange(x.size):
            total += x[i] * x[i]
        return total

    before = fork_count()
    np.testing.assert_allclose(enzyme.grad(plain)(X), 2 * X, rtol=1e-14)
    assert fork_count() == before
    assert enzyme.inspect.loops(plain, X) == []


def test_what_runs_on_threads_is_told_as_well() -> None:
    @enzyme.jit(parallel=True)
    def squares(x):
        total = 0.0
        for i in prange(x.size):
            total += x[i] * x[i]
        return total

    (told,) = enzyme.inspect.loops(squares, X)
    assert told.is_threaded
    assert told.function == "squares"
