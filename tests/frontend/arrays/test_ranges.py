"""`range` in kernels: the items are Python's, and derivatives of loops with steps."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.testing import check_grads
from tests.rotation import sweep


def read(x, start, stop, step):
    """Digits to the base of eleven say which items came, and in which order."""
    total = x * 0.0
    for i in range(start, stop, step):
        total = total * 11.0 + x * (i + 5.0)
    return total


GRADIENT = enzyme.value_and_grad(read)


def test_items_are_pythons() -> None:
    steps = (-7, -3, -2, -1, 1, 2, 3, 7)
    for start, stop, step in itertools.product(range(-4, 5), range(-4, 5), steps):
        wanted = 0.0
        for i in range(start, stop, step):
            wanted = wanted * 11.0 + i + 5.0
        assert GRADIENT(1.0, start, stop, step) == (wanted, wanted), (start, stop, step)


def test_far_ends() -> None:
    most = 2**62
    assert GRADIENT(1.0, -most, 0, most)[0] == (5.0 - most)
    assert GRADIENT(1.0, most, most + 3, 2)[1] == (most + 5.0) * 11.0 + most + 7.0


def test_no_step_raises() -> None:
    with pytest.raises(ValueError, match=r"range\(\) arg 3 must not be zero"):
        GRADIENT(1.0, 0, 3, 0)


def stepped(x, a, n):
    """A loop that is left, with memory of its own, within a loop with a step: it crashed the pass."""
    total = 0.0
    for i in range(0, n, 2):
        for j in range(n):
            parts = [np.sum(np.tanh(a @ x)) * (i + 1)]
            for part in parts:
                total += np.sin(part + j) * 0.25
            if j == n - 2:
                break
    return np.tanh(total)


def down(x, n):
    total = 0.0
    for i in range(n - 1, -1, -2):
        for j in range(i, n, 3):
            total += x[i] * np.cos(x[j]) * total + x[j]
    return total


X = np.array([0.3, -0.8, 0.5, 0.9])


@pytest.mark.parametrize("n", sweep(range(5), 2))
def test_loops_with_steps(n: int) -> None:
    a = np.outer(X, np.cos(X))
    check_grads(lambda x, a: stepped(x, a, n), (X, a), order=1)
    check_grads(lambda x: down(x, n), (X,), order=2)
