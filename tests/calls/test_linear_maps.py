"""linearize, and kernels whose results are what they write."""

from __future__ import annotations

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.errors import ShadowError

X = np.array([1.0, 2.0, 3.0])


@enzyme.jit
def waves(x, a):
    return np.sin(x) * a, np.sum(x) * a


def test_linearize() -> None:
    (values, total), push = enzyme.linearize(waves, X, 2.0)
    np.testing.assert_allclose(values, 2 * np.sin(X))
    assert total == 12.0
    along_x = push(np.ones(3), 0.0)
    along_a = push(np.zeros(3), 1.0)
    both = push(np.ones(3), 1.0)
    np.testing.assert_allclose(along_x[0], 2 * np.cos(X))
    np.testing.assert_allclose(along_a[0], np.sin(X))
    np.testing.assert_allclose(both[0], along_x[0] + along_a[0])
    assert (along_x[1], along_a[1]) == (6.0, 6.0)


def test_it_holds_copies() -> None:
    given = X.copy()
    push = enzyme.linearize(waves, given, 2.0)[1]
    given[:] = 0.0
    np.testing.assert_allclose(push(np.ones(3), 0.0)[0], 2 * np.cos(X))


def test_in_compiled_code_and_differentiated() -> None:
    @numba.njit
    def inside(x):
        push = enzyme.linearize(waves, x, 2.0)[1]
        x[:] = 0.0
        return push(np.ones(3), 0.0)[0]

    np.testing.assert_allclose(inside(X.copy()), 2 * np.cos(X))

    @enzyme.jit
    def total_slope(x):
        push = enzyme.linearize(waves, x, 2.0)[1]
        return np.sum(push(np.ones(3), 0.0)[0])

    np.testing.assert_allclose(enzyme.grad(total_slope)(X), -2 * np.sin(X))


def test_tangents_that_do_not_fit() -> None:
    push = enzyme.linearize(waves, X, 2.0)[1]
    with pytest.raises(ShadowError, match="has shape"):
        push(np.ones(4), 0.0)
    with pytest.raises(ShadowError, match="2 primals need as many tangents, not 1"):
        push(np.ones(3))


def fill(out, x):
    for i in range(x.size):
        out[i] = x[i] ** 2 * out[i]


def test_what_is_written_is_the_result() -> None:
    out, before = np.full(3, 2.0), X.copy()
    by_out, by_x = enzyme.jacobian(enzyme.output_of(fill), out, X)
    np.testing.assert_array_equal(by_out, np.diag(X**2))
    np.testing.assert_array_equal(by_x, np.diag(4 * X))
    np.testing.assert_array_equal(out, np.full(3, 2.0))
    np.testing.assert_array_equal(X, before)
    value, pull_back = enzyme.vjp(enzyme.output_of(fill), out, X)
    np.testing.assert_array_equal(value, 2 * X**2)
    np.testing.assert_array_equal(pull_back(np.ones(3))[1], 4 * X)


def test_two_outputs() -> None:
    def swap(a, b):
        for i in range(a.size):
            a[i], b[i] = b[i] * 2.0, a[i] * 3.0

    (by_a, _), (_, by_b) = enzyme.jacfwd(enzyme.output_of(swap, (1, 0)), argnums=(0, 1))(X, X)
    np.testing.assert_array_equal(by_a, 3 * np.eye(3))
    np.testing.assert_array_equal(by_b, 2 * np.eye(3))


def test_outputs_of_a_closure() -> None:
    factor = np.array([2.0, 3.0, 4.0])

    def scale(out, x):
        for i in range(x.size):
            out[i] = factor[i] * x[i]

    written = enzyme.output_of(scale)
    np.testing.assert_array_equal(enzyme.jacobian(written, X, X)[1], np.diag(factor))
    factor[0] = 7.0
    np.testing.assert_array_equal(enzyme.jacobian(written, X, X)[1], np.diag(factor))
