"""`range`, so that LLVM knows that an index of one does not wrap around, and how many there are.

Numba adds the step without saying that this cannot overflow. Where the step is not 1, LLVM then does not
know that the index stays positive, and keeps the choice between `i` and `i + size` for every access in the
loop: no vectors, and where another loop reads what this one writes, an assertion of Enzyme ("No dominance
between recurrences used by one SCEV", the fuzzer's seed 30002). What is behind the last item may overflow, but
nobody reads it.

Numba decides by a branch whether there are any items, and how many: where the step is not 1, their number is a phi. For a loop within
such a loop Enzyme could not compute that phi again, and made code that fails verification (measured, the fuzzer's seeds
300463, 300483 and 300593). Here it is chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.imputils import RefType, iternext_impl

from enzyme_py.frontend.codegen.type_hints import tag_integer


def iteration(function: Any, sig: Any) -> Callable[..., Any] | None:
    """Return what lowers the start or the step of a range of signed integers, or None for anything else."""
    kind = sig.args[0] if function in ("getiter", "iternext") and sig.args else None
    if isinstance(kind, types.RangeType) and kind.dtype.signed:
        return _getiter
    is_signed = isinstance(kind, types.RangeIteratorType) and kind.yield_type.signed
    return _iternext if is_signed else None


def _getiter(context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]) -> Any:
    given = context.make_helper(builder, sig.args[0], args[0])
    zero, one = given.step.type(0), given.step.type(1)
    with builder.if_then(builder.icmp_signed("==", given.step, zero), likely=False):
        message = ("range() arg 3 must not be zero",)
        context.call_conv.return_user_exc(builder, ValueError, message)
    way = builder.sub(given.stop, given.start)
    rises, is_up = (builder.icmp_signed(">", value, zero) for value in (way, given.step))
    rest = builder.srem(way, given.step)
    rest = builder.select(rises, rest, builder.neg(rest))
    is_cut = builder.select(builder.icmp_signed(">", rest, zero), one, zero)
    count = builder.add(builder.sdiv(way, given.step), is_cut)
    made = context.make_helper(builder, sig.return_type)
    made.stop, made.step = given.stop, given.step
    made.iter = cgutils.alloca_once_value(builder, given.start)
    nothing = builder.xor(rises, is_up)
    made.count = cgutils.alloca_once_value(builder, builder.select(nothing, zero, count))
    return made._getvalue()


@iternext_impl(RefType.UNTRACKED)  # type: ignore[untyped-decorator]
def _iternext(
    context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any], result: Any
) -> None:
    iterator = context.make_helper(builder, sig.args[0], args[0])
    left = builder.load(iterator.count)
    is_valid = builder.icmp_signed(">", left, left.type(0))
    result.set_valid(is_valid)
    with builder.if_then(is_valid):
        item = builder.load(iterator.iter)
        result.yield_(item)
        kept = builder.store(builder.sub(left, left.type(1), flags=["nsw"]), iterator.count)
        following = builder.store(builder.add(item, iterator.step, flags=["nsw"]), iterator.iter)
    # In a generator the counters stay in memory, of which Enzyme knows nothing else.
    for access in (left, item, kept, following):
        tag_integer(access)
