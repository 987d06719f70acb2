"""Iteration over sets: over a list of the items, made when it begins.

Numba's iterator walks the hash table. How many turns a loop takes is then known only behind it, which no second order
with reverse mode inside takes; `zip` and `enumerate` step through it as well. A list has its length. It is
made by one call that Enzyme leaves alone, and is memory without derivatives itself (tables.py).
A kernel that changes the set while it iterates, where Python raises, goes on with the items of the beginning.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.cpython import listobj, setobj

from enzyme_py.frontend.codegen.outlining import outlined

_usual_from_set = setobj.SetIterInstance.__dict__["from_set"]
_usual_iternext = setobj.SetIterInstance.iternext
_usual_init = setobj.SetIterInstance.__init__


@contextlib.contextmanager
def sets_as_lists() -> Iterator[None]:
    """Within the block, an iterator of a set is one of a list."""
    setobj.SetIterInstance.from_set = classmethod(_from_set)
    setobj.SetIterInstance.iternext = _iternext
    setobj.SetIterInstance.__init__ = _init
    try:
        yield
    finally:
        setobj.SetIterInstance.from_set = _usual_from_set
        setobj.SetIterInstance.iternext = _usual_iternext
        setobj.SetIterInstance.__init__ = _usual_init


def _from_set(cls: Any, context: Any, builder: ir.IRBuilder, kind: Any, value: Any) -> Any:
    def make(inner: ir.IRBuilder, given: Sequence[Any]) -> Any:
        held = setobj.SetInstance(context, inner, kind.container, given[0])
        items = listobj.ListInstance.allocate(context, inner, _list_of(kind), held.get_size())
        with held.payload._iterate() as loop:
            place = items.size
            items.size = inner.add(place, place.type(1))
            items.setitem(place, loop.entry.key, incref=True)
        return items.value

    items = outlined(context, builder, make, [value])
    held = listobj.ListInstance(context, builder, _list_of(kind), items)
    made = context.make_helper(builder, kind)
    made.index = cgutils.alloca_once_value(builder, context.get_constant(types.intp, 0))
    made.meminfo = held.meminfo
    return cls(context, builder, kind, made._getvalue())


def _init(self: Any, context: Any, builder: ir.IRBuilder, kind: Any, value: Any) -> None:
    self._context, self._builder, self._ty = context, builder, kind
    self._iter = context.make_helper(builder, kind, value)


def _iternext(self: Any, result: Any) -> None:
    kind = types.ListIter(_list_of(self._ty))
    items = listobj.ListIterInstance(self._context, self._builder, kind, self.value)
    index = self.index
    is_valid = self._builder.icmp_signed("<", index, items.size)
    result.set_valid(is_valid)
    with self._builder.if_then(is_valid):
        result.yield_(items.getitem(index))
        self.index = self._builder.add(index, index.type(1))


def _list_of(kind: Any) -> Any:
    return types.List(kind.container.dtype)
