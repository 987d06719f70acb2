"""np.cbrt, np.sinc, np.std, complex roots and powers by integers, whose code in Numba has no derivative at zero, a wrong second one elsewhere, or a slow one.

They are compiled in place of functions inside of Numba's own, by name. As in frontend/numpy_functions/special.py, the value is
Numba's own, as a constant, and the derivatives are those of something smooth.
"""

from __future__ import annotations

import cmath
import contextlib
import inspect
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.typing import signature
from numba.extending import intrinsic, overload, register_jitable
from numba.np import npyfuncs, ufunc_db
from numba.np.numpy_support import as_dtype

from enzyme_py.frontend.codegen.library_calls import called, constant, library_function
from enzyme_py.frontend.codegen.outlining import outlined
from enzyme_py.frontend.numpy_functions.infinite_slopes import steep
from enzyme_py.rules.numbers.integer_powers import POWER
from enzyme_py.rules.numbers.roots import AT_ZERO, ROOT
from enzyme_py.symbols import BARRIER

_LARGE_ROOT, _AT_LAST = (2.0**one for one in AT_ZERO["double"])

_root = library_function("cbrt", 1)


_sign = ufunc_db.get_ufunc_info(np.sign)["d->d"]


@contextlib.contextmanager
def constant_signs() -> Iterator[None]:
    """Within the block, np.sign gives constants; Numba's gives zero itself at zero, with a slope."""
    kinds = ufunc_db.get_ufunc_info(np.sign)
    usual = {kind: code for kind, code in kinds.items() if code is _sign}
    kinds.update(dict.fromkeys(usual, _constant_sign))
    try:
        yield
    finally:
        kinds.update(usual)


def _constant_sign(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> Any:
    return _sign(context, builder, sig, [called(builder, f"{BARRIER}.{args[0].type}", args)])


def smooth_version(function: Any) -> Any:
    """Return what is compiled in place of a function that Numba compiles for its own use."""
    if function.__qualname__ == _COMPLEX_ROOT and function.__module__.endswith(".cmathimpl"):
        return _steep_at_zero(function)
    if function.__module__ != npyfuncs.__name__:
        return function
    return _REPLACED.get(function.__qualname__, function)


def _cbrt(x):  # type: ignore[no-untyped-def]
    if x == 0.0:
        return steep(np.float64(x), -math.copysign(1.0, x))
    if math.isinf(x) or math.isnan(x):
        return x
    value = _root(constant(np.float64(x)))
    smooth = math.exp(math.log(abs(np.float64(x))) / 3.0)
    return value + math.copysign(1.0, value) * (smooth - constant(smooth))


def _steep_at_zero(root: Callable[..., Any]) -> Callable[..., Any]:
    """Return Numba's root of a complex number, with an infinite slope at zero: its steps gave numbers there, without a word."""
    usual = register_jitable(root)

    def sqrt(z):  # type: ignore[no-untyped-def]
        if z == 0.0:
            return complex(0.0 + steep(np.float64(z.real), -1.0), steep(np.float64(z.imag), -1.0))
        return usual(z)

    return sqrt


def power_by_slopes(power: Any, exponent: ir.Value) -> Any:
    """Return what is compiled in place of Numba's power of a float by an integer; the same function again where it is something else.

    A constant exponent is left to LLVM, which makes products of it, and to Enzyme.
    """
    if power.__qualname__ != _INTEGER_POWER or isinstance(exponent, ir.Constant):
        return power
    kind = inspect.getclosurevars(power).nonlocals["tp"]
    if kind not in types.real_domain:
        return power
    if kind not in _POWERS:  # one for each type, which is compiled once
        _POWERS[kind] = _by_slopes(power, kind)
    return _POWERS[kind]


def _by_slopes(power: Any, kind: Any) -> Callable[..., Any]:
    """Return Numba's power of a float by an integer, computed in a function of its own, with derivatives (rules/numbers/integer_powers.py)."""
    usual = register_jitable(power)

    def by_another_name(a, b):  # type: ignore[no-untyped-def]  # compiled by Numba; by its own name it would be replaced again
        return usual(a, b)

    @intrinsic
    def value_of(typing_context, a, b):  # type: ignore[no-untyped-def]
        def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]) -> Any:
            def values(inner: ir.IRBuilder, given: Sequence[Any]) -> Any:
                return context.compile_internal(inner, by_another_name, sig, list(given))

            return outlined(context, builder, values, args)

        return signature(kind, a, b), lower

    def int_power(a, b):  # type: ignore[no-untyped-def]
        return _with_slopes(kind(a), b, value_of(constant(kind(a)), b))

    return int_power


@intrinsic
def _with_slopes(typing_context, a, b, value):  # type: ignore[no-untyped-def]
    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]) -> Any:
        return called(builder, f"{POWER}{args[0].type}", args)

    return signature(value, value, types.int64, value), lower


_POWERS: dict[Any, Callable[..., Any]] = {}
_INTEGER_POWER = "int_power_impl.<locals>.int_power"
_COMPLEX_ROOT = "sqrt_impl.<locals>.sqrt_impl"  # of Numba's two modules cmathimpl
_REPLACED: dict[str, Callable[..., Any]] = {"np_real_cbrt_impl.<locals>._cbrt": _cbrt}

_SERIES = tuple((-1.0) ** k / math.factorial(2 * k + 1) for k in range(9, -1, -1))


