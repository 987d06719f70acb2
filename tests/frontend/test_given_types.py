"""Functions that were compiled for given types, and variables with given types: both convert numbers.

The derivative is that of the function with its conversions: one to an integer has the slope zero, one to float32 has the
slope one, at the number in float32.
"""

from __future__ import annotations

import numba
import numpy as np
import pytest

import enzyme_py as enzyme


def product(x):
    return x * x * 1.5


SINGLE = float(np.float32(2.7))
GIVEN = {
    "float64(int64)": (6.0, 0.0),
    "float64(float32)": (SINGLE * SINGLE * 1.5, 3.0 * SINGLE),
    "float32(float64)": (float(np.float32(2.7 * 2.7 * 1.5)), 3.0 * 2.7),
}


@pytest.mark.parametrize("signature", GIVEN)
def test_a_signature_converts(signature: str) -> None:
    value, slope = GIVEN[signature]
    f = numba.njit(signature)(product)
    assert f(2.7) == pytest.approx(value, rel=1e-7)
    (got,), primal = enzyme.gradient(enzyme.ReverseWithPrimal, f, 2.7)
    assert primal == f(2.7)
    assert got == pytest.approx(slope, rel=1e-7)

    @numba.njit
    def calls(x):
        return 2.0 * f(x)

    (got,), primal = enzyme.gradient(enzyme.ReverseWithPrimal, calls, 2.7)
    assert primal == calls(2.7)
    assert got == pytest.approx(2.0 * slope, rel=1e-7)
    assert enzyme.jvp(calls, (2.7,), (1.0,)) == (primal, pytest.approx(2.0 * slope, rel=1e-7))


def test_the_signature_that_numba_chooses() -> None:
    f = numba.njit(["float32(float32)", "float64(float64)"])(product)
    for kind in (np.float32, np.float64):
        (_, primal) = enzyme.gradient(enzyme.ReverseWithPrimal, f, kind(2.7))
        assert primal == f(kind(2.7))


def test_the_layout_of_an_array_is_that_at_hand() -> None:
    f = numba.njit("float64(float64[::1])")(lambda x: np.sum(x * x))
    x = np.arange(6.0)[::2]
    with pytest.raises(TypeError):
        f(x)
    np.testing.assert_array_equal(enzyme.grad(f)(x), 2.0 * x)


def test_types_of_variables_convert() -> None:
    @numba.njit(locals={"n": numba.int64, "y": numba.float32})
    def f(x):
        n = x * x  # 7
        y = n * x
        return y * 1.0

    (got,), primal = enzyme.gradient(enzyme.ReverseWithPrimal, f, 2.7)
    assert primal == f(2.7) == float(np.float32(7 * 2.7))
    assert got == pytest.approx(7.0, rel=1e-7)


def test_a_signature_is_part_of_what_a_derivative_is_found_by() -> None:
    """Two functions of one source, of which one converts: both slopes, from the disk as well."""
    plain, given = numba.njit(product), numba.njit("float64(int64)")(product)
    assert enzyme.grad(plain)(2.7) == pytest.approx(3.0 * 2.7)
    assert enzyme.grad(given)(2.7) == 0.0
    assert enzyme.grad(numba.njit(product))(2.7) == pytest.approx(3.0 * 2.7)


# -- functions that Numba inlines as Python's code -------------------------------------------------


@numba.njit("float64[:](float64[:], float64)", inline="always")
def scaled_and_inlined(x, s):
    return x * s


@numba.njit(inline="always")
def squared_and_inlined(x):
    return x * x


@pytest.mark.parametrize("scale", [2, 2.5])
def test_a_function_that_numba_inlines_is_pulled_back(scale):
    """Called from Python it converts, as its signature says; Numba cannot inline a call that hands on all arguments at once."""
    x = np.array([1.0, -2.0])
    value, pull = enzyme.vjp(scaled_and_inlined, x, scale)
    np.testing.assert_array_equal(value, x * scale)
    slopes = pull(np.array([1.0, 3.0]))
    np.testing.assert_array_equal(slopes[0], scale * np.array([1.0, 3.0]))
    assert slopes[1] == (None if isinstance(scale, int) else -5.0)
    np.testing.assert_array_equal(enzyme.jacobian(scaled_and_inlined, x, scale)[0], scale * np.eye(2))
    assert enzyme.jvp(scaled_and_inlined, (x, scale), (x, 0.0 * scale))[1].tolist() == [scale, -2.0 * scale]


def test_a_function_that_numba_inlines_has_a_gradient_in_compiled_code():
    @numba.njit
    def slopes(x):
        return enzyme.grad(squared_and_inlined)(x) + enzyme.vjp(squared_and_inlined, x)[1](1.0)[0]

    assert slopes(3.0) == 12.0
    assert enzyme.grad(lambda x: squared_and_inlined(x) * x)(2.0) == 12.0
    assert enzyme.hessian(squared_and_inlined)(2.0) == 2.0
