"""At the rim of a domain and at poles all derivatives are infinite, of the sign of the limit; masked, they are nothing.

Second derivatives of roots and logarithms were 0 at their rims, without a word; gamma's first one had the wrong sign at zero.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from tests.whole.numbers.choosing import one_of

INF, NAN = math.inf, math.nan
FUNCTIONS = {name: f"np.{name}(x)" for name in "sqrt log log2 log10 log1p arcsin arccos arccosh cbrt".split()}
FUNCTIONS |= {"half": "x**0.5", "gamma": "math.gamma(x)", "lgamma": "math.lgamma(x)"}
NAMES = list(FUNCTIONS)
function = one_of(FUNCTIONS.values())


@numba.njit
def single(x, k):
    return function(np.float32(x), k)


# The first three derivatives: limits from within the domain. Zero has a sign, on whose side the limit is; where both sides differ, NaN.
LIMITS = [
    *((name, 0.0, (INF, -INF, INF)) for name in "sqrt half log log2 log10".split()),
    ("sqrt", -0.0, (INF, -INF, INF)),
    ("log1p", -1.0, (INF, -INF, INF)),
    ("arcsin", 1.0, (INF, INF, INF)),
    ("arcsin", -1.0, (INF, -INF, INF)),
    ("arccos", 1.0, (-INF, -INF, -INF)),
    ("arccos", -1.0, (-INF, INF, -INF)),
    ("arccosh", 1.0, (INF, -INF, INF)),
    ("cbrt", 0.0, (INF, -INF, INF)),
    ("cbrt", -0.0, (INF, INF, INF)),
    ("gamma", 0.0, (-INF, INF, -INF)),
    ("gamma", -0.0, (-INF, -INF, -INF)),
    ("gamma", 2e-309, (-INF, INF, -INF)),
    ("gamma", 172.0, (INF, INF, INF)),
    ("gamma", -1.0, (NAN, NAN, NAN)),
    ("lgamma", 0.0, (-INF, INF, -INF)),
    ("lgamma", -0.0, (INF, INF, INF)),
    ("lgamma", -2.0, (NAN, NAN, NAN)),
    *((name, -2.0, (NAN, NAN, NAN)) for name in "sqrt log log1p".split()),
]


def slope(x, k):
    return enzyme.jvp(function, (x, k), (1.0, None))[1]


def slope_of_single(x, k):
    return enzyme.jvp(single, (x, k), (1.0, None))[1]


@pytest.mark.parametrize(("kernel", "slope"), [(function, slope), pytest.param(single, slope_of_single, marks=pytest.mark.full)])
def test_limits(kernel: Callable[..., float], slope: Callable[..., float]) -> None:
    gradient = enzyme.grad(kernel)

    def along(f: Callable[..., float], x: float, k: int) -> tuple[float, float]:
        return enzyme.jvp(f, (x, k), (1.0, None))

    def second_slope(x, k):
        return enzyme.jvp(gradient, (x, k), (1.0, None))[1]

    for name, place, (first, second, third) in LIMITS:
        x = 1e-39 if kernel is single and 0.0 < place < 1e-300 else place
        k = NAMES.index(name)
        found = [enzyme.value_and_grad(kernel)(x, k), along(kernel, x, k)]
        found += [along(gradient, x, k), enzyme.value_and_grad(gradient)(x, k), along(slope, x, k), enzyme.value_and_grad(slope)(x, k)]
        value = kernel(x, k)
        want = [(value, first)] * 2 + [(first, second)] * 4
        np.testing.assert_array_equal([*found, along(second_slope, x, k)], [*want, (second, third)], err_msg=f"{name} of {x}")


def masked(z, k):
    values = np.array([function(z[0], k), z[0] * z[0]])
    return np.where(np.array([False, True]), values, values[::-1])[1] + (function(z[1], k) if z[1] != z[0] else 0.0)


def test_masked() -> None:
    """What is not taken has no part in any derivative, whichever way it is masked."""
    gradient = enzyme.grad(masked)

    def summed(z, k):
        return np.sum(gradient(z, k))

    for name in NAMES:
        x, k = {one: x for one, x, _ in reversed(LIMITS)}[name], NAMES.index(name)
        z = np.array([x, x])
        along = enzyme.jvp(masked, (z, k), (np.ones(2), None))[1]
        np.testing.assert_array_equal([*gradient(z, k), along], [2.0 * x, 0.0, 2.0 * x], err_msg=name)
        found = [enzyme.jvp(gradient, (z, k), (np.ones(2), None))[1], enzyme.grad(summed)(z, k)]
        np.testing.assert_array_equal(found, [[2.0, 0.0]] * 2, err_msg=name)
