"""Growing a list item by item.

Numba grows a list by one realloc over its header of integers and its items. Enzyme's reverse of such
a mixed block copy loses the items' gradients without a word (COVERAGE.md), so here the header and
each item are copied by loads and stores of their own types.

    ptr grow(ptr meminfo, i64 bytes)      returns the new payload, which the meminfo points at
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils

from enzyme_py.rules.inactive import TABLE_MEMORY

_POINTER = ir.IntType(8).as_pointer()
_SIZE = ir.IntType(64)
_FIRST_ITEM = 3  # after size, allocated and dirty


def grow_function(
    context: Any, module: ir.Module, payload: ir.LiteralStructType, *, is_table: bool
) -> ir.Function:
    """Return the function that moves a list with this payload type to a larger block."""
    kind = ir.FunctionType(_POINTER, [_POINTER, _SIZE])
    function = ir.Function(module, kind, module.get_unique_name("enzyme_py_grow_list"))
    function.linkage = "internal"
    # Behind a call it seems to write anywhere, and matrices are kept for each iteration of a loop.
    function.attributes.add("alwaysinline")
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    meminfo, size = function.args
    slot = builder.bitcast(meminfo, payload.as_pointer().as_pointer())
    old = builder.load(slot)
    name = TABLE_MEMORY if is_table else "malloc"
    allocate = cgutils.get_or_insert_function(module, ir.FunctionType(_POINTER, [_SIZE]), name)
    new = builder.bitcast(builder.call(allocate, [size]), payload.as_pointer())
    for field in range(_FIRST_ITEM):
        _copy(builder, _place(builder, old, field), _place(builder, new, field))
    with cgutils.for_range(builder, builder.load(_place(builder, old, 0))) as loop:
        sources = [_item(builder, block, loop.index) for block in (old, new)]
        _copy(builder, *sources)
    builder.store(new, slot)
    builder.ret(builder.bitcast(new, _POINTER))
    return function


def _place(builder: ir.IRBuilder, block: ir.Value, field: int) -> ir.Value:
    return cgutils.gep_inbounds(builder, block, 0, field)


def _item(builder: ir.IRBuilder, block: ir.Value, index: ir.Value) -> ir.Value:
    return builder.gep(_place(builder, block, _FIRST_ITEM), [index])


def _copy(builder: ir.IRBuilder, source: ir.Value, target: ir.Value) -> None:
    builder.store(builder.load(source), target)
