"""The derivative of an expression of the table."""

from __future__ import annotations

import math

import pytest

from enzyme_py.special.expressions import derivative, joined, split

SCOPE = {name: getattr(math, name) for name in ("exp", "log", "sqrt", "sin", "cos", "sinh", "cosh")}
SCOPE["sign"] = lambda x: math.copysign(1.0, x)


@pytest.mark.parametrize(
    "text",
    [
        "x * x - 3.0 * x",
        "exp(-x * x) / (1.0 + x)",
        "x ** 3 + 2.0 ** x",
        "x ** x",
        "sqrt(x) * log(x)",
        "sin(x) * cosh(x) if x > 1.0 else 7.0",
        "cos(x) if x > 2.0 else sinh(x) * x",
        "abs(-x) * 2.0",
        "y / x",
    ],
)
def test_derivative_is_that_of_differences(text):
    x, step = 1.7, 1e-6
    at = [eval(text, {**SCOPE, "x": x + h, "y": 0.3}) for h in (step, -step)]
    found = eval(derivative(text, "x"), {**SCOPE, "x": x, "y": 0.3})
    assert found == pytest.approx((at[0] - at[1]) / (2 * step), rel=1e-8)


def test_constants_have_none():
    assert derivative("y * exp(y)", "x") == "0.0"


def test_calls_become_calls_of_derivatives():
    assert derivative("jv(v - 1, x)", "x") == "jv__1(v - 1, x)"
    assert derivative("jv__1(v, x * x)", "x") == "(x + x) * jv__11(v, x * x)"
    assert derivative("beta__1(x, 2.0)", "x") == "beta__01(x, 2.0)"


def test_names():
    assert split("jv__11") == ("jv", "11")
    assert split("_zeta") == ("_zeta", "")
    assert joined("beta", "10") == "beta__01"
