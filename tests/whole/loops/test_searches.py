"""What a search gives: the derivative of its steps, and that of the root with a step of Newton's behind it (docs/limits.md)."""

from __future__ import annotations

import math

import numpy as np

import enzyme_py as enzyme


def bisected(low, high, p):
    for _ in range(60):
        middle = 0.5 * (low + high)
        if (middle * middle - p) * (low * low - p) >= 0.0:
            low = middle
        else:
            high = middle
    return low


def ended_by_newton(low, high, p):
    x = bisected(low, high, p)
    return x - (x * x - p) / (2.0 * x)


def test_steps_do_not_depend_on_what_they_compare():
    """The root is low + (high - low) times a number of 60 bits, whatever p is."""
    by_low, by_high, by_p = enzyme.grad(bisected, argnums=(0, 1, 2))(1.0, 2.0, 2.0)
    part = math.sqrt(2.0) - 1.0
    assert by_p == 0.0
    assert np.allclose([by_low, by_high], [1.0 - part, part])


def test_a_step_of_newton_has_the_derivative_of_the_root():
    for derivative in (enzyme.grad(ended_by_newton, argnums=(0, 1, 2)), enzyme.jacfwd(ended_by_newton, argnums=(0, 1, 2))):
        by_low, by_high, by_p = derivative(1.0, 2.0, 2.0)
        assert np.allclose([by_low, by_high, by_p], [0.0, 0.0, 0.5 / math.sqrt(2.0)], atol=1e-12)
