"""`x % y` and `divmod(x, y)` of floats, whose code in Numba has no derivative at a multiple.

A remainder of zero is made anew there, as a constant with the sign of y. But x % y has the slope 1 by x on both sides
of a multiple, and -floor(x / y) by y: a phase `t % 1.0` at t = 0 is an ordinary number. Here the remainder is fmod, and a
sum with zero or y in any case: -0.0 + 0.0 is 0.0, and the other sign of zero is that of the same sum for -x and -y. So nothing
branches, as in np.mod, and the bits are Numba's.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.cpython import numbers


def remainder(function: Any, sig: Any) -> Callable[..., Any] | None:
    """Return what lowers a remainder of floats, None for anything else."""
    if sig is None or not isinstance(function, types.Function):
        return None
    lowering = _LOWERINGS.get(function.typing_key)
    return lowering if all(isinstance(one, types.Float) for one in sig.args) else None


def _mod(
    context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any], loc: Any = None
) -> ir.Value:
    with builder.if_then(cgutils.is_scalar_zero(builder, args[1]), likely=False):
        context.error_model.fp_zero_division(builder, ("modulo by zero",), loc)
    return _remainder(builder, *args)


def _divmod(
    context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any], loc: Any = None
) -> ir.Value:
    usual = numbers.real_divmod_impl(context, builder, sig, args, loc)
    quotient, _ = cgutils.unpack_tuple(builder, usual)
    return cgutils.pack_array(builder, [quotient, _remainder(builder, *args)])


def _remainder(builder: ir.IRBuilder, x: ir.Value, y: ir.Value) -> ir.Value:
    zero = x.type(0.0)
    left = builder.frem(x, y)
    is_left = builder.fcmp_ordered("!=", left, zero)
    is_negative = builder.fcmp_ordered("<", y, zero)
    is_other = builder.xor(is_negative, builder.fcmp_ordered("<", left, zero))
    is_turned = builder.and_(is_left, is_other)
    above = builder.fadd(left, builder.select(is_turned, y, zero))
    minus = builder.fneg(y)
    below = builder.fadd(builder.fneg(left), builder.select(is_turned, minus, zero))
    return builder.select(is_negative, builder.fneg(below), above)


_LOWERINGS = {operator.mod: _mod, operator.imod: _mod, divmod: _divmod}
