"""Kernels that return a view of an argument, and make memory besides: the sizes of the view are computed.

All are linear in the array whose view they return, so the tangent is the kernel of the tangent.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import enzyme_py as enzyme

A = np.arange(12.0).reshape((2, 3, 2))
V = np.cos(A)
X = np.array([0.5, -0.3, 0.7])


def beside_a_copy(x, a):
    y = x.copy()
    y[0] = 2.0
    return a[::-1, ::2, :]


def beside_a_loop(x, a):
    t = np.zeros(3)
    for i in range(x.size):
        t = t + x * float(i)
    return a[1:, 1 : a.shape[1] - 1]


def of_a_pair(x, a):
    y = np.sin(x)
    return a[:, ::-2], a[0] * y.size


KERNELS = [beside_a_copy, beside_a_loop, of_a_pair]


def parts(result: Any) -> list[np.ndarray]:
    return [np.asarray(one) for one in (result if isinstance(result, tuple) else (result,))]


@pytest.mark.parametrize(
    "layout", [np.copy, np.asfortranarray, lambda a: np.repeat(a, 2, axis=1)[:, ::2]]
)
@pytest.mark.parametrize("kernel", KERNELS)
def test_the_tangent_is_a_view_of_the_tangent(kernel: Any, layout: Any) -> None:
    value, tangent = enzyme.jvp(kernel, (X, layout(A)), (np.ones(3), layout(V)))
    for got, want in ((value, kernel(X, A)), (tangent, kernel(X, V))):
        for one, other in zip(parts(got), parts(want), strict=True):
            np.testing.assert_array_equal(one, other)


def test_the_jacobian_and_its_derivative() -> None:
    def rows(a):
        y = a.copy()
        return (a * y)[::-1, ::2]

    a = A[0] + 1.0
    want = np.zeros((3, 1, 3, 2))
    for i in range(3):
        want[i, 0, 2 - i, 0] = 2 * a[2 - i, 0]
    np.testing.assert_allclose(enzyme.jacfwd(rows)(a), want, rtol=1e-15)
    twice = enzyme.jvp(lambda a: enzyme.jvp(rows, (a,), (V[0],))[1], (a,), (V[0],))[1]
    np.testing.assert_allclose(twice, (2 * V[0] * V[0])[::-1, ::2], rtol=1e-15)
