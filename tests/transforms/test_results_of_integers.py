"""Results with arrays of integers beside what has a derivative: an order, a mask, a table, in all modes."""

from __future__ import annotations

import numba
import numpy as np
import pytest

import enzyme_py as enzyme

X = np.array([0.9, 0.3, 0.4])
WAY = np.array([1.0, -2.0, 0.5])
TABLE = np.array([2, 0, 1])
DEEP = np.asfortranarray(np.arange(6).reshape(2, 3))


def order(x, table):
    return x.argsort(), x * x


def copied(x, table):
    return table.copy(), x * x


def counted(x, table):
    return table + 1, x * x


def handed_back(x, table):
    return table, x * x


def mask(x, table):
    return x > 0.35, x * x


def pair(x, table):
    return (np.argmax(x), x.argsort()), x * x


KERNELS = [order, copied, counted, handed_back, mask, pair]


TABLES = [TABLE, TABLE.astype(np.int32), TABLE[::-1], np.array(7), DEEP, DEEP.T]


def leaves(value):
    return [leaf for one in value for leaf in leaves(one)] if isinstance(value, tuple) else [value]


@pytest.mark.parametrize(("kernel", "table"), [(one, TABLE) for one in KERNELS] + [(copied, one) for one in TABLES[1:]])
def test_forward(kernel, table):
    value, tangent = enzyme.jvp(kernel, (X, table), (WAY, enzyme.make_zero(table)))
    *integers, numbers = zip(leaves(value), leaves(tangent), leaves(kernel(X, table)), strict=True)
    for one, zero, want in integers:
        assert np.array_equal(one, want)
        assert np.shape(zero) == np.shape(want)
        assert not np.any(zero)
    assert np.array_equal(numbers[0], X * X)
    assert np.allclose(numbers[1], 2 * X * WAY)


@pytest.mark.parametrize("kernel", KERNELS)
def test_jacobians(kernel):
    assert np.allclose(enzyme.jacfwd(kernel)(X, TABLE)[-1], np.diag(2 * X))


@pytest.mark.parametrize("kernel", [order, copied, mask])
@pytest.mark.parametrize("nothing", [None, 0, np.zeros(3), np.zeros(3, np.int64)])
def test_reverse_with_anything_for_integers(kernel, nothing):
    _, pull = enzyme.vjp(kernel, X, TABLE)
    slopes = pull((nothing, WAY))
    assert np.allclose(slopes[0], 2 * X * WAY)
    assert slopes[1] is None


def test_a_cotangent_of_none_for_numbers_is_refused():
    _, pull = enzyme.vjp(order, X, TABLE)
    with pytest.raises(enzyme.errors.ShadowError, match=r"NoneType, where an array of shape \(3,\) belongs"):
        pull((None, None))


def test_in_compiled_code():
    kernel = numba.njit(order)

    @numba.njit
    def along(x, way, table):
        (places, squares), (zeros, slopes) = enzyme.jvp(kernel, (x, table), (way, np.zeros_like(table)))
        return places, squares, zeros, slopes

    places, squares, zeros, slopes = along(X, WAY, TABLE)
    assert places.tolist() == [1, 2, 0]
    assert np.array_equal(squares, X * X)
    assert zeros.tolist() == [0, 0, 0]
    assert np.allclose(slopes, 2 * X * WAY)


def test_second_orders():
    """The slope of the tangent of x * x along 2: 2 * 2."""

    def along(x):
        return enzyme.jvp(order, (x, TABLE), (2.0 * np.ones_like(x), np.zeros_like(TABLE)))[1][1]

    assert np.allclose(enzyme.jacfwd(along)(X), 4.0 * np.eye(3))
