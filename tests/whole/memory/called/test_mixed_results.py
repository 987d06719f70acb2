"""Functions that return numbers of several types, called by functions that are called: neither is inlined, as large ones are not.

What of the result is read is a float, and what else lies beside it needs a place in the forward sweep, too.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from tests.passes.switches import leave_out

X = np.array([0.5, 2.0, 3.0])


@numba.njit
def counted(x):
    return x[0] * x[1], 40


@numba.njit
def flagged(x):
    return x[0] * x[1], True


@numba.njit
def counted_first(x):
    return 40, x[0] * x[1]


@numba.njit
def beside_an_array(x):
    return x[0] * x[1], x * 2.0


@numba.njit
def in_a_tuple(x):
    return x[0] * x[1], (3, x[2])


@numba.njit
def number_of_counted(x):
    number, _ = counted(x)
    return number


@numba.njit
def number_of_flagged(x):
    number, is_it = flagged(x)
    return number if is_it else 0.0


@numba.njit
def number_of_counted_first(x):
    _, number = counted_first(x)
    return number


@numba.njit
def number_beside_an_array(x):
    number, _ = beside_an_array(x)
    return number


@numba.njit
def number_of_a_tuple(x):
    number, (_, _) = in_a_tuple(x)
    return number


@numba.njit
def summed(x):
    """Three times the product, a call in each iteration."""
    total = 0.0
    for _ in range(3):
        number, count = counted(x)
        if count > 30:
            total += number
    return total


NUMBERS = [number_of_counted, number_of_flagged, number_of_counted_first, number_beside_an_array, number_of_a_tuple]


@pytest.fixture(autouse=True)
def is_not_inlined(monkeypatch: pytest.MonkeyPatch) -> None:
    leave_out("LLVM's inlining", monkeypatch.setattr)


def squared(number: Any) -> Any:
    return numba.njit(lambda x: number(x) ** 2)


@pytest.mark.parametrize("number", NUMBERS)
def test_gradients(number: Any) -> None:
    """Of (x0 x1)^2: 2 x0 x1^2 and 2 x0^2 x1."""
    np.testing.assert_allclose(enzyme.grad(squared(number))(X), [4.0, 1.0, 0.0], rtol=1e-15)


def test_a_call_in_a_loop() -> None:
    np.testing.assert_allclose(enzyme.grad(squared(summed))(X), [36.0, 9.0, 0.0], rtol=1e-15)


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("way", ["forward over reverse", "reverse over reverse"])
def test_second_orders(number: Any, way: str) -> None:
    """Along v: 2 x1^2 v0 + 4 x0 x1 v1, and 4 x0 x1 v0 + 2 x0^2 v1."""
    gradient, v = enzyme.grad(squared(number)), np.array([1.0, 3.0, 5.0])
    if way == "forward over reverse":
        _, found = enzyme.jvp(gradient, (X,), (v,))
    else:
        (found,) = enzyme.vjp(gradient, X)[1](v)
    np.testing.assert_allclose(found, [8.0 * 1.0 + 4.0 * 3.0, 4.0 * 1.0 + 0.5 * 3.0, 0.0], rtol=1e-15)
