"""Loops that LLVM unrolls, with arrays that are a view or a copy of it: the pass ends by an assertion where it makes them again."""

from __future__ import annotations

import numpy as np

import enzyme_py as enzyme

X = np.random.default_rng(3).random((4, 3)) + 0.15


def of_an_inverse(x):
    """The sum over two columns of 1 / (x.x - 0.04)."""
    s = 0.0
    for k in range(2):
        column = np.ascontiguousarray(x[:, k])
        gram = np.empty((2, 2))
        gram[0, 0] = np.sum(column * column)
        gram[0, 1] = gram[1, 0] = 0.2
        gram[1, 1] = 1.0
        s += np.linalg.inv(gram)[0, 0]
    return s


def test_an_inverse_of_what_may_be_a_copy():
    squares = np.sum(X * X, axis=0)[:2] - 0.04
    expected = np.zeros_like(X)
    expected[:, :2] = -2 * X[:, :2] / squares**2
    np.testing.assert_allclose(enzyme.grad(of_an_inverse)(X), expected, rtol=1e-12)

    v = np.random.default_rng(4).normal(size=X.shape)
    along = np.sum(X * v, axis=0)[:2]
    product = np.zeros_like(X)
    product[:, :2] = -2 * v[:, :2] / squares**2 + 8 * X[:, :2] * along / squares**3
    np.testing.assert_allclose(enzyme.hvp(of_an_inverse, X, v), product, rtol=1e-11)
    assert "without making memory again" in str(enzyme.inspect.attempts(of_an_inverse, X))
