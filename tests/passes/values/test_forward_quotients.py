"""Quotients in forward mode: tangents by hand, where the square of a divisor is no number."""

from __future__ import annotations

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.llvm import Module
from enzyme_py.passes.base import Draft
from enzyme_py.passes.values.forward_quotients import ForwardQuotients, MarkQuotients


def _quotient(x):
    return x[0] / x[1]


@pytest.mark.parametrize("divisor", [1e200, 1e-200, -3e160, 2e-155, 7.0])
def test_divisors_of_all_sizes(divisor: float) -> None:
    x = np.array([1.5, divisor])
    slopes = np.array([1.0 / divisor, -1.5 / divisor / divisor])
    np.testing.assert_allclose(enzyme.jacfwd(_quotient)(x), slopes, rtol=1e-15)
    np.testing.assert_allclose(enzyme.grad(_quotient)(x), slopes, rtol=1e-15)
    for i in range(2):
        along = np.eye(2)[i]
        value, tangent = enzyme.jvp(_quotient, (x,), (along,))
        assert value == 1.5 / divisor
        assert tangent == pytest.approx(slopes[i], rel=1e-15)


@pytest.mark.parametrize("divisor", [1e25, 3e-25, 5.0])
def test_single_precision(divisor: float) -> None:
    x = np.array([2.0, divisor], np.float32)
    with np.errstate(over="ignore", under="ignore"):
        slopes = np.array([1 / x[1], -(x[0] / x[1]) / x[1]])
    np.testing.assert_allclose(enzyme.jacfwd(_quotient)(x), slopes, rtol=1e-6)


@pytest.mark.parametrize("divisor", [1e200, 1e-200])
def test_a_constant_divisor(divisor: float) -> None:
    def captured(x):
        return x / divisor

    def written(x):
        return x / 1e200 + x / 1e-200

    assert enzyme.jvp(captured, (3.0,), (2.0,))[1] == pytest.approx(2.0 / divisor, rel=1e-15)
    assert enzyme.jvp(written, (3.0,), (2.0,))[1] == pytest.approx(2e200, rel=1e-15)


def test_a_constant_dividend() -> None:
    def inverse(y):
        return 3.0 / y

    assert enzyme.jvp(inverse, (1e-160,), (1e-20,))[1] == pytest.approx(-3e300, rel=1e-15)


def test_a_tangent_alone_is_right_without_the_quotient() -> None:
    """The sum is not asked for: nothing divides x by y there."""

    def total(x, y):
        s = 0.0
        for i in range(x.size):
            s += x[i] / y[i]
        return s

    x, y = np.array([1.0, 2.0, -3.0]), np.array([1e180, 1e-140, 4.0])
    expected = np.array([1e-180, 1e140, 0.25])
    np.testing.assert_allclose(enzyme.jacfwd(total)(x, y), expected, rtol=1e-15)
    by_y = -x / y / y
    np.testing.assert_allclose(enzyme.jacfwd(total, argnums=1)(x, y), by_y, rtol=1e-15)


def test_zero_by_strong_zero_where_nothing_moves() -> None:
    """At y = 0 a tangent of zeros gives zero, as ever; one that is not zero is infinite."""

    def safe(x, y):
        return np.where(y > 0.0, x / y, x)

    x, y = np.array([1.0, 2.0]), np.array([0.0, 4.0])
    _, tangent = enzyme.jvp(safe, (x, y), (np.zeros(2), np.zeros(2)))
    assert tangent.tolist() == [0.0, 0.0]
    _, tangent = enzyme.jvp(safe, (x, y), (np.ones(2), np.ones(2)))
    np.testing.assert_allclose(tangent, [1.0, 0.25 - 2.0 / 16])


def test_what_the_kernel_divides_by_squares_stays() -> None:
    def by_square(x):
        return (x[0] * x[1] - 2.0 * x[2]) / (x[1] * x[1])

    x = np.array([0.3, 1.7, 0.6])
    value, tangent = enzyme.jvp(by_square, (x,), (np.array([1.0, 0.0, 0.0]),))
    assert value == by_square(x)  # to the last bit
    assert tangent == pytest.approx(1.0 / 1.7, rel=1e-15)


@pytest.mark.parametrize("divisor", [1e90, 1e-90, 3.0])
def test_second_derivatives(divisor: float) -> None:
    """-1 / y**2 and 2 x / y**3: y**4 is no number, but for the last."""
    x = np.array([1.5, divisor])
    mixed, twice = -1.0 / divisor / divisor, 3.0 / divisor / divisor / divisor
    expected = [[0.0, mixed], [mixed, twice]]
    for hessian in (enzyme.hessian(_quotient), enzyme.jacfwd(enzyme.jacfwd(_quotient))):
        np.testing.assert_allclose(hessian(x), expected, rtol=1e-14)


MADE = """
define double @tangent(double %x, double %dx, double %y, double %dy) {
  %q = fdiv double %x, %y, !enzyme_py_own_quotient !0
  %a = fmul double %dx, %y
  %b = fmul double %dy, %x
  %n = fsub double %a, %b
  %s = fmul double %y, %y
  %t = fdiv double %n, %s
  %z = fcmp oeq double %n, 0.000000e+00
  %r = select i1 %z, double 0.000000e+00, double %t
  %own = fdiv double %n, %s, !enzyme_py_own_quotient !0
  ret double %r
}
!0 = !{}
"""


def _behind(text: str) -> str:
    draft = Draft(Module(text))
    ForwardQuotients().run(draft)
    return str(draft.code)


def test_one_division_for_one() -> None:
    text = _behind(MADE)
    assert text.count(" fdiv ") == MADE.count(" fdiv ")
    assert "fdiv double %tangent" in text  # of a difference that no square has divided
    assert "fdiv double %n, %s\n" in text  # the kernel's own
    assert "enzyme_py_own_quotient" not in text


def test_an_inverse_where_there_is_no_quotient() -> None:
    """Two directions share it."""
    other = """
  %a2 = fmul double %y, %dx
  %b2 = fmul double %x, %dx
  %n2 = fsub double %a2, %b2
  %t2 = fdiv double %n2, %s
  %sum = fadd double %r, %t2
  ret double %sum
"""
    text = MADE.replace("  %q = fdiv double %x, %y, !enzyme_py_own_quotient !0\n", "")
    text = _behind(text.replace("  ret double %r\n", other.lstrip("\n")))
    assert text.count("fdiv double 1.000000e+00, %y") == 1
    assert text.count(" fdiv ") == 2  # it, and the kernel's own


def test_marks() -> None:
    draft = Draft(Module("define float @f(float %x) {\n  %y = fdiv float 1.0, %x\n  ret float %y\n}\n"))
    MarkQuotients().run(draft)
    assert "fdiv float 1.0, %x, !enzyme_py_own_quotient !" in str(draft.code)
