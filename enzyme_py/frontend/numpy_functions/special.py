"""Functions of numbers that Enzyme has no rule for, or a wrong one: what their derivatives are made of.

A row says how a symbol of Numba's is computed instead, in Python that Numba compiles into the module.
The value is that of the library's own function, to the last bit: it is a constant to derivatives, and added
to it is `a - constant(a)`, which is zero, and whose derivatives of any order are those of a. So a needs
to be right to some digits only, and derivatives of derivatives need no rules.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba.core import types
from numba.extending import register_jitable

from enzyme_py.frontend.codegen.library_calls import constant, library_function
from enzyme_py.frontend.numpy_functions.infinite_slopes import bent, steep, undefined

_HUGE = 1e308
_SHIFT = 12.0  # where Stirling's series is good to the last digit
_HALF_LOG_TWO_PI = 0.9189385332046727418
_LOG_PI = 1.1447298858494001741


@register_jitable
def _slope_of(value, smooth):  # type: ignore[no-untyped-def]  # compiled by Numba
    """Return a constant with the derivatives of something else."""
    return value + (smooth - constant(smooth))


@register_jitable
def _beyond(value, x, is_even):  # type: ignore[no-untyped-def]
    """Return the value of gamma, or of the logarithm of its size, with the slopes where it is infinite or NaN.

    About zero it is 1 / x, or -log |x|, whose slopes are even. At other poles the two sides differ.
    """
    if math.isnan(x) or (math.isinf(x) and math.isnan(value)):
        return (x + abs(x)) * x  # not a constant NaN, which has no derivative
    if math.isinf(x):  # which has no difference from itself
        return abs(x) * _HUGE * _HUGE
    zero = x - constant(x)
    if x > 1.0:  # an overflow
        return value + steep(zero, 1.0)
    if x < -0.5:
        return value + undefined(zero)
    side = math.copysign(1.0, x)
    return value - (1.0 if is_even else side) * steep(zero, -side)


@register_jitable
def _stirling(x):  # type: ignore[no-untyped-def]
    """Return the logarithm of gamma of a positive number."""
    shift = 0.0
    if x < _SHIFT:
        shift = math.log(x * (x + 1.0) * (x + 2.0) * (x + 3.0))
        shift += math.log((x + 4.0) * (x + 5.0) * (x + 6.0) * (x + 7.0))
        shift += math.log((x + 8.0) * (x + 9.0) * (x + 10.0) * (x + 11.0))
        x = x + _SHIFT
    y = 1.0 / (x * x)
    series = -3617.0 / 122400.0
    series = series * y + 1.0 / 156.0
    series = series * y - 691.0 / 360360.0
    series = series * y + 1.0 / 1188.0
    series = series * y - 1.0 / 1680.0
    series = series * y + 1.0 / 1260.0
    series = series * y - 1.0 / 360.0
    series = series * y + 1.0 / 12.0
    return (x - 0.5) * math.log(x) - x + _HALF_LOG_TWO_PI + series / x - shift


@register_jitable
def _smooth_log_gamma(x):  # type: ignore[no-untyped-def]
    if x > 0.0:
        return _stirling(x)
    # Reflection. The nearest whole number is taken off first: the rest has all its digits, near poles and of large numbers.
    part = x - math.floor(constant(x) + 0.5)
    return _LOG_PI - math.log(abs(math.sin(math.pi * part))) - _stirling(1.0 - x)


def _log_gamma_of(symbol: str, number: type = np.float64) -> Callable[..., Any]:
    """The logarithm of |gamma|, whose value is a library's; its derivative is digamma."""
    library = library_function(symbol, 1)

    def log_gamma(x):  # type: ignore[no-untyped-def]
        value, x = np.float64(library(constant(x))), np.float64(x)
        if math.isinf(value) or math.isnan(value):
            return number(_beyond(value, x, False))
        return number(_slope_of(value, _smooth_log_gamma(x)))

    return log_gamma


