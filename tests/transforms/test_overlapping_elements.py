"""Arrays whose elements share memory with each other: the gradient is by each element, as if it had memory of its own."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided, sliding_window_view

import enzyme_py as enzyme

X = np.array([1.0, 2.0, 3.0, 4.0])
VIEWS = {
    "windows": sliding_window_view(X, 2),
    "written windows": as_strided(X, (3, 2), (8, 8)),
    "backwards": sliding_window_view(X, 3)[::-1, ::-1],
    "steps": as_strided(X, (2, 3), (8, 8)),
    "one for all": np.broadcast_to(X[:2], (3, 2)),
    "apart": np.arange(24.0).reshape(4, 6)[::2, 1::3],
}


def cubes(w: Any) -> Any:
    return np.sum(w * w * w)


of_windows = numba.njit(cubes)


@pytest.mark.parametrize("name", VIEWS)
def test_each_element_for_itself(name: str) -> None:
    w = VIEWS[name]
    before = w.copy()
    np.testing.assert_array_equal(enzyme.grad(cubes)(w), 3 * w**2)
    np.testing.assert_array_equal(w, before)


def test_in_tuples_and_in_compiled_code() -> None:
    w = VIEWS["windows"]
    slope, by_number = enzyme.grad(lambda t: np.sum(t[0] ** 3) * t[1])((w, 2.0))
    np.testing.assert_array_equal(slope, 6 * w**2)
    assert by_number == np.sum(w**3)
    (of_both, _), one = enzyme.grad(lambda t, u: np.sum(t[0] * t[1] * u), argnums=(0, 1))((w, w), w)
    np.testing.assert_array_equal(of_both, w**2)
    np.testing.assert_array_equal(one, w**2)
    compiled = numba.njit(lambda w: enzyme.grad(of_windows)(w))
    np.testing.assert_array_equal(compiled(w), 3 * w**2)


def test_one_argument_that_is_named_twice() -> None:
    """Each gradient is an array of its own count: the memory of one was given back twice."""

    def scaled(x: Any, y: Any) -> Any:
        return np.sum(x * x) * y

    for _ in range(50):
        one, other, by_number = enzyme.grad(scaled, argnums=(0, -2, 1))(np.ones(300), 2.0)
    np.testing.assert_array_equal(one, np.full(300, 4.0))
    np.testing.assert_array_equal(other, np.full(300, 4.0))
    assert by_number == 300.0
