"""Functions that a kernel calls more than once, so that LLVM leaves them calls, in reverse over reverse.

The outer derivative lost what a loop in such a function carries to its end: numbers that were wrong in the
second digit, without a word. The derivative by hand is that of the same code in complex numbers.
"""

from __future__ import annotations

import numpy as np
import pytest

import enzyme_py as enzyme

POINT = 0.7
TURNS = 4
STEP = 1e-30


def iterated(x, n):
    value = x
    for _ in range(n):
        value = np.sin(value) + x
    return settled(value, x)


def shifted(x, n):
    product = 1.0 + 0.0 * x
    for _ in range(n):
        product = 0.3 * product * x
        x = np.sin(x) + 1.0
    return settled(product, x)


def settled(value, x):
    """Long enough to keep its caller a call."""
    for weight in (0.9, 0.8, 0.7, 0.6, 0.5):
        value = np.sin(weight * value) + 0.3 * np.cos(x * value)
        value = np.cos(weight * value) - 0.3 * np.sin(x + value)
    value = np.sin(0.4 * value) + 0.3 * np.cos(x * value)
    value = np.sin(0.5 * value) + 0.3 * np.cos(x * value)
    value = np.sin(0.6 * value) + 0.3 * np.cos(x * value)
    value = np.sin(0.7 * value) + 0.3 * np.cos(x * value)
    value = np.sin(0.8 * value) + 0.3 * np.cos(x * value)
    value = np.sin(0.9 * value) + 0.3 * np.cos(x * value)
    return value * x


@pytest.mark.parametrize("helper", [iterated, shifted])
def test_loops_in_functions_that_are_called_twice(helper):
    compiled = enzyme.jit(helper)

    @enzyme.jit
    def twice(x, n):
        value = compiled(x, n) * compiled(1.1 * x, n)
        return value * value

    first = enzyme.grad(twice)
    second = enzyme.grad(lambda x, n: first(x, n))(POINT, TURNS)
    forward = enzyme.jvp(first, (POINT, TURNS), (1.0, None))[1]

    def slope(x):
        z = complex(x, STEP)
        value = helper(z, TURNS) * helper(1.1 * z, TURNS)
        return (value * value).imag / STEP

    step = 1e-4
    want = (slope(POINT + step) - slope(POINT - step)) / (2 * step)
    assert first(POINT, TURNS) == pytest.approx(slope(POINT), rel=1e-12)
    assert forward == pytest.approx(want, rel=1e-5)
    assert second == pytest.approx(forward, rel=1e-12)
