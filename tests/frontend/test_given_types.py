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
