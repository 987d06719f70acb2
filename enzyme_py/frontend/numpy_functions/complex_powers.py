"""Powers of complex numbers whose exponent is 2 while the kernel runs: they have a derivative by the exponent.

Numba multiplies where the exponent is 2, so `z**w` and `2.0**z` had the derivative zero by it there, without a word. Here such a product is
also multiplied by exp((w - 2) log(z)), which is one. A constant exponent has no derivative: LLVM takes the question out again.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.typing import signature
from numba.np import npyfuncs

from enzyme_py.frontend.codegen.library_calls import constant

_usual = npyfuncs.numbers.complex_power_impl
_POWERS = (operator.pow, operator.ipow, pow)


def power(function: Any, sig: Any) -> Callable[..., Any] | None:
    """Return what lowers a power of two complex numbers, None for anything else."""
    if sig is None or not isinstance(function, types.Function) or function.typing_key not in _POWERS:
        return None
    return _power if len(sig.args) == 2 and all(isinstance(one, types.Complex) for one in sig.args) else None


@contextmanager
def complex_powers() -> Iterator[None]:
    """Within the block, np.power of complex numbers does as `**`."""
    npyfuncs.numbers.complex_power_impl = _power
    try:
        yield
    finally:
        npyfuncs.numbers.complex_power_impl = _usual


def _power(context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]) -> Any:
    kind = sig.return_type
    exponent = context.make_complex(builder, kind, value=args[1])
    real = exponent.real.type
    known = builder.module.declare_intrinsic("llvm.is.constant", [real], ir.FunctionType(ir.IntType(1), [real]))
    is_two = builder.and_(
        builder.fcmp_ordered("==", exponent.real, context.get_constant(kind.underlying_float, 2)),
        builder.fcmp_ordered("==", exponent.imag, context.get_constant(kind.underlying_float, 0)),
    )
    result = cgutils.alloca_once(builder, args[0].type)
    with builder.if_else(builder.and_(is_two, builder.not_(builder.call(known, [exponent.real])))) as (then, otherwise):
        with then:
            builder.store(context.compile_internal(builder, _square, signature(kind, kind, kind), args), result)
        with otherwise:
            builder.store(_usual(context, builder, sig, args), result)
    return builder.load(result)


def _square(x, y):  # type: ignore[no-untyped-def]  # compiled by Numba
    """Return the square of x with the derivatives of x**y."""
    square = x * x
    if x == 0.0 or not np.isfinite(x):
        return square
    more = y - complex(constant(y.real), constant(y.imag))
    return square + square * (np.exp(more * np.log(x)) - 1.0)