def _gamma_of(symbol: str, number: type = np.float64) -> Callable[..., Any]:
    """Gamma, whose value is a library's; its derivative is gamma times digamma."""
    library = library_function(symbol, 1)

    def gamma(x):  # type: ignore[no-untyped-def]
        value, x = np.float64(library(constant(x))), np.float64(x)
        if math.isinf(value) or math.isnan(value):
            return number(_beyond(value, x, True))
        smooth = _smooth_log_gamma(x)
        return number(value * math.exp(smooth - constant(smooth)))

    return gamma


def _next_after_of(symbol: str) -> Callable[..., Any]:
    """The neighbour of x: x and a constant."""
    library = library_function(symbol, 2)

    def next_after(x, y):  # type: ignore[no-untyped-def]
        return _slope_of(library(constant(x), constant(y)), x)

    return next_after


def complex_power(x, y):  # type: ignore[no-untyped-def]
    """x**y, by the steps of Numba's own C function; but a y without imaginary part may have a derivative."""
    if x == 0.0:
        if y == 0.0:
            return x + 1.0
        if y == 1.0:
            return x
        if 0.0 < y.real < 1.0:  # an infinite slope, as a complex root has it
            return complex(0.0 + steep(x.real, -1.0), 0.0 + steep(x.imag, -1.0))
        if 1.0 < y.real < 2.0:
            return complex(0.0 + bent(x.real), 0.0 + bent(x.imag))
        return x * 0.0
    size = math.hypot(x.real, x.imag)
    angle = math.atan2(x.imag, x.real)
    length = math.pow(size, y.real) / math.exp(angle * y.imag)
    phase = angle * y.real + y.imag * math.log(size)
    return complex(length * math.cos(phase), length * math.sin(phase))


def single_complex_power(x, y):  # type: ignore[no-untyped-def]
    """The same in single precision, computed in double."""
    return _narrow(complex_power_of(_wide(x), _wide(y)))


complex_power_of = register_jitable(complex_power)


@register_jitable
def _wide(z):  # type: ignore[no-untyped-def]
    return complex(z.real, z.imag)


@register_jitable
def _narrow(z):  # type: ignore[no-untyped-def]
    return np.complex64(z)


@dataclass(frozen=True)
class Special:
    """A symbol, and the function in its place, of as many numbers of one type."""

    symbol: str
    function: Callable[..., Any]
    at: tuple[tuple[float, ...], ...]  # where the table is checked
    type: Any = types.float64
    arity: int = 1
    by_address: bool = False  # numbers come by address, and the result goes to a last one


_AT_GAMMA = ((0.5,), (1.0,), (4.3,), (-1.4,), (30.0,))
_AT_LOG_GAMMA = ((0.01,), (0.5,), (2.0,), (11.9,), (-1.4,), (-20.3,), (200.0,))
_AT_NEXT = ((1.0, 2.0), (1.0, 0.0))
_ROWS = (
    *(Special(name, _gamma_of(name), _AT_GAMMA) for name in ("numba_gamma", "tgamma")),
    *(
        Special(name, _gamma_of(name, np.float32), _AT_GAMMA, types.float32)
        for name in ("numba_gammaf", "tgammaf")
    ),
    Special("lgamma", _log_gamma_of("lgamma"), _AT_LOG_GAMMA),
    Special("lgammaf", _log_gamma_of("lgammaf", np.float32), _AT_LOG_GAMMA, types.float32),
    *(Special(name, _next_after_of("numba_nextafter"), _AT_NEXT, arity=2) for name in ("numba_nextafter", "nextafter")),
    *(
        Special(name, _next_after_of("numba_nextafterf"), _AT_NEXT, types.float32, 2)
        for name in ("numba_nextafterf", "nextafterf")
    ),
    Special(
        "numba_cpow",
        complex_power,
        ((0.3, 0.4, 1.5, 0.2), (0.3, -0.4, 3.0, 0.0)),
        types.complex128,
        2,
        by_address=True,
    ),
    Special(
        "numba_cpowf",
        single_complex_power,
        ((0.3, 0.4, 1.5, 0.2), (0.3, -0.4, 3.0, 0.0)),
        types.complex64,
        2,
        by_address=True,
    ),
)
SPECIAL = {row.symbol: row for row in _ROWS}
