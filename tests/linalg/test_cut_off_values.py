"""np.linalg.pinv and lstsq where the cutoff drops singular values that are not zero.

Such a pseudo-inverse is smooth, and depends on what is dropped: in 2 x 2 with the values s > t, dropped t, its derivative along the
matrix that turns both is s / (s^2 - t^2) and so on. Checked by that, and by forward mode, reverse mode and differences.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import enzyme_py as enzyme

STEP = 1e-5


def test_two_values_by_hand() -> None:
    """At diag(2, 1) with 1 dropped: P[0, 0] = 1/s, P[1, 0] = (s B01 + t B10) / (s (s^2 - t^2)), P[0, 1] with both exchanged."""
    a = np.diag([2.0, 1.0])

    def first(a: Any) -> Any:
        return np.linalg.pinv(a, 0.6)[1, 0]

    def second(a: Any) -> Any:
        return np.linalg.pinv(a, 0.6)[0, 1]

    assert np.allclose(enzyme.grad(first)(a), [[0.0, 2.0 / 6.0], [1.0 / 6.0, 0.0]], rtol=1e-14, atol=1e-15)
    assert np.allclose(enzyme.grad(second)(a), [[0.0, 1.0 / 6.0], [2.0 / 6.0, 0.0]], rtol=1e-14, atol=1e-15)


def test_a_solution_by_hand() -> None:
    """Its second element is P[1, 0] b0 + P[1, 1] b1; the last has no derivative: both of its vectors are dropped."""

    def f(a: Any, b: Any) -> Any:
        return np.linalg.lstsq(a, b, 0.6)[0][1]

    slope = enzyme.grad(f)(np.diag([2.0, 1.0]), np.array([3.0, 5.0]))
    assert np.allclose(slope, [[0.0, 1.0], [0.5, 0.0]], rtol=1e-14, atol=1e-15)


def turned(random: np.random.Generator, m: int, n: int, values: list[float], *, is_complex: bool) -> Any:
    """Return a matrix with some singular values, and vectors at random."""
    left, right = random.normal(size=(m, m)), random.normal(size=(n, n))
    if is_complex:
        left, right = left + 1j * random.normal(size=(m, m)), right + 1j * random.normal(size=(n, n))
    middle = np.zeros((m, n))
    middle[range(len(values)), range(len(values))] = values
    return np.linalg.qr(left)[0] @ middle @ np.linalg.qr(right)[0]


def of_complex(a: Any, w: Any) -> Any:
    return np.sum((np.linalg.pinv(a, 0.3) * w).real)


def of_squares(a: Any, w: Any) -> Any:
    p = np.linalg.pinv(a, 0.3)
    return np.sum(p * p * w)


def of_solution(a: Any, b: Any) -> Any:
    return np.sum(np.linalg.lstsq(a, b, 0.3)[0] ** 3)


CASES = [
    (of_complex, 4, 3, [2.0, 1.0, 0.2]),
    (of_squares, 3, 5, [2.0, 1.5, 0.3]),
    (of_squares, 4, 4, [1.0, 1.0, 0.1, 0.05]),  # what is kept is equal: vectors have no derivatives
    (of_solution, 4, 3, [2.0, 1.0, 0.2]),
]


@pytest.mark.parametrize(("f", "m", "n", "values"), CASES)
def test_all_modes_agree(f: Any, m: int, n: int, values: list[float]) -> None:
    random = np.random.default_rng(3)
    a, d = (turned(random, m, n, values, is_complex=f is of_complex) for _ in range(2))
    other = random.normal(size=m if f is of_solution else (n, m))
    slope = enzyme.grad(f)
    along = enzyme.jvp(lambda a, w: f(a, w), (a, other), (d, np.zeros_like(other)))[1]
    assert np.isclose(np.sum((np.conj(slope(a, other)) * d).real), along, rtol=1e-12)
    near = f(a + STEP * d, other), f(a - STEP * d, other)
    assert np.isclose((near[0] - near[1]) / (2 * STEP), along, rtol=1e-8)
    bent = enzyme.jvp(lambda a, w: slope(a, w), (a, other), (d, np.zeros_like(other)))[1]
    slopes = slope(a + STEP * d, other), slope(a - STEP * d, other)
    assert np.allclose((slopes[0] - slopes[1]) / (2 * STEP), bent, rtol=1e-6, atol=1e-8)
