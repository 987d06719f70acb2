"""Loops of called functions that run as often as a number says that the function reads, and writes over.

Without the pass `read bounds` two `pop(i)` of one typed list, in reverse mode, are wrong without a word (five items), or end the process (six).
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest
from numba.typed import List

import enzyme_py as enzyme

X = np.arange(1.0, 7.0)


@numba.njit
def taken_out(x: Any, n: Any) -> Any:
    """The numbers 0 and 4."""
    items = List()
    for i in range(n):
        items.append(x[i])
    first = items.pop(0)
    return first * items.pop(3)


@numba.njit
def put_behind(x: Any, n: Any) -> Any:
    """The numbers 2 and 1 are taken out of a list of all, to which all are added in between; what is left is summed up."""
    items = List()
    items.extend(x)
    first = items.pop(2)
    items.extend(x)
    second = items.pop(1)
    s = 0.0
    for one in items:
        s += one * one
    return first * second + s


@pytest.mark.parametrize("n", [6, 5])
def test_two_numbers_are_taken_out(n: int) -> None:
    right = np.zeros(6)
    right[[0, 4]] = X[[4, 0]]
    value, gradient = enzyme.value_and_grad(taken_out)(X, n)
    assert value == 5.0
    np.testing.assert_array_equal(gradient, right)
    assert enzyme.jvp(taken_out, (X, n), (X**2, None))[1] == right @ X**2


@pytest.mark.parametrize("call", [enzyme.jacfwd, enzyme.jacrev])
def test_second_orders(call: Any) -> None:
    right = np.zeros((6, 6))
    right[0, 4] = right[4, 0] = 1.0
    np.testing.assert_array_equal(call(enzyme.grad(taken_out))(X, 6), right)


def test_a_list_that_grows_in_between() -> None:
    right = 4.0 * X
    right[[1, 2]] += X[[2, 1]] - 2.0 * X[[1, 2]]
    np.testing.assert_allclose(enzyme.grad(put_behind)(X, 6), right, rtol=1e-14)
