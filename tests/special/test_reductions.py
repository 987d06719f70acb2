"""logsumexp, softmax and log_softmax: SciPy's values, and derivatives by their formulas, to second order."""

from __future__ import annotations

import numba
import numpy as np
import pytest
import scipy.special as sp

import enzyme_py as enzyme
from enzyme_py.errors import EnzymeError, UnsupportedTypeError

A = np.random.default_rng(5).normal(size=(2, 3, 2))
X = A[0, :, 0].copy()
P = np.exp(X) / np.sum(np.exp(X))


@pytest.mark.parametrize("axis", [None, 0, -2])
def test_values_are_scipys(axis):
    weights = np.array([[0.5], [0.0], [2.0]])

    def kernel(a):
        return (
            sp.logsumexp(a, axis),
            sp.logsumexp(a, axis=axis, keepdims=True),
            sp.logsumexp(a, axis=axis, b=weights),
            sp.softmax(a, axis=axis),
            sp.log_softmax(a, axis),
        )

    for found, right in zip(numba.njit(kernel)(A), kernel(A), strict=True):
        np.testing.assert_allclose(found, right, rtol=1e-14)


def test_numbers_lists_and_types():
    kernel = numba.njit(lambda x: (sp.logsumexp([x, 2.0]), sp.logsumexp((x, 2.0)), sp.logsumexp(x), sp.softmax(x)))
    right = np.logaddexp(1.5, 2.0)
    assert kernel(1.5) == pytest.approx((right, right, 1.5, 1.0), rel=1e-15)
    single = numba.njit(lambda a: sp.softmax(a, axis=0))(A.astype(np.float32))
    assert single.dtype == np.float32
    along = numba.njit(lambda a, k: sp.logsumexp(a, k))  # known when it runs
    np.testing.assert_allclose(along(A, 1), sp.logsumexp(A, 1), rtol=1e-14)
    with pytest.raises(ValueError, match="axis is out of bounds"):
        along(A, 3)


INFINITE = [[-np.inf, -np.inf], [np.inf, 1.0], [np.nan, 1.0], [-np.inf, 1.0], [np.inf, -np.inf], []]


def test_infinite_numbers():
    kernel = numba.njit(lambda a: sp.logsumexp(a))
    for one in INFINITE[:-1]:
        np.testing.assert_equal(kernel(np.array(one)), sp.logsumexp(np.array(one)))
    assert kernel(np.array([])) == -np.inf
    slope = enzyme.grad(lambda a: sp.logsumexp(a))(np.array([-np.inf, 1.0, 1.0]))
    assert slope.tolist() == [0.0, 0.5, 0.5]


def test_large_numbers_do_not_overflow():
    assert enzyme.grad(lambda a: sp.logsumexp(a))(np.array([1e4, 1e4])).tolist() == [0.5, 0.5]


def test_first_and_second_derivatives():
    covariance = np.diag(P) - np.outer(P, P)
    np.testing.assert_allclose(enzyme.grad(lambda a: sp.logsumexp(a))(X), P, rtol=1e-14)
    np.testing.assert_allclose(enzyme.hessian(lambda a: sp.logsumexp(a))(X), covariance, atol=1e-15)
    np.testing.assert_allclose(enzyme.jacrev(lambda a: sp.softmax(a))(X), covariance, atol=1e-15)
    np.testing.assert_allclose(enzyme.jacfwd(lambda a: sp.log_softmax(a))(X), np.eye(3) - P, atol=1e-15)


def test_along_an_axis():
    slope = enzyme.grad(lambda a: np.sum(sp.logsumexp(a, axis=1) ** 2))(A)
    sums = sp.logsumexp(A, axis=1, keepdims=True)
    np.testing.assert_allclose(slope, 2 * sums * sp.softmax(A, axis=1), rtol=1e-13)


def test_weights():
    weights = np.array([0.5, 0.0, 2.0])
    total = np.sum(weights * np.exp(X))
    by_weights, by_numbers = enzyme.grad(lambda b, a: sp.logsumexp(a, b=b), argnums=(0, 1))(weights, X)
    np.testing.assert_allclose(by_weights, np.exp(X) / total, rtol=1e-14)  # also where the weight is zero
    np.testing.assert_allclose(by_numbers, weights * np.exp(X) / total, rtol=1e-14)


def test_what_is_refused_says_what_to_write():
    for kernel, told in (
        (lambda a: sp.logsumexp(a, axis=(0, 1))[0], "a reshape before it"),
        (lambda a: sp.logsumexp(a, return_sign=True)[0], r"np\.sign"),
        (lambda a: sp.logsumexp(a + 1j).real, r"np\.log\(np\.sum"),
    ):
        with pytest.raises(UnsupportedTypeError, match=told):
            enzyme.grad(kernel)(A)
    with pytest.raises(EnzymeError, match=r"scipy\.special\.comb[\s\S]*rules\.python"):
        enzyme.grad(lambda x: sp.comb(x, 2.0))(3.0)
