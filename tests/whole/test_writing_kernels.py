"""Kernels that write to their arguments, under every way of asking for a gradient."""

from __future__ import annotations

import numba
import numpy as np

import enzyme_py as enzyme

X = np.array([0.5, 1.0, 2.0])


@enzyme.jit
def emptied(x, scale):
    """Sum of squares, and nothing is left of x."""
    total = 0.0
    for i in range(x.size):
        total += scale * x[i] * x[i]
        x[i] = 0.0
    return total


def test_reverse_runs_it_once() -> None:
    x = X.copy()
    (gradient, by_scale), value = enzyme.gradient(enzyme.ReverseWithPrimal, emptied, x, 2.0)
    assert np.allclose(gradient, 4.0 * X)
    assert by_scale == np.sum(X * X)
    assert value == 2.0 * np.sum(X * X)
    assert np.array_equal(x, np.zeros(3))


def test_forward_runs_it_on_copies() -> None:
    x = X.copy()
    (gradient, by_scale), value = enzyme.gradient(enzyme.ForwardWithPrimal, emptied, x, 2.0)
    assert np.allclose(gradient, 4.0 * X)
    assert by_scale == np.sum(X * X)
    assert value == 2.0 * np.sum(X * X)
    assert np.array_equal(x, X)


def test_forward_in_compiled_code() -> None:
    @numba.njit
    def both(x):
        return enzyme.gradient(enzyme.Forward, emptied, x, 2.0)

    gradient, by_scale = both(X.copy())
    assert np.allclose(gradient, 4.0 * X)
    assert by_scale == np.sum(X * X)


def test_a_second_call_differs_only_in_its_values() -> None:
    @enzyme.jit
    def weighted(x, w):
        return np.sum(x * x) * w

    for w in (1.0, 3.0):
        gradient, by_w = enzyme.gradient(weighted, X, w)
        assert np.allclose(gradient, 2 * w * X)
        assert by_w == np.sum(X * X)
    assert enzyme.gradient(weighted, enzyme.Const(X), 3.0)[0] is None
    assert enzyme.gradient(weighted, X, 3)[1] is None
