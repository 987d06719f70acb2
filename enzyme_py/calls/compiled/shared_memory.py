"""Arguments that share memory: harmless as long as the kernel does not write to it.

A derivative takes arrays for different ones, each with a shadow of its own. If `f(x, x)` writes to its first argument, what it
reads of the second is no input any more, and the derivative would be right for neither reading. Whether a kernel writes is
known only behind it. So where the spans of two arrays meet, what lies there is kept in front of the call, and compared
behind it (csrc/sharing.c); everywhere else this is one call that compares some addresses.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.np import arrayobj

from enzyme_py.foundations.places import argument_name
from enzyme_py.frontend.functions.bound_types import BoundKernelType
from enzyme_py.native.runtime import runtime_function
from enzyme_py.request import Activity, Direction, Request

_WORD = ir.IntType(64)
_POINTER = ir.IntType(8).as_pointer()
_ALONE = (Direction.PRIMAL, Direction.SPLIT_REVERSE)  # take no derivative of what they write, or write nothing


class SharedMemory:
    """What is asked in front of a request's call, and behind it."""

    def __init__(
        self, context: Any, builder: ir.IRBuilder, request: Request, kinds: Sequence[Any], values: Sequence[ir.Value]
    ) -> None:
        self._builder = builder
        self._kept: ir.Value | None = None
        self.names: tuple[str, ...] = ()  # of the argument of each array
        if request.direction in _ALONE or set(request.activities) <= {Activity.CONST}:
            return
        found = [
            named
            for name, kind, value in _primals(request, kinds, values)
            for named in _arrays(context, builder, name, kind, value)
        ]
        if len(found) > 1:
            self.names = tuple(name for name, _ in found)
            self._kept = self._keep([array for _, array in found])

    def _keep(self, arrays: Sequence[Any]) -> ir.Value:
        builder = self._builder
        words = [word for array in arrays for word in self._described(array)]
        table = cgutils.alloca_once(builder, _WORD, size=len(words))
        for place, word in enumerate(words):
            builder.store(word, builder.gep(table, [_WORD(place)]))
        before = self._function("enzyme_py_shared_before", _POINTER, [_WORD.as_pointer(), _WORD])
        return builder.call(before, [table, _WORD(len(arrays))])

    def _described(self, array: Any) -> list[ir.Value]:
        address = self._builder.ptrtoint(array.data, _WORD)
        rank = array.shape.type.count
        sizes, strides = (cgutils.unpack_tuple(self._builder, one, rank) for one in (array.shape, array.strides))
        return [address, array.itemsize, _WORD(rank), *sizes, *strides]

    def was_written(self) -> ir.Value | None:
        """Emit, behind the call, whether it wrote to what two arrays share; None where that cannot be."""
        if self._kept is None:
            return None
        builder = self._builder
        written = cgutils.alloca_once_value(builder, cgutils.false_bit)
        with builder.if_then(cgutils.is_not_null(builder, self._kept), likely=False):
            after = self._function("enzyme_py_shared_after", ir.IntType(32), [_POINTER])
            builder.store(cgutils.is_not_null(builder, builder.call(after, [self._kept])), written)
        return builder.load(written)

    def _function(self, name: str, result: ir.Type, parameters: Sequence[ir.Type]) -> ir.Function:
        return runtime_function(self._builder.module, name, result, parameters)


def _primals(
    request: Request, kinds: Sequence[Any], values: Sequence[ir.Value]
) -> Iterator[tuple[str, Any, ir.Value]]:
    """Yield name, type and value of the kernel's own arguments among those of the request."""
    position = int(request.is_split)
    for number, activity in enumerate(request.activities):
        yield argument_name(request.kernel, number), kinds[position], values[position]
        position += 1 + (request.width if activity.has_shadow else 0)


def _arrays(
    context: Any, builder: ir.IRBuilder, name: str, kind: Any, value: ir.Value
) -> Iterator[tuple[str, Any]]:
    """Yield the arrays in a value, with what the kernel calls them."""
    if isinstance(kind, types.Array):
        yield name, arrayobj.make_array(kind)(context, builder, value)
    elif isinstance(kind, BoundKernelType):
        for number, part in enumerate(kind.kinds):
            yield from _arrays(context, builder, name, part, builder.extract_value(value, number))
    elif isinstance(kind, types.BaseTuple):
        for number, part in enumerate(kind):
            own = f"{name}[{number}]"
            yield from _arrays(context, builder, own, part, builder.extract_value(value, number))