@register_jitable
def _smooth_sinc(y):  # type: ignore[no-untyped-def]
    """Return sin(y) / y by its series, for numbers below one."""
    square = y * y
    value = square * 0.0
    for factor in _SERIES:
        value = value * square + factor
    return value


@overload(np.sinc, target="enzyme", strict=False)  # annotations would count as a difference
def _sinc(x: Any) -> Callable[..., Any] | None:
    if isinstance(x, types.Complex):
        return _complex_sinc
    if not isinstance(x, types.Float):
        return None

    def sinc(x):  # type: ignore[no-untyped-def]
        y = x * np.pi
        if abs(y) < 1.0:
            at, smooth = constant(y), _smooth_sinc(y)
            value = np.sin(at) / at if at != 0.0 else 1.0
            return value + (smooth - constant(smooth))
        return np.sin(y) / y

    return sinc


def _complex_sinc(x):  # type: ignore[no-untyped-def]
    y = x * np.pi
    if y.real * y.real + y.imag * y.imag < 1.0:
        at, smooth = complex(constant(y.real), constant(y.imag)), _smooth_sinc(y)
        value = np.sin(at) / at if at != 0.0 else 1.0 + 0.0j
        return value + (smooth - complex(constant(smooth.real), constant(smooth.imag)))
    return np.sin(y) / y


def _spread(a):  # type: ignore[no-untyped-def]
    """Return np.std of an array."""
    return _root_of_variance(a, a.var())


@register_jitable
def _root_of_variance(a, square):  # type: ignore[no-untyped-def]
    """Return a root whose slope at zero is zero, as that of a norm of zeros."""
    value, steep = 0.0, 0.0
    if square == 0.0:
        steep = _steepness(a)
    else:
        value = square**0.5
    return _marked(value, square, steep)


@register_jitable
def _steepness(a):  # type: ignore[no-untyped-def]
    """Return a zero whose second derivatives are infinite where those of the variance are not zero: of equal numbers, but for NaN.

    Both factors of a square are large, and the sum once more behind it: no slope is infinite on the way, so zero times it is zero.
    """
    total, mean = 0.0, np.nanmean(a)
    for one in a.flat:
        part = (one - mean) * _LARGE_ROOT
        total += (part * np.conj(part)).real if not np.isnan(one) else 0.0
    return total * _AT_LAST if total == 0.0 else 0.0


@intrinsic
def _marked(typing_context, value, square, steep):  # type: ignore[no-untyped-def]
    """Mark a root with its square (rules/numbers/roots.py)."""

    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]) -> Any:
        return called(builder, f"{ROOT}{args[0].type}", args)

    return signature(types.float64, types.float64, types.float64, types.float64), lower


@overload(np.std, target="enzyme", strict=False)
def _std(a: Any) -> Callable[..., Any] | None:
    return _spread if isinstance(a, types.Array) else None


@overload(np.nanstd, target="enzyme", strict=False)
def _nanstd(a: Any) -> Callable[..., Any] | None:
    if not isinstance(a, types.Array):
        return None

    def nanstd(a):  # type: ignore[no-untyped-def]
        return _root_of_variance(a, np.nanvar(a))

    return nanstd


def method(function: Any, sig: Any) -> Callable[..., Any] | None:
    """Return what lowers `x.std()`, None for anything else (see scans.method)."""
    if sig is None or getattr(function, "typing_key", None) != (types.Array, "std"):
        return None

    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]) -> Any:
        return context.compile_internal(builder, _spread, sig.as_function(), args)

    return lower


@register_jitable
def _sinh_at_infinity(x, y):  # type: ignore[no-untyped-def]
    if math.isnan(y):
        return complex(x, y)
    real, imaginary = math.cos(y), math.sin(y)
    return complex(
        real * x if real != 0.0 else real, imaginary * abs(x) if imaginary != 0.0 else imaginary
    )


@overload(cmath.sinh, target="enzyme", strict=False)
def _complex_sinh(z: Any) -> Callable[..., Any] | None:
    if not isinstance(z, types.Complex):
        return None

    def sinh(z):  # type: ignore[no-untyped-def]
        x, y = z.real, z.imag
        if math.isinf(x):
            # Products with an infinity, also not taken, make NaN of second derivatives.
            return _sinh_at_infinity(constant(x), constant(y))
        return complex(math.cos(y) * math.sinh(x), math.sin(y) * math.cosh(x))

    return sinh


@overload(npyfuncs._npy_logaddexp, target="enzyme", strict=False)
def _logaddexp(x1: Any, x2: Any) -> Callable[..., Any] | None:
    return _sum_of_powers(np.exp, 1.0, as_dtype(x1).type) if x1 == x2 else None


@overload(npyfuncs._npy_logaddexp2, target="enzyme", strict=False)
def _logaddexp2(x1: Any, x2: Any) -> Callable[..., Any] | None:
    return _sum_of_powers(np.exp2, 1.0 / math.log(2.0), as_dtype(x1).type) if x1 == x2 else None


def _sum_of_powers(power: Any, unit: float, kind: Any) -> Callable[..., Any]:
    """Return log(b^x1 + b^x2) to the base b.

    Numba's forgets the second of two equal numbers. Here half of the slope comes from the choice of the
    larger one, less what the slope of abs at 0 takes away.
    """

    def logarithm(x1, x2):  # type: ignore[no-untyped-def]
        if x1 == x2 and math.isinf(x1):
            return x1
        larger = max(x1, x2)
        return larger + kind(unit) * np.log1p(power(-abs(x1 - x2)))

    return logarithm
