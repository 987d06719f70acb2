"""Functions of SciPy's that a kernel calls by their address, as ctypes and as values that are functions."""

from __future__ import annotations

import ctypes
from typing import Any

import numba
import numpy as np
import pytest
import scipy.special as sp
from numba.core import types
from numba.extending import get_cython_function_address

import enzyme_py as enzyme
from enzyme_py.errors import EnzymeError


def address(name: str) -> int:
    return int(get_cython_function_address("scipy.special.cython_special", name))


def by_ctypes(name: str, *kinds: Any) -> Any:
    return ctypes.CFUNCTYPE(*(kinds or (ctypes.c_double, ctypes.c_double)))(address(name))


class AsValue(types.WrapperAddressProtocol):  # type: ignore[misc]
    """A C function as a value, as packages make them of SciPy's."""

    def __init__(self, name: str, *arguments: Any) -> None:
        self._name, self._signature = name, types.float64(*arguments)
        self.__name__ = name

    def __wrapper_address__(self) -> int:
        return address(self._name)

    def signature(self) -> Any:
        return self._signature


gammaln = by_ctypes("gammaln")
gammaincc = by_ctypes("gammaincc", *[ctypes.c_double] * 3)
erfcx = AsValue("__pyx_fuse_1erfcx", types.float64)
without_a_row = by_ctypes("itstruve0")
without_a_row_as_value = AsValue("itstruve0", types.float64)


def test_a_pointer_of_ctypes():
    assert enzyme.grad(lambda x: gammaln(x))(2.5) == pytest.approx(sp.psi(2.5), rel=1e-14)
    assert enzyme.hessian(lambda x: gammaln(x))(2.5) == pytest.approx(
        sp.polygamma(1, 2.5), rel=1e-13
    )


def test_a_value_that_is_a_function():
    @numba.njit
    def kernel(x):
        y = np.empty_like(x)
        for i in range(x.size):
            y[i] = erfcx(x[i])
        return np.sum(y)

    x = np.array([0.3, 1.7])
    slopes = 2 * x * sp.erfcx(x) - 2 / np.sqrt(np.pi)
    np.testing.assert_allclose(enzyme.grad(kernel)(x), slopes, rtol=1e-12)
    np.testing.assert_allclose(enzyme.jvp(kernel, (x,), (np.ones(2),))[1], slopes.sum(), rtol=1e-12)


def test_an_integer_argument_has_no_derivative():
    slope = -(1.2**2) * np.exp(-1.2) / sp.gamma(3)
    assert enzyme.grad(lambda x, a: gammaincc(a, x))(1.2, 3) == pytest.approx(slope, rel=1e-13)
    with pytest.raises(EnzymeError, match="by `a` has no closed form"):
        enzyme.grad(lambda a, x: gammaincc(a, x))(3.0, 1.2)


def test_what_is_not_in_the_table_stays_a_constant_function():
    """Of a constant it may be called, of what is differentiated it needs a rule."""
    assert enzyme.grad(lambda x, c: x * without_a_row(c))(2.0, 3) == pytest.approx(
        sp.itstruve0(3.0), rel=1e-13
    )
    with pytest.raises(EnzymeError, match="no derivative rule"):
        enzyme.grad(lambda x: without_a_row(x))(2.0)
    with pytest.raises(EnzymeError, match=r"`scipy.special.itstruve0` is not among"):
        enzyme.grad(lambda x: without_a_row_as_value(x))(2.0)
