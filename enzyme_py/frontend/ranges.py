"""Steps of `range`, so that LLVM knows that an index of one does not wrap around.

Numba adds the step without saying that this cannot overflow. Where the step is not 1, LLVM then does not
know that the index stays positive, and keeps the choice between `i` and `i + size` for every access in the
loop: no vectors, and where another loop reads what this one writes, an assertion of the pass ("No dominance
between recurrences used by one SCEV", the fuzzer's seed 30002). What is behind the last item may overflow, but
nobody reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.imputils import RefType, iternext_impl


def iteration(function: Any, sig: Any) -> Callable[..., Any] | None:
    """Return what lowers the step of a range of signed integers, or None for anything else."""
    if function != "iternext" or not sig.args:
        return None
    kind = sig.args[0]
    is_signed = isinstance(kind, types.RangeIteratorType) and kind.yield_type.signed
    return _iternext if is_signed else None


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
        builder.store(builder.sub(left, left.type(1), flags=["nsw"]), iterator.count)
        builder.store(builder.add(item, iterator.step, flags=["nsw"]), iterator.iter)
