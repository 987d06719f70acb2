"""Slices of integers that are assigned to slices of the same array, in all modes.

Numba copies the source where the two may overlap; the copy holds integers, and must be known to.
"""

from __future__ import annotations

import numpy as np
import pytest

import enzyme_py as enzyme

X = np.array([0.9, 0.3, 0.4, -0.2])


def inserted(x):
    """An order that is kept by insertion, as simplex searches have it: the largest square shrinks to the second smallest."""
    f = x * x
    order = f.argsort()
    worst = order[-1]
    f[worst] *= 0.1
    for i, j in enumerate(order):
        if f[worst] < f[j]:
            order[i + 1 :] = order[i:-1]
            order[i] = worst
            break
    return f[order[1]] * f[order[2]]


def moved(x, order):
    """Rows of small integers that are moved within their table."""
    order = order.copy()
    order[1:, :] = order[:-1, :]
    order[:, :-1] = order[:, 1:]
    total = 0.0
    for row in order:
        total += x[row[0]] ** 3
    return total


def test_an_order_that_is_kept_by_insertion():
    """Squares 0.81, 0.09, 0.16, 0.04: the first becomes 0.081, and the product is that of the first two, 0.1 x0^2 x1^2."""
    want = 0.1 * np.array([2 * 0.9 * 0.09, 2 * 0.3 * 0.81, 0.0, 0.0])
    assert np.allclose(enzyme.grad(inserted)(X), want)
    way = np.array([0.5, 1.0, -2.0, 3.0])
    assert np.allclose(enzyme.jvp(inserted, (X,), (way,))[1], want @ way)
    hessian = np.zeros((4, 4))
    hessian[0, 0], hessian[1, 1] = 0.2 * 0.09, 0.2 * 0.81
    hessian[0, 1] = hessian[1, 0] = 0.4 * 0.9 * 0.3
    assert np.allclose(enzyme.hessian(inserted)(X), hessian)


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.uint16, np.int8])
def test_tables_of_integers(kind):
    order = np.array([[0, 1, 2], [3, 3, 0], [1, 0, 3]], kind)
    # rows 0, 0, 1 of the table, whose second columns are first then: 1, 1, 3
    want = 3 * X**2 * np.array([0.0, 2.0, 0.0, 1.0])
    assert np.allclose(enzyme.grad(moved)(X, order), want)
    assert np.allclose(enzyme.jvp(moved, (X, order), (X, None))[1], want @ X)
