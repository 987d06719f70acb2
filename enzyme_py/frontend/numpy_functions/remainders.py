"""`x % y` and `divmod(x, y)` of floats, whose code in Numba has no derivative at a multiple.

A remainder of zero is made anew there, as a constant with the sign of y. But x % y has the slope 1 by x on both sides
of a multiple, and -floor(x / y) by y: a phase `t % 1.0` at t = 0 is an ordinary number. So a zero is a difference here, of
fmod and of itself as a constant.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.cpython import numbers

from enzyme_py.frontend.codegen.type_hints import BARRIER


def remainder(function: Any, sig: Any) -> Callable[..., Any] | None:
    """Return what lowers a remainder of floats, None for anything else."""
    if sig is None or not isinstance(function, types.Function):
        return None
    lowering = _LOWERINGS.get(function.typing_key)
    return lowering if all(isinstance(one, types.Float) for one in sig.args) else None


def _mod(context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]) -> ir.Value:
    usual = numbers.real_mod_impl(context, builder, sig, args)
    return _with_slope(builder, usual, *args)


def _divmod(context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]) -> ir.Value:
    usual = numbers.real_divmod_impl(context, builder, sig, args)
    quotient, left = cgutils.unpack_tuple(builder, usual)
    return cgutils.pack_array(builder, [quotient, _with_slope(builder, left, *args)])


def _with_slope(builder: ir.IRBuilder, usual: ir.Value, x: ir.Value, y: ir.Value) -> ir.Value:
    """Return a remainder, which has the slopes of fmod where it is zero, and its sign there."""
    zero = usual.type(0.0)
    place = cgutils.alloca_once_value(builder, usual)
    with builder.if_then(builder.fcmp_ordered("==", usual, zero), likely=False):
        own = builder.frem(x, y)
        kind = ir.FunctionType(own.type, [own.type])
        barrier = cgutils.get_or_insert_function(builder.module, kind, f"{BARRIER}.{own.type}")
        constant = builder.call(barrier, [own])
        above = builder.fsub(own, constant)
        below = builder.fneg(builder.fsub(constant, own))
        is_negative = builder.fcmp_ordered("<", y, zero)
        builder.store(builder.select(is_negative, below, above), place)
    return builder.load(place)


_LOWERINGS = {operator.mod: _mod, operator.imod: _mod, divmod: _divmod}
