"""What goes wrong in the middle of a loop on threads: raises in callees, os.fork, memory; see test_pool.py as well."""

from __future__ import annotations

import os
import threading
from typing import Any

import numba
import numpy as np
import pytest
from numba import prange

import enzyme_py as enzyme
from enzyme_py.native.threads.counts import fork_count
from tests.threads.memory import flat_over


@numba.njit
def _checked(x, i, limit):
    if x[i] > limit:
        raise ValueError("too large", i)
    return np.sin(x[i])


@numba.njit(parallel=True)
def raising(x, limit):
    total = 0.0
    for i in prange(x.size):
        total += _checked(x, i, limit) * x[i]
    return total


def curved(x, limit):
    return (enzyme.grad(raising)(x, limit) ** 2).sum()


def tangent(x, limit):
    return enzyme.jvp(raising, (x, limit), (np.ones_like(x), 0.0))[1]


ASKED: dict[str, Any] = {
    "gradient": enzyme.grad(raising),
    "forward": tangent,
    "reverse over reverse": enzyme.grad(curved),
    "reverse over forward": enzyme.grad(tangent),
}


@pytest.mark.parametrize("order", ASKED)
def test_what_a_callee_raises_is_that_of_the_serial_loop(order: str) -> None:
    x, ask = np.random.default_rng(3).uniform(0.0, 1.0, 400), ASKED[order]
    for threads in (2, 4, 7):
        with enzyme.config(threads=threads):
            right = np.asarray(ask(x, 2.0)).tobytes()
            for limit in (0.99, 0.5, 0.01):
                first = int(np.argmax(x > limit))
                for _ in range(20):
                    with pytest.raises(ValueError, match="too large") as told:
                        ask(x, limit)
                    assert told.value.args == ("too large", first)
                assert np.asarray(ask(x, 2.0)).tobytes() == right


def test_exceptions_of_several_threads_leave_no_memory() -> None:
    x, gradient = np.linspace(0.0, 1.0, 400), ASKED["gradient"]
    with enzyme.config(threads=4):
        gradient(x, 2.0)
        held = enzyme.inspect.memory().held
        for _ in range(1000):
            with pytest.raises(ValueError, match="too large"):
                gradient(x, 0.5)
        assert enzyme.inspect.memory().held == held


@numba.njit(parallel=True)
def squares(x):
    total = 0.0
    for i in prange(x.size):
        total += x[i] * x[i] * x[i]
    return total


def test_os_fork_while_another_thread_has_the_pool() -> None:
    """The child gets a pool of its own, whoever held that of its parent; the parent goes on."""
    gradient = enzyme.grad(squares)
    x = np.linspace(0.0, 1.0, 300)
    is_over = np.zeros(1, np.int64)

    @numba.njit(nogil=True)
    def without_end(x, is_over):
        total = np.zeros_like(x)
        while is_over[0] == 0:
            total = gradient(x)
        return total

    with enzyme.config(threads=3):
        is_over[0] = 1
        without_end(x, is_over)
        is_over[0] = 0
        found: list[Any] = []
        other = threading.Thread(target=lambda: found.append(without_end(x, is_over)))
        other.start()
        try:
            for _ in range(20):
                child = os.fork()
                if child == 0:
                    before = fork_count()
                    is_right = all(np.allclose(gradient(x), 3 * x * x) for _ in range(5))
                    os._exit(0 if is_right and fork_count() - before == 10 else 1)
                assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        finally:
            is_over[0] = 1
            other.join()
    np.testing.assert_allclose(found[0], 3 * x * x)


def test_memory_is_flat() -> None:
    grown, held = flat_over(1000)
    assert held == 0
    assert grown < 4.0  # MiB: of Python, whose lists fill up
