"""What is not written again is read once more, and nothing else is: gradients by mathematics, and marks in the code."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest

import enzyme_py as enzyme

RNG = np.random.default_rng(3)
MARK = "enzyme_nocache"


def marks(f: Any, *arguments: Any) -> int:
    return sum(MARK in line for line in enzyme.inspect.ir(f, *arguments, stage="simplified").splitlines() if " load " in line)


def by_differences(f: Callable[..., float], x: np.ndarray, step: float = 1e-6) -> np.ndarray:
    found = np.empty(x.size)
    for place in range(x.size):
        ahead, behind = x.copy(), x.copy()
        ahead.flat[place] += step
        behind.flat[place] -= step
        found[place] = (f(ahead) - f(behind)) / (2 * step)
    return found.reshape(x.shape)


@numba.njit
def cholesky(a):
    n = a.shape[0]
    low = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            total = a[i, j]
            for k in range(j):
                total -= low[i, k] * low[j, k]
            low[i, j] = math.sqrt(total) if i == j else total / low[j, j]
    result = 0.0
    for i in range(n):
        result += 2.0 * math.log(low[i, i])
    return result


def test_cholesky() -> None:
    """The logarithm of the determinant, read from the lower half: twice the inverse below the diagonal."""
    a = RNG.normal(size=(9, 9))
    a = a @ a.T + 9 * np.eye(9)
    inverse = np.linalg.inv(a)
    expected = np.tril(2 * inverse) - np.diag(np.diag(inverse))
    np.testing.assert_allclose(enzyme.grad(cholesky)(a), expected, rtol=1e-11, atol=1e-14)
    assert marks(cholesky, a) >= 3
    v = RNG.normal(size=(9, 9))
    v = v + v.T
    exact = -inverse @ v @ inverse
    np.testing.assert_allclose(
        enzyme.hvp(cholesky, a, v), np.tril(2 * exact) - np.diag(np.diag(exact)), rtol=1e-9, atol=1e-13
    )


@numba.njit
def lu(a):
    if a.shape[0] != a.shape[1]:
        raise ValueError("a square matrix")
    done = a.copy()
    n = a.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            done[i, k] /= done[k, k]
            for j in range(k + 1, n):
                done[i, j] -= done[i, k] * done[k, j]
    total = 0.0
    for k in range(n):
        total += math.log(abs(done[k, k]))
    return total


def test_lu_in_place() -> None:
    a = RNG.normal(size=(8, 8)) + 8 * np.eye(8)
    np.testing.assert_allclose(enzyme.grad(lu)(a), np.linalg.inv(a).T, rtol=1e-11, atol=1e-14)
    # done[i, k] of the quotient, done[k, k], done[i, k] and done[k, j] of the products, and the last read: not the dividend.
    assert marks(lu, a) == 4


@numba.njit
def substitution(low, right):
    x = np.zeros(right.size)
    for i in range(right.size):
        x[i] = (right[i] - low[i, :i] @ x[:i]) / low[i, i]
    return np.sum(x * x)


def test_slices_up_to_the_row() -> None:
    """The end of a slice is the smaller one of two numbers, told by paths that meet; x[:i] is not written again."""
    low = np.tril(RNG.normal(size=(7, 7))) + 3 * np.eye(7)
    right = RNG.normal(size=7)
    x = np.linalg.solve(low, right)
    adjoint = np.linalg.solve(low.T, 2 * x)
    by_low, by_right = enzyme.grad(substitution, argnums=(0, 1))(low, right)
    np.testing.assert_allclose(by_right, adjoint, rtol=1e-11, atol=1e-14)
    np.testing.assert_allclose(by_low, -np.tril(np.outer(adjoint, x)), rtol=1e-11, atol=1e-14)
    text = enzyme.inspect.ir(substitution, low, right, stage="simplified")
    assert any(MARK in line for line in text.splitlines() if "%b.value" in line)


@numba.njit
def lu_of_rows(a):
    """Without a word that a row is as long as there are rows: nothing is shown of a row's end."""
    done = a.copy()
    n = a.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            done[i, k] /= done[k, k]
            for j in range(k + 1, n):
                done[i, j] -= done[i, k] * done[k, j]
    return done[n - 1, n - 1]


def test_rows_of_unknown_length() -> None:
    a = RNG.normal(size=(5, 5)) + 5 * np.eye(5)
    np.testing.assert_allclose(enzyme.grad(lu_of_rows)(a), by_differences(lu_of_rows, a), rtol=1e-6, atol=1e-8)


