"""Lists of views that are read in a loop, and whose items are exchanged behind it: gradients against forward mode, and by hand."""

from __future__ import annotations

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from tests.fuzz.helpers import changed_at, put_in_order

X = np.array([0.3, 0.8, 0.5, 0.7, 1.2, 0.4])


@numba.njit
def exchanged(x):
    """What is read of the list, LLVM reads by the list's own memory; what is exchanged, by a pointer from its header."""
    y = 0.4 * x + 0.5
    w = np.sin(y)
    order = np.argsort(-w)
    views = [y[1:], w[:-1], y[2:]]
    v, u = (w, y)
    t = 0.3 * y[0]
    for i in range(3):
        t += changed_at(v, v, 0)
        u, v = put_in_order(u, v, 1)
        v[order[i] % 4] = views[i][2]
    v[::-1][:4] *= 0.5
    views[0] = y[1:]
    views[1] = y[1:]
    views[2] = y[1:]
    return t + np.sum(v * v)


@numba.njit
def appended(x, n):
    """The list's memory is made anew as it grows."""
    views = [x[1:]]
    t = 0.0
    for i in range(n):
        views.append(x[i % 3 :])
        t += views[i][0] * views[-1][1]
    for i in range(n):
        views[i] = x[:3]
    return t + views[0][0]


def test_items_that_are_exchanged_behind_a_loop() -> None:
    gradient = enzyme.grad(exchanged)(X)
    step = 1e-6
    for place, unit in enumerate(np.eye(X.size)):
        _, along = enzyme.jvp(exchanged, (X,), (unit,))
        assert gradient[place] == pytest.approx(along, rel=1e-12, abs=1e-14)
        difference = (exchanged(X + step * unit) - exchanged(X - step * unit)) / (2 * step)
        assert along == pytest.approx(difference, rel=1e-7, abs=1e-7)


@pytest.mark.parametrize("n", [1, 3, 6])
def test_lists_that_grow(n: int) -> None:
    begins = [1, *(i % 3 for i in range(n))]
    slope = np.zeros(X.size)
    for i in range(n):
        first, second = begins[i], begins[i + 1] + 1
        slope[first] += X[second]
        slope[second] += X[first]
    slope[0] += 1.0
    np.testing.assert_allclose(enzyme.grad(appended)(X, n), slope, rtol=1e-13)
