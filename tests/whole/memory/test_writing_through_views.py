"""Constants written through a view of what depends on x: they take its part in the gradient away.

With b = x x^T, of which one element is replaced, the kernel is (sum x^2)^2 less the square of what was there.
"""

from __future__ import annotations

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.errors import DerivativeError

X, C = np.array([0.7, 0.8, 0.9]), np.array([0.3, 0.2, 0.6])

# Each replaces b[0, 2].
VIEWS = {
    "a reshaped one": "b.reshape(9)[2] = c[0]",
    "ravel": "b.ravel()[2] = c[0]",
    "reshaped twice": "b.reshape(9).reshape((3, 3))[0, 2] = 0.5",
    "a slice of a reshaped one": "b.reshape(9)[2:3] = c[:1]",
    "a fill": "b.reshape(9)[2:3].fill(0.5)",
    "by turns": "for i in range(2, 3): b.reshape(9)[i] = c[i]",
    "under a branch": "d = b.reshape(9) if x[0] > 0 else b[1]; d[2] = c[0]",
    "transposed": "b.T[2, 0] = c[0]",
    "an axis more": "np.expand_dims(b, 0)[0, 0, 2] = c[0]",
    "a list of rows": "rows = [b[0], b[1]]; rows[0][2] = c[0]",
    "rows one by one": "for i, row in enumerate(b): row[2] = c[0] if i == 0 else row[2]",
}


@pytest.mark.parametrize("view", VIEWS)
def test_constants_written_through_a_view(view: str) -> None:
    lines = "".join(f"    {line}\n" for line in VIEWS[view].split("; "))
    scope = {"np": np}
    exec(f"def f(x, c):\n    b = np.outer(x, x)\n{lines}    return np.sum(b * b)\n", scope)
    kernel = numba.njit(scope["f"])
    square = np.sum(X**2)
    want = 4 * X * square - 2 * X * np.array([X[2] ** 2, 0.0, X[0] ** 2])
    np.testing.assert_allclose(enzyme.grad(kernel)(X, C), want, rtol=1e-14)
    tangent = enzyme.jvp(kernel, (X, C), (np.ones(3), np.zeros(3)))[1]
    np.testing.assert_allclose(tangent, np.sum(want), rtol=1e-14)


def test_constants_written_through_what_a_call_returns() -> None:
    """A dict is asked twice, so LLVM does not inline its lookup: the pointer comes back in a variable."""

    @numba.njit
    def kernel(x, c):
        b = x * x
        table = {0: b, 1: x * 2.0}
        table[0][1] = c[0]
        return np.sum(b * b) + np.sum(table[1])

    got = enzyme.grad(kernel)(X, C)
    want = 4 * X**3 * np.array([1, 0, 1]) + 2
    np.testing.assert_allclose(got, want, rtol=1e-14)
    tangent = enzyme.jvp(kernel, (X, C), (np.ones(3), np.zeros(3)))[1]
    np.testing.assert_allclose(tangent, np.sum(want), rtol=1e-14)


@numba.njit
def turned(b, k):
    if k == 0:
        return b[:]
    return turned(b, k - 1)[::-1]


def test_what_a_function_returns_that_calls_itself() -> None:
    @numba.njit
    def kernel(x, c):
        b = x * x
        turned(b[:], 3)[0] = c[0]
        return np.sum(b * b)

    with pytest.raises(DerivativeError, match="`turned` returns, which calls itself") as refusal:
        enzyme.grad(kernel)(X, C)
    assert "copy" in str(refusal.value)
    with pytest.raises(DerivativeError, match="`turned` returns, which calls itself"):
        enzyme.jvp(kernel, (X, C), (np.ones(3), np.zeros(3)))


def test_constants_written_through_a_reshaped_argument() -> None:
    @numba.njit
    def kernel(x, c):
        x.reshape(3)[1] = c[0]
        return np.sum(x**3)

    got = enzyme.grad(kernel)(X.copy(), C)
    np.testing.assert_allclose(got, [3 * X[0] ** 2, 0.0, 3 * X[2] ** 2], rtol=1e-14)
