"""Third derivatives have no vectors of straight-line code: LLVM 22.1 made such vectors wrong, without a word.

The kernel is tanh(s x1) tanh(s / d^5), d = 1.1 + x0 / 4: two numbers change places in two iterations of a loop that ends at a break.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

import enzyme_py as enzyme
from enzyme_py import Const, Duplicated, Forward

N = 5
X = np.random.default_rng(1).uniform(-1.0, 1.0, N)
S = 0.37
W, DS = np.random.default_rng(2).uniform(-1.0, 1.0, N), -0.6


@numba.njit
def kernel(x: Any, s: Any, n: Any) -> Any:
    q, u = s * x[1], s
    for _ in range(n):
        u = u / (1.1 + 0.25 * x[0])
    for i in range(n - 1, -1, -1):
        if i == 2:
            break
        u, q = (q, np.tanh(u))
    return q * u


slopes = enzyme.grad(kernel, argnums=(0, 1))


@numba.njit
def along(x: Any, s: Any, v: Any, vs: Any, n: Any) -> Any:
    dx, ds = slopes(x, s, n)
    return np.sum(dx * v) + ds * vs


@numba.njit
def bent(x: Any, s: Any, w: Any, ws: Any, v: Any, vs: Any, n: Any) -> Any:
    both = Duplicated(x, w), Duplicated(s, ws)
    return enzyme.autodiff(Forward, along, Duplicated, *both, Const(v), Const(vs), Const(n))[0]


def third_by_hand() -> float:
    """Third derivative along (W, DS), by polynomials in a step t: truncated products, quotients and tanh."""

    def product(a: Any, b: Any) -> Any:
        return np.convolve(a, b)[:4]

    def tanh(a: Any) -> Any:
        value = np.tanh(a[0])
        first = 1 - value * value
        h = np.array([0.0, *a[1:]])
        square = product(h, h)
        cube = product(square, h)
        return np.array([value, 0, 0, 0]) + first * h - value * first * square + (value * value - 1 / 3) * first * cube

    s = np.array([S, DS, 0.0, 0.0])
    d = np.array([1.1 + 0.25 * X[0], 0.25 * W[0], 0.0, 0.0])
    ratio = -d[1] / d[0]
    inverse = np.array([1.0, ratio, ratio**2, ratio**3]) / d[0]
    u = s
    for _ in range(N):
        u = product(u, inverse)
    q = product(s, np.array([X[1], W[1], 0.0, 0.0]))
    return float(6 * product(tanh(q), tanh(u))[3])


def test_forward_over_forward_over_reverse() -> None:
    fixed = [Const(one) for one in (W.copy(), DS, W.copy(), DS, N)]
    (found,) = enzyme.autodiff(Forward, bent, Duplicated, Duplicated(X, W), Duplicated(S, DS), *fixed)
    assert np.isclose(found, third_by_hand(), rtol=1e-12)
