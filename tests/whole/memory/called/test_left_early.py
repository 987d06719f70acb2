"""A loop that reads memory, hands it to a function that does not keep it, and is left early; then the memory is overwritten through a moving pointer.

The slopes by hand: s becomes 0.8 s + 0.2 a[i % n] S in each iteration, where S is the sum of a.
"""

from __future__ import annotations

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from tests.passes.switches import leave_out

X = np.array([0.3, 0.8, 0.5, 0.7, 0.2])


@numba.njit
def mixed(x, p, cuts):
    a = x.copy()
    s = p
    i = 0
    while True:
        s = 0.8 * s + 0.2 * a[i % a.size] * np.sum(a)
        i += 1
        if i > 3 or np.max(a) * i > 1.37:
            break
    for _ in range(cuts):
        if a.size > 3:
            a = a[1:]
    a[1:] = 0.5 * a[:-1] + 0.1
    return s


@numba.njit
def twice(x, cuts):
    left = [x[0]]
    got = mixed(x * 0.9, x[1], cuts)
    for _ in range(cuts):
        left.append(got)  # noqa: PERF401  # appending is what is asked
    if len(left) > 1:
        got += 0.3 * left.pop()
    return mixed(x, got, cuts)


def slopes_of_mixed(a: np.ndarray, p: float) -> tuple[float, np.ndarray, float]:
    """Return what `mixed` returns, and its slopes by a and by p."""
    s, by_a, by_p, i = p, np.zeros(a.size), 1.0, 0
    while True:
        by_a = 0.8 * by_a + 0.2 * a[i % a.size]
        by_a[i % a.size] += 0.2 * a.sum()
        s, by_p = 0.8 * s + 0.2 * a[i % a.size] * a.sum(), 0.8 * by_p
        i += 1
        if i > 3 or a.max() * i > 1.37:
            return s, by_a, by_p


def slopes_of_twice(x: np.ndarray, cuts: int) -> np.ndarray:
    got, by_a, by_p = slopes_of_mixed(0.9 * x, x[1])
    by_x = 0.9 * by_a
    by_x[1] += by_p
    factor = 1.3 if cuts else 1.0  # the list's last is `got` itself
    _, by_a, by_p = slopes_of_mixed(x, factor * got)
    return by_a + factor * by_p * by_x


@pytest.mark.parametrize("inlining", ["inlined", "not inlined"])
@pytest.mark.parametrize("cuts", [0, 1, 2])
def test_what_is_read_before_is_cached(cuts: int, inlining: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if inlining == "not inlined":
        leave_out("LLVM's inlining", monkeypatch.setattr)
    np.testing.assert_allclose(enzyme.grad(twice)(X, cuts), slopes_of_twice(X, cuts), rtol=1e-13)
