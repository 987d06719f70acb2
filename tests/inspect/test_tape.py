"""The tape line by line: bytes that can be counted by hand, and the sum beside what `inspect.memory` measures."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.native.runtime import memory_stats


def line_of(function, text: str) -> int:
    lines, first = inspect.getsourcelines(function)
    return first + next(number for number, line in enumerate(lines) if text in line)


def recurrence(s, n):
    for _ in range(n):
        s = np.sin(s) * 1.1
        s = s * s + 0.3
    return s


def test_numbers_that_are_kept_for_each_iteration() -> None:
    """The sine's slope, and what is squared: two doubles of the first line in each of 1,000 iterations."""
    found = enzyme.inspect.tape(recurrence, 0.3, 1000)
    kept = {one.line: one for one in found}
    assert kept[line_of(recurrence, "np.sin")].bytes == 16_000
    assert found.bytes == 16_000
    assert "s = np.sin(s) * 1.1" in str(found)


def network(w, x):
    h = np.zeros(w.shape[0])
    loss = 0.0
    for t in range(x.shape[0]):
        z = w @ h + x[t]
        h = np.tanh(z)
        loss += np.sum(h * h)
    return loss


def heat(u0, n):
    u = u0.copy()
    for _ in range(n):
        v = u.copy()
        for i in range(1, u.size - 1):
            u[i] = v[i] + 0.1 * (v[i - 1] - 2 * v[i] + v[i + 1]) * v[i]
    return np.sum(u**2)


CASES = {
    "network": (network, lambda: (np.full((40, 40), 0.01), np.ones((50, 40)))),
    "heat": (heat, lambda: (np.linspace(0.0, 1.0, 500), 40)),
}


@pytest.mark.parametrize("name", CASES)
def test_the_lines_add_up_to_the_tape(name: str) -> None:
    """Requests are rounded up to classes of sizes and have heads: a tenth."""
    kernel, make = CASES[name]
    found = enzyme.inspect.tape(kernel, *make())
    whole = enzyme.inspect.memory(kernel, *make())
    assert 0.9 * whole.tape <= found.bytes <= whole.tape
    assert memory_stats().regions_open == 0


def test_arrays_of_a_line() -> None:
    """Each of 40 copies of 500 numbers is alive, with its shadow; so are the products that the adjoint needs."""
    found = {one.line: one for one in enzyme.inspect.tape(heat, np.linspace(0.0, 1.0, 500), 40)}
    copies = found[line_of(heat, "v = u.copy()")]
    assert copies.bytes >= 40 * 500 * 8
    assert copies.blocks >= 40
    assert copies.statement == "v = u.copy()"


def linear(x):
    total = 0.0
    for i in range(x.size):
        total += 3.0 * x[i]
    return total


def test_what_keeps_nothing() -> None:
    found = enzyme.inspect.tape(linear, np.ones(1000))
    assert found.bytes == 0 and not found.lines
    assert "0 bytes" in str(found)


def test_captured_values_and_results_are_left_alone() -> None:
    w = np.linspace(0.5, 1.0, 100)
    x = np.ones(100)
    f = lambda x: np.sum(np.exp(w * x) * x)
    assert enzyme.inspect.tape(f, x).bytes >= 0
    np.testing.assert_array_equal(x, 1.0)
    np.testing.assert_allclose(enzyme.grad(f)(x), (1 + w) * np.exp(w), rtol=1e-14)
