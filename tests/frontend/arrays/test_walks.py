"""Walks through arrays in any layout: `flat`, `ndenumerate`, `ndindex`, `nditer`, and transposed views.

The kernels are sums of squares with weights, so the gradients are written down.
"""

from __future__ import annotations

import itertools

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.testing import check_grads
from tests.rotation import sweep

X = np.random.default_rng(3).uniform(0.5, 1.5, (2, 3, 4))
WEIGHTS = np.arange(1.0, 25.0)
LAYOUTS = {
    "C": X,
    "F": np.asfortranarray(X),
    "backwards": X[:, ::-1],
    "strided": np.repeat(X, 2, axis=2)[..., ::2],
    "empty": X[:, :0],
}


@pytest.fixture(params=LAYOUTS)
def x(request):
    return LAYOUTS[request.param]


def over_flat(x, weights):
    total = 0.0
    i = 0
    for value in x.flat:
        total += weights[i] * value * value
        i += 1  # noqa: SIM113
    return total


def over_pairs(x):
    total = 0.0
    for (i, j, k), value in np.ndenumerate(x):
        total += value * value * (i + 2 * j + 7 * k)
    return total


def over_indices(x):
    total = 0.0
    for i, j, k in np.ndindex(x.shape):
        total += x[i, j, k] ** 2 * (i + 2 * j + 7 * k)
    for _ in np.ndindex():  # once
        total *= 3.0
    return total


def over_pairs_of_arrays(x, y, number):
    """Elements side by side: of two arrays of any layouts, and of a number."""
    total = 0.0
    n = 1.0
    for a, b, c in np.nditer((x, y, number)):
        total += n * a.item() ** 2 * b.item() * c.item()
        n += 1.0
    return total


def written_through(x):
    y = x.copy().T
    for one in np.nditer(y):
        one[()] = one.item() ** 2
    return np.sum(y)


def of_transposed(x, axes, weights):
    return over_flat(x.transpose(axes), weights)


def test_flat(x) -> None:
    (gradient, _) = enzyme.gradient(over_flat, x, WEIGHTS)
    expected = 2.0 * x * WEIGHTS[: x.size].reshape(x.shape)
    np.testing.assert_allclose(gradient, expected, rtol=1e-14)


def test_ndenumerate_and_ndindex(x) -> None:
    i, j, k = np.indices(x.shape)
    expected = 2.0 * x * (i + 2 * j + 7 * k)
    np.testing.assert_allclose(enzyme.gradient(over_pairs, x)[0], expected, rtol=1e-14)
    np.testing.assert_allclose(enzyme.gradient(over_indices, x)[0], 3.0 * expected, rtol=1e-14)


@pytest.mark.parametrize("other", sweep([*LAYOUTS, "matrix", "row"], 2, 1))
def test_nditer(x, other) -> None:
    """In the order in which Numba walks: columns first where most arrays lie that way."""
    y = 2.0 - {**LAYOUTS, "matrix": X[0], "row": X[0, 1]}[other]
    if other in LAYOUTS and y.shape != x.shape:
        with pytest.raises(ValueError, match="could not be broadcast together"):
            enzyme.gradient(over_pairs_of_arrays, x, y, 3.0)
        return
    if y.shape[-2:] != x.shape[-y.ndim :][-2:]:
        return
    layouts = [numba.typeof(one).layout if one.ndim > 1 else "CF" for one in (x, y)]
    is_by_columns = sum("F" in one for one in layouts) > sum("C" in one for one in layouts)
    n = np.arange(1.0, x.size + 1.0).reshape(x.shape, order="F" if is_by_columns else "C")
    found = enzyme.gradient(over_pairs_of_arrays, x, y, 3.0)
    wide = np.broadcast_to(y, x.shape)
    by_y = n * x**2 * 3.0
    np.testing.assert_allclose(found[0], 6.0 * n * x * wide, rtol=1e-14)
    np.testing.assert_allclose(found[1], by_y.sum(axis=tuple(range(x.ndim - y.ndim))), rtol=1e-13)
    assert found[2] == pytest.approx(np.sum(n * x**2 * wide), rel=1e-13)


def test_nditer_of_views_that_are_written_to(x) -> None:
    np.testing.assert_allclose(enzyme.gradient(written_through, x)[0], 2.0 * x, rtol=1e-15)


@pytest.mark.parametrize("function", sweep([np.mean, np.var, np.prod, np.std], 2, 1))
def test_second_orders_of_what_numba_sums_by_nditer(function) -> None:
    def loss(x):
        total = 0.0
        for i in range(x.shape[1]):
            total += function(x[:, i]) ** 2
        return total

    check_grads(loss, (X,), order=2)


def test_walks_keep_nothing() -> None:
    """Reverse mode kept an index and a pointer of every element: 4.5 times the array's memory."""
    assert enzyme.inspect.memory(over_flat, LAYOUTS["F"], WEIGHTS).tape == 0


@pytest.mark.parametrize("is_negative", [False, True])
def test_every_order_of_axes(is_negative: bool) -> None:
    for axes in itertools.permutations(range(3)):
        given = tuple(axis - 3 for axis in axes) if is_negative else axes
        turned = X.transpose(axes)
        expected = 2.0 * turned * WEIGHTS.reshape(turned.shape)
        gradient = enzyme.gradient(of_transposed, X, given, WEIGHTS)[0]
        np.testing.assert_allclose(gradient.transpose(axes), expected, rtol=1e-14)


@pytest.mark.parametrize(
    ("axes", "message"),
    [((0, 0, 1), "repeated"), ((0, 1, 3), "out of bounds"), ((0, 1, -4), "out of bounds")],
)
def test_axes_that_do_not_fit_raise_as_the_primal_does(axes, message: str) -> None:
    kernel = enzyme.jit(of_transposed)
    for ask in (
        lambda: kernel(X, axes, WEIGHTS),
        lambda: enzyme.gradient(kernel, X, axes, WEIGHTS),
    ):
        with pytest.raises(ValueError, match=message):
            ask()
