"""Slices in a loop whose lengths are asked twice, by an index that must be in bounds and by a product of two shapes.

O2 makes one switch of both questions. What is right: derivatives by complex numbers, in plain NumPy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from tests.whole.by_complex_numbers import gradient_by_complex_numbers

ORDER = np.array([2, 0, 3, 1])
X = np.linspace(0.3, 1.2, 12)


@numba.njit
def assigned(x):
    """Each slice is written behind the next one's first element."""
    base = x.copy()
    for i in range(4):
        src = base[i : i + 4]
        dst = base[i + 1 : i + 5]
        dst[:] = dst + np.take(src, ORDER) * src
    return np.sum(base * base)


@numba.njit
def of_a_length(x, n):
    """The length is an argument."""
    base = x.copy()
    for i in range(4):
        src = base[i : i + n]
        base[i + 1 : i + 1 + n] = np.take(src, ORDER) * src
    return np.sum(base * base)


@pytest.mark.parametrize(("kernel", "rest"), [(assigned, ()), (of_a_length, (4,))])
def test_gradient(kernel: Callable[..., Any], rest: tuple[Any, ...]) -> None:
    wanted = gradient_by_complex_numbers(kernel, X, *rest)
    np.testing.assert_allclose(enzyme.grad(kernel)(X, *rest), wanted, rtol=1e-13)
    v = np.cos(np.arange(12.0))
    np.testing.assert_allclose(enzyme.jvp(kernel, (X, *rest), (v, *(0 for _ in rest)))[1], wanted @ v, rtol=1e-13)


def test_what_it_raises() -> None:
    for n, error in ((3, IndexError), (2, IndexError), (5, ValueError)):
        with pytest.raises(error):
            of_a_length(X, n)
        with pytest.raises(error):
            enzyme.grad(of_a_length)(X, n)
