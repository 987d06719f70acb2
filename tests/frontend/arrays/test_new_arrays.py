"""Arrays that a kernel makes several times: each is the kernel's own to Enzyme, in all orders."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.frontend.arrays.new_arrays import makes_array, makes_list
from enzyme_py.testing import check_grads
from tests.rotation import sweep

X = np.linspace(-0.8, 0.9, 6).reshape(3, 2)


def both_ways(x, start):
    """Two recurrences that begin with arrays of one type, and whose states are kept."""
    y = np.zeros((x.shape[0], 2 * x.shape[1]))
    h = start(x)
    for t in range(x.shape[0]):
        h = np.tanh(x[t] + h)
        y[t, : x.shape[1]] = h
    h = start(x)
    for t in range(x.shape[0] - 1, -1, -1):
        h = np.tanh(x[t] - h)
        y[t, x.shape[1] :] = h
    return np.sum(y * y)


STARTS = {
    "zeros": lambda x: np.zeros(x.shape[1]),
    "ones": lambda x: np.ones(x.shape[1]),
    "full": lambda x: np.full(x.shape[1], 0.3),
    "zeros_like": lambda x: np.zeros_like(x[0]),
    "full_like": lambda x: np.full_like(x[0], 0.3),
}


def of_start(name):
    start = STARTS[name]
    return lambda x: both_ways(x, start)


@pytest.mark.parametrize("start", sweep(STARTS, 3))
def test_every_order_of_two_recurrences(start) -> None:
    check_grads(of_start(start), (X,), order=2)


def test_forward_over_forward_by_hand() -> None:
    """d^2 tanh = -2 tanh (1 - tanh^2), of one step each way: h = tanh(x) twice."""
    loss = of_start("zeros")
    x, v = X[:1], np.ones((1, 2))

    def slope(x):
        return enzyme.jvp(loss, (x,), (np.ones((1, 2)),))[1]

    h = np.tanh(x)
    first = 2.0 * np.sum(2.0 * h * (1.0 - h**2))
    second = 2.0 * np.sum(2.0 * (1.0 - h**2) ** 2 - 4.0 * h**2 * (1.0 - h**2))
    found = enzyme.jvp(slope, (x,), (v,))
    np.testing.assert_allclose(found, (first, second), rtol=1e-13)


def stand_in(module: Any, name: str) -> Any:
    """Return a function that says it is one of Numba's."""

    def function(): ...

    function.__module__, function.__qualname__ = module.__name__, name
    return function


def test_all_of_numbas_are_known() -> None:
    """What makes arrays in Numba is still called what it was."""
    from numba.np import arrayobj

    makers = (
        arrayobj.ol_np_empty,
        arrayobj.ol_np_empty_like,
        arrayobj.ol_np_zeros,
        arrayobj.ol_np_zeros_like,
        arrayobj.ol_np_ones,
        arrayobj.ol_np_ones_like,
        arrayobj.impl_np_full,
        arrayobj.impl_np_full_like,
    )
    for maker in makers:
        inner = [one for one in maker.__code__.co_consts if hasattr(one, "co_qualname")]
        names = [one.co_qualname for one in inner]
        assert names
        for name in names:
            assert makes_array(stand_in(arrayobj, name)), name


def test_all_of_numbas_lists_are_known() -> None:
    from numba.cpython import listobj

    (inner,) = [one for one in listobj.list_constructor_iterable.__code__.co_consts if hasattr(one, "co_qualname")]
    assert makes_list(stand_in(listobj, inner.co_qualname))


def bounded(x):
    """Bounds of a band, as sktime's: no derivative flows through them."""
    n = x.size
    upper = np.interp(list(range(n)), [0, n - 1], [-2.0, n - 3.0])
    lower = np.interp(list(range(n)), [0, n - 1], [2.0, n + 1.0])
    total = 0.0
    for i in range(n):
        total += upper[i] * lower[i] * x[i] ** 3
    return total


@pytest.mark.parametrize("inner", [enzyme.jacfwd, enzyme.jacrev])
def test_second_orders_of_lists_that_are_interpolated(inner: Any) -> None:
    """Refused until lists were inlined: the bounds are i - 2 and i + 2 at 4 points."""
    x = np.array([0.5, -1.5, 2.0, 0.25])
    i = np.arange(4.0)
    np.testing.assert_allclose(enzyme.grad(bounded)(x), 3 * (i**2 - 4) * x**2, rtol=1e-13)
    np.testing.assert_allclose(inner(enzyme.grad(bounded))(x), np.diag(6 * (i**2 - 4) * x), rtol=1e-13, atol=1e-15)
