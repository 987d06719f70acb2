"""Numba's iterators `x.flat`, `np.ndenumerate(x)`, `np.ndindex(...)` and `np.nditer(...)`, with nothing but a count.

Numba carries an index and a pointer of every dimension from iteration to iteration, and a flag for the end.
A loop over them has no trip count that LLVM knows, so reverse mode keeps all of them for every
element in blocks that grow, which a second reverse mode cannot read; and Enzyme is refused. Here the
iterator is a number, below the number of elements, and the place is that number taken apart by
division. Numba's own `np.mean`, `np.var`, `np.max`, `np.prod` and others are loops over `np.nditer`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from llvmlite import ir
from numba.core import cgutils
from numba.np import arrayobj

_flattening = arrayobj._make_flattening_iter_cls
_ndindex = arrayobj.make_ndindex_cls
_nditer = arrayobj.make_nditer_cls
_SIZE = ir.IntType(64)


@contextlib.contextmanager
def counted_flat_iteration() -> Iterator[None]:
    """Within the block, what Numba compiles walks through arrays by this file."""
    arrayobj._make_flattening_iter_cls = _counted_flattening
    arrayobj.make_ndindex_cls = _counted_ndindex
    arrayobj.make_nditer_cls = _counted_nditer
    try:
        yield
    finally:
        arrayobj._make_flattening_iter_cls = _flattening
        arrayobj.make_ndindex_cls = _ndindex
        arrayobj.make_nditer_cls = _nditer


def _counted_flattening(kind: Any, name: str) -> type:
    """Return the iterator `flat` or `ndenumerate` of an array type."""
    is_contiguous = kind.array_type.layout == "C"
    usual: Any = _flattening(kind, name)
    if is_contiguous and name == "flat":
        return usual  # type: ignore[no-any-return]

    class Counted(usual):  # type: ignore[misc]
        def init_specific(self, context: Any, builder: ir.IRBuilder, arrty: Any, arr: Any) -> None:
            super().init_specific(context, builder, arrty, arr)
            place = self.index if is_contiguous else self.indices
            builder.store(_SIZE(0), place)

        def iternext_specific(
            self, context: Any, builder: ir.IRBuilder, arrty: Any, arr: Any, result: Any
        ) -> None:
            place = self.index if is_contiguous else self.indices
            with _next(builder, place, arr.nitems, result) as count:
                shape = cgutils.unpack_tuple(builder, arr.shape, arrty.ndim)
                steps = cgutils.unpack_tuple(builder, arr.strides, arrty.ndim)
                indices = _apart(builder, count, shape)
                pointer = cgutils.get_item_pointer2(
                    context, builder, arr.data, shape, steps, arrty.layout, indices
                )
                value = arrayobj.load_item(context, builder, arrty, pointer)
                if name == "ndenumerate":
                    whole = cgutils.pack_array(builder, indices, _SIZE)
                    value = cgutils.make_anonymous_struct(builder, [whole, value])
                result.yield_(value)

    return Counted


def _counted_ndindex(kind: Any) -> type:
    usual: Any = _ndindex(kind)

    class Counted(usual):  # type: ignore[misc]
        def iternext_specific(self, context: Any, builder: ir.IRBuilder, result: Any) -> None:
            if not kind.ndim:
                super().iternext_specific(context, builder, result)
                return
            shape = cgutils.unpack_tuple(builder, self.shape, kind.ndim)
            with _next(builder, self.indices, _product(builder, shape), result) as count:
                result.yield_(cgutils.pack_array(builder, _apart(builder, count, shape), _SIZE))

    return Counted


def _counted_nditer(kind: Any) -> type:
    """Return the iterator of one or more arrays, of which one at least is walked dimension by dimension."""
    usual: Any = _nditer(kind)
    if not kind.need_shaped_indexing:
        return usual  # type: ignore[no-any-return]

    class Counted(usual):  # type: ignore[misc]
        def iternext_specific(self, context: Any, builder: ir.IRBuilder, result: Any) -> None:
            shape = cgutils.unpack_tuple(builder, self.shape)  # in the order of the walk
            with _next(builder, self.indices, _product(builder, shape), result) as count:
                indices = _apart(builder, count, shape)
                for (way, first, end, _), walked in zip(kind.indexers, self.subiters, strict=True):
                    if way == "flat":
                        number = _together(builder, indices[first:end], shape[first:end])
                        builder.store(number, walked.member_ptr)
                places = cgutils.alloca_once(builder, _SIZE, size=len(indices))
                for dimension, index in enumerate(indices):
                    builder.store(index, cgutils.gep_inbounds(builder, places, dimension))
                arrays = cgutils.unpack_tuple(builder, self.arrays)
                arrays = self._arrays_or_scalars(context, builder, kind.arrays, arrays)
                views = self._make_views(context, builder, places, kind.arrays, arrays)
                parts = [view._getvalue() for view in views]
                if len(parts) > 1:
                    parts = [context.make_tuple(builder, kind.yield_type, parts)]
                result.yield_(parts[0])

    return Counted


@contextlib.contextmanager
def _next(
    builder: ir.IRBuilder, place: ir.Value, total: ir.Value, result: Any
) -> Iterator[ir.Value]:
    """Where the count is below the total, run the block on it, and count on."""
    place = builder.bitcast(place, _SIZE.as_pointer())
    count = builder.load(place)
    is_valid = builder.icmp_signed("<", count, total)
    result.set_valid(is_valid)
    with cgutils.if_likely(builder, is_valid):
        yield count
        builder.store(cgutils.increment_index(builder, count), place)


def _product(builder: ir.IRBuilder, sizes: Sequence[ir.Value]) -> ir.Value:
    """Return the number of elements of a shape."""
    total = sizes[0]
    for size in sizes[1:]:
        total = builder.mul(total, size)
    return total


def _apart(builder: ir.IRBuilder, count: ir.Value, shape: Sequence[ir.Value]) -> list[ir.Value]:
    """Return the index in each dimension of the element with this number, in C order."""
    indices: list[ir.Value] = []
    for size in reversed(shape[1:]):
        above = builder.udiv(count, size)
        indices.insert(0, builder.sub(count, builder.mul(above, size)))
        count = above
    return [count, *indices]


def _together(
    builder: ir.IRBuilder, indices: Sequence[ir.Value], shape: Sequence[ir.Value]
) -> ir.Value:
    """Return the number of the element with these indices."""
    number = indices[0]
    for index, size in zip(indices[1:], shape[1:], strict=True):
        number = builder.add(builder.mul(number, size), index)
    return number
