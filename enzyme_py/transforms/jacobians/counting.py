"""Loops over columns, rows and products say how far they are, to whoever waits at a terminal (csrc/progress.h).

They are compiled code that lets no Python run meanwhile, so the C runtime draws. Where nothing may be shown a loop asks
that once, and each iteration is one call that returns at once. In code that becomes part of a kernel there are none: Enzyme would have to
know the functions.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.target_extension import current_target
from numba.extending import intrinsic

from enzyme_py.native.runtime import runtime_function

COLUMNS, ROWS, PRODUCTS = range(3)
_WORD = ir.IntType(64)


@intrinsic
def count_begin(typing_context: Any) -> Any:
    """Return when the loop begins, for `count`."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.call(runtime_function(builder.module, "enzyme_py_count_begin", _WORD, []), [])

    return types.int64(), code


@intrinsic
def count(typing_context: Any, begun: Any, kind: Any, done: Any, total: Any) -> Any:
    """Say that so many iterations are done, of so many."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        function = runtime_function(builder.module, "enzyme_py_count", ir.VoidType(), [_WORD] * 4)
        builder.call(function, arguments)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64, types.int64, types.int64), code


@intrinsic
def count_end(typing_context: Any, begun: Any) -> Any:
    """Say that the loop has ended."""

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        function = runtime_function(builder.module, "enzyme_py_count_end", ir.VoidType(), [_WORD])
        builder.call(function, arguments)
        return context.get_dummy_value()

    return types.void(types.int64), code


SCOPE = {"count_begin": count_begin, "count": count, "count_end": count_end}


def counted(loop: list[str], kind: int, done: str, total: str) -> list[str]:
    """Return the lines of a loop, which is the last of them, with its count: one call behind each iteration."""
    if current_target() != "cpu":
        return loop
    return ["counting = count_begin()", *loop, f"    count(counting, {kind}, {done}, {total})", "count_end(counting)"]


__all__ = ["COLUMNS", "PRODUCTS", "ROWS", "SCOPE", "counted"]
