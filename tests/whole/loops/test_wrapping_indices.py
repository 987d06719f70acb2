"""Loops that read an array at an index that may wrap around, and others that write it: the pass asserts on comparing the two.

Of four numbers (., b, ., d) the kernel overwrites the first and third with s in each turn. With w = x[i - 1] + 1/2 it then fills
four equal rows with s d, s b, s b, s d times w^2: their squares come to 8 s^2 (b^2 + d^2) w^4 in a turn, and over the turns
w - 1/2 is d, s, b, s.
"""

from __future__ import annotations

import numba
import numpy as np

import enzyme_py as enzyme
from enzyme_py.llvm import Module
from enzyme_py.passes.base import Draft
from enzyme_py.passes.memory.cache_marks import NO_RECOMPUTING, without_recomputing

B, D, S = -0.4, 0.2, 0.6


@numba.njit
def rows_of_neighbours(x, s):
    """What is read at i - 1 is overwritten behind the loops; the sum walks through a matrix of temporaries."""
    t = 0.0
    for i in range(x.size):
        u = np.flip(x) * 1.0  # noqa: F841 - without it the pass does not fail
        x[::2] = s
        m = np.empty((x.size, x.size))
        for k in range(x.size):
            r = np.roll(x, 1) * (x[i - 1] + 0.5)
            m[k] = r * r[::-1]
        t += np.sum(m * m)
    x[:2] = 0.0
    return t


def _by_hand() -> tuple[float, float, float, float]:
    """Return the value and its slopes along b, d and s."""
    b, d, s = B + 0.5, D + 0.5, S + 0.5
    fourth = b**4 + d**4 + 2 * s**4
    outer = 8 * S**2 * (B**2 + D**2)
    along_b = 16 * S**2 * B * fourth + outer * 4 * b**3
    along_d = 16 * S**2 * D * fourth + outer * 4 * d**3
    along_s = 16 * S * (B**2 + D**2) * fourth + outer * 8 * s**3
    return outer * fourth, along_b, along_d, along_s


def _given() -> np.ndarray:
    return np.array([9.0, B, 9.0, D])


def test_the_gradient() -> None:
    value, along_b, along_d, along_s = _by_hand()
    assert np.isclose(rows_of_neighbours(_given(), S), value)
    to_x, to_s = enzyme.grad(rows_of_neighbours, argnums=(0, 1))(_given(), S)
    np.testing.assert_allclose(to_x, (0.0, along_b, 0.0, along_d), rtol=1e-13)
    np.testing.assert_allclose(to_s, along_s, rtol=1e-13)


def test_the_slope() -> None:
    _, along_b, along_d, along_s = _by_hand()
    tangents = np.array([5.0, 2.0, 7.0, -3.0]), 4.0
    slope = enzyme.jvp(rows_of_neighbours, (_given(), S), tangents)[1]
    np.testing.assert_allclose(slope, 2 * along_b - 3 * along_d + 4 * along_s, rtol=1e-13)


def test_the_pull_back() -> None:
    """In split mode the pass makes no memory again as it is; that it is told so again must not matter."""
    _, along_b, along_d, along_s = _by_hand()
    _, pull = enzyme.vjp(rows_of_neighbours, _given(), S)
    to_x, to_s = pull(2.0)
    np.testing.assert_allclose(to_x, (0.0, 2 * along_b, 0.0, 2 * along_d), rtol=1e-13)
    np.testing.assert_allclose(to_s, 2 * along_s, rtol=1e-13)


def test_an_option_is_given_once() -> None:
    draft = Draft(Module(""), options=("--one", NO_RECOMPUTING))
    without_recomputing(draft)
    without_recomputing(draft)
    assert draft.options == ("--one", NO_RECOMPUTING)