@numba.njit
def windows(x, hop):
    """A flat array in windows that overlap: row i is not apart from row i + 1."""
    y = x.copy()
    width = 7
    for i in range((x.size - width) // hop):
        for j in range(width):
            y[(i + 1) * hop + j] = y[(i + 1) * hop + j] + np.sin(y[i * hop + j] * y[i * hop + j])
    return np.sum(y)


@pytest.mark.parametrize("hop", [1, 3, 6, 7, 8])
def test_windows_that_overlap(hop: int) -> None:
    x = RNG.normal(size=23) * 0.1

    found = enzyme.grad(windows, argnums=0)(x, hop)
    forward = [enzyme.jvp(windows, (x, hop), (one, 0))[1] for one in np.eye(x.size)]
    np.testing.assert_allclose(found, forward, rtol=1e-9, atol=1e-9 * np.abs(forward).max())


@numba.njit
def triangles(x):
    """What is written in a later iteration of the outer loop, and what is not."""
    n = x.size
    y = x.copy()
    total = 0.0
    for i in range(n):
        for j in range(i):
            total += y[i] * y[j] * y[j]  # y[j], j < i, is written below; y[i] is not before this iteration ends
        for j in range(i + 1):
            y[j] = 0.9 * y[j] + 0.1 * y[i] * y[i]
    return total


def test_written_by_a_later_iteration() -> None:
    x = RNG.normal(size=7)
    np.testing.assert_allclose(enzyme.grad(triangles)(x), by_differences(triangles, x), rtol=1e-6, atol=1e-8)


@numba.njit
def upwards(x):
    """Each iteration writes behind what it reads, or in front of it."""
    y = x.copy()
    total = 0.0
    for i in range(1, y.size):
        y[i - 1] = y[i] * y[i] * y[i - 1]
        total += y[i - 1]
    for i in range(y.size - 1, 0, -1):
        y[i] = y[i] * y[i - 1] + total
    return np.sum(y * y)


def test_up_and_down() -> None:
    x = RNG.normal(size=8)
    np.testing.assert_allclose(enzyme.grad(upwards)(x), by_differences(upwards, x), rtol=1e-5, atol=1e-6)


@numba.njit
def temporaries(x):
    """Memory that is made in a loop, and read after it was written: gone, or another one, when the reverse sweep comes."""
    total = 0.0
    for i in range(4):
        y = np.empty(x.size)
        for j in range(x.size):
            y[j] = x[j] * (i + 1)
        for j in range(1, x.size):
            total += y[j] * y[j - 1] * y[j]
    return total


def test_memory_made_in_a_loop() -> None:
    x = RNG.normal(size=6)
    np.testing.assert_allclose(enzyme.grad(temporaries)(x), by_differences(temporaries, x), rtol=1e-6, atol=1e-8)


@numba.njit
def into(x, out):
    """An argument that is written, and read where it is not written again."""
    out[0] = x[0]
    for i in range(1, x.size):
        out[i] = out[i - 1] * out[i - 1] * x[i]
    return out[x.size - 1]


def test_the_callers_array_in_halves() -> None:
    """Between the halves of a derivative the caller may write what the first one has read."""
    x = RNG.uniform(0.5, 1.5, 6)
    out, d_x, d_out = np.zeros(6), np.zeros(6), np.zeros(6)
    both = enzyme.Duplicated(x, d_x), enzyme.Duplicated(out, d_out)
    forward, reverse = enzyme.autodiff_thunk(
        enzyme.ReverseSplitWithPrimal, into, enzyme.Active, *both
    )
    tape, *_ = forward(*both)
    out[:] = np.nan
    reverse(*both, 1.0, tape)

    def alone(x: np.ndarray) -> float:
        return into(x, np.zeros(6))

    np.testing.assert_allclose(d_x, by_differences(alone, x), rtol=1e-6)


def before_the_first(x, steps):
    """`u[j - 1, 0]` is the last row first: LLVM writes 2**60 - 1 for -1, since the bytes of a row shift the rest out."""
    u = np.zeros((x.size, 2))
    for i in range(x.size):
        u[i, 0], u[i, 1] = x[i], 2.0 * x[i]
    total = 0.0
    for _ in range(steps):
        for j in range(x.size):
            total += u[j - 1, 0] * u[j, 1]
        u[1, 0] = u[0, 1] ** 2
    return total


def test_numbers_that_are_shifted_out() -> None:
    """In the first step 2 sum of x[j - 1] x[j], in the second with 4 x[0]**2 in the place of x[1]."""
    x = np.array([0.5, -0.3, 0.7])
    a, b, c = x
    expected = np.array([2 * (c + b), 2 * (a + c), 2 * (b + a)])
    # 2 (c a + 4 a^2 b' ...): u[0, 0] u[1, 1], u[1, 0] u[2, 1] and u[2, 0] u[0, 1] with u[1, 0] = 4 a^2
    expected += np.array([2 * b + 16 * a * c + 2 * c, 2 * a, 8 * a * a + 2 * a])
    np.testing.assert_allclose(enzyme.grad(before_the_first)(x, 2), expected, rtol=1e-14)
