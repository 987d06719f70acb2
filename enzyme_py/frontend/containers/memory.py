"""Numba's runtime memory as a differentiated kernel sees it: no reference counts.

Counts are poison to Enzyme (DESIGN 5), and pointless here: every block belongs to the region of
the call and goes when the region closes. The allocation functions stay calls in this stage;
assembly gives them bodies.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.runtime.context import NRTContext
from numba.cpython import listobj

from enzyme_py.frontend.codegen.tables import table_header, table_memory
from enzyme_py.frontend.containers.lists import grow_function

EXCEPTION_ALLOCATE = "enzyme_py_exception_allocate"
EXCEPTION_FREE = "enzyme_py_exception_free"

_SPARE = 8  # items more than twice as many
_fill = listobj.ListInstance.zfill
_move = listobj.ListInstance.move
_resize = listobj.ListInstance.resize


@contextlib.contextmanager
def typed_list_items() -> Iterator[None]:
    """Within the block, kernels touch the items of lists by loads and stores of their type only.

    Numba fills places that hold no item with zeros, for whoever drops the reference that stands
    there: kernels have no references, and an untyped fill of a list of arrays is refused. It makes
    room and closes gaps by one block move, whose reverse is wrong without a word (measured:
    `l[1:3] = m`, `l.remove(a)`, where the number of items is not known at compile time).

    A list that is full gets twice its room. Numba gives it a quarter more, and no block that it leaves is
    free before the call ends: together those took five times the list, and shadows as much.
    """
    own = listobj.ListInstance
    own.zfill, own.move, own.resize = _fill_counted, _move_counted, _resize_doubled
    try:
        yield
    finally:
        own.zfill, own.move, own.resize = _fill, _move, _resize


def _fill_counted(items: Any, start: Any, stop: Any) -> None:
    if not isinstance(items._context.nrt, RegionNRT):
        _fill(items, start, stop)


def _move_counted(items: Any, target: Any, source: Any, count: Any) -> None:
    """Move items one by one, from the side on which none is overwritten before it is read."""
    if not isinstance(items._context.nrt, RegionNRT):
        _move(items, target, source, count)
        return
    builder = items._builder
    is_down = builder.icmp_signed("<", target, source)
    last = builder.sub(count, count.type(1))
    with cgutils.for_range(builder, count) as loop:
        index = builder.select(is_down, loop.index, builder.sub(last, loop.index))
        item = builder.load(items._gep(builder.add(source, index)))
        builder.store(item, items._gep(builder.add(target, index)))


def _resize_doubled(items: Any, size: Any) -> None:
    """Let a list have so many items; one that gets shorter keeps its room."""
    if not isinstance(items._context.nrt, RegionNRT):
        _resize(items, size)
        return
    context, builder = items._context, items._builder
    payload = items._payload
    with builder.if_then(builder.icmp_signed("<", payload.allocated, size), likely=False):
        room = builder.add(builder.add(size, size), size.type(_SPARE))
        block = context.get_data_type(types.ListPayload(items._ty))
        item = listobj.get_itemsize(context, items._ty)
        head = context.get_abi_sizeof(block) - item
        length, overflows = cgutils.muladd_with_overflow(
            builder, room, size.type(item), size.type(head)
        )
        with builder.if_then(overflows, likely=False):
            message = ("cannot resize list",)
            context.call_conv.return_user_exc(builder, MemoryError, message)
        context.nrt.meminfo_varsize_realloc_unchecked(builder, items._list.meminfo, size=length)
        items._payload.allocated = room
    items._payload.size = size
    items.set_dirty(True)


class RegionNRT(NRTContext):  # type: ignore[misc]
    """Numba's interface to its runtime, without counting."""

    def incref(self, builder: ir.IRBuilder, typ: Any, value: Any) -> None:
        """Do nothing: the region owns the block."""

    def decref(self, builder: ir.IRBuilder, typ: Any, value: Any) -> None:
        """Do nothing: the region owns the block."""

    # Lists and sets are the users of what follows.

    def meminfo_new_varsize_dtor_unchecked(
        self, builder: ir.IRBuilder, size: Any, dtor: Any
    ) -> Any:
        """Make a list or a set."""
        if self._context.is_table:
            return table_header(builder, table_memory(builder, size))
        return super().meminfo_new_varsize_dtor_unchecked(builder, size, dtor)

    def meminfo_varsize_alloc_unchecked(
        self, builder: ir.IRBuilder, meminfo: Any, size: Any
    ) -> Any:
        """Give a set a new block."""
        if not self._context.is_table:
            return super().meminfo_varsize_alloc_unchecked(builder, meminfo, size)
        data = table_memory(builder, size)
        builder.store(data, builder.bitcast(meminfo, data.type.as_pointer()))
        return data

    def meminfo_varsize_realloc_unchecked(
        self, builder: ir.IRBuilder, meminfo: Any, size: Any
    ) -> Any:
        """Move a list to a larger block; see lists.py."""
        payload, is_table = self._context.last_payload, self._context.is_table
        grow = grow_function(self._context, builder.module, payload, is_table=is_table)
        return builder.call(grow, [meminfo, size])

    def meminfo_varsize_free(self, builder: ir.IRBuilder, meminfo: Any, ptr: Any) -> Any:
        """Do nothing: the region owns the block, and a reverse sweep may read it."""


class ExceptionNRT(RegionNRT):
    """Memory that outlives the region: the run-time arguments of an exception.

    Numba's caller frees it with its own runtime, so it must come from there.
    """

    def allocate(self, builder: ir.IRBuilder, size: Any) -> Any:
        kind = ir.FunctionType(cgutils.voidptr_t, [cgutils.intp_t])
        function = cgutils.get_or_insert_function(builder.module, kind, EXCEPTION_ALLOCATE)
        return builder.call(function, [size])

    def free(self, builder: ir.IRBuilder, ptr: Any) -> Any:
        kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t])
        function = cgutils.get_or_insert_function(builder.module, kind, EXCEPTION_FREE)
        return builder.call(function, [ptr])
