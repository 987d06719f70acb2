"""Sums and products with large constants wrap, as hashes and random numbers want it.

    if (place + 3) * 2862933555777941757 < 0: ...

Symptom: a branch by the sign of a hash went another way in a derivative, and so in its primal, than in Numba's own code.

Cause: Numba tells LLVM that signed integers never leave their 64 bits (`nsw`), because it helps with places in arrays. What LLVM then makes of one that
does is nothing to rely on. In Numba's own code it mostly is what 64 bits are left with. A derivative is optimised in another order: there LLVM knew that the
place was positive, and concluded that the hash is.

Cure: no such promise where one operand is a constant that is no step between elements: more than 24 bits. The others keep it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.cpython import numbers

_LARGEST_STEP = 1 << 24


def wrapping(function: Any, sig: Any) -> Callable[..., Any] | None:
    """Return what lowers a sum or a product of signed integers, None for anything else."""
    if sig is None or not isinstance(function, types.Function) or not _is_signed(sig.return_type):
        return None
    lowering = _LOWERINGS.get(function.typing_key)
    return lowering if len(sig.args) == 2 and all(map(_is_signed, sig.args)) else None


def _is_signed(one: Any) -> bool:
    return isinstance(one, types.Integer) and one.signed


def _is_large(one: ir.Value) -> bool:
    return isinstance(one, ir.Constant) and isinstance(one.constant, int) and abs(one.constant) > _LARGEST_STEP


def _lowering(usual: Callable[..., ir.Value], operation: str) -> Callable[..., ir.Value]:
    def lowered(context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[ir.Value], loc: Any = None) -> ir.Value:
        if not any(map(_is_large, args)):
            return usual(context, builder, sig, args)
        cast = (context.cast(builder, one, kind, sig.return_type) for one, kind in zip(args, sig.args, strict=True))
        return getattr(builder, operation)(*cast)

    return lowered


_LOWERINGS = {
    one: _lowering(usual, operation)
    for usual, operation, both in (
        (numbers.int_add_impl, "add", (operator.add, operator.iadd)),
        (numbers.int_sub_impl, "sub", (operator.sub, operator.isub)),
        (numbers.int_mul_impl, "mul", (operator.mul, operator.imul)),
    )
    for one in both
}
