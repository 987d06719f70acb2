"""Lengthening an array in its own memory: what a growing concatenation is lowered to.

    grown(array, room, pieces, turns) -> array
    room_behind(array, room, pieces, turns) -> room

The result holds the elements of a one-dimensional array, and behind them those of the pieces
(arrays of its dtype, or numbers). `room` is 0, or the array is itself such a result, in a block that
holds so many elements, and nobody needs it any longer; then the new elements go behind it into the
same block as long as that has room. Else, and whenever there is none, all moves to a larger block.
`turns` is how often that will happen, as far as is known, and 0 where it is not: the first block is
made for all of them. Later ones are powers of two. What a step leaves as the room of its result is
computed again from the same numbers, by the second function.

The caller (growth.py) answers for `room`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.typing import signature
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array

# On stores: no array is written that somebody else has a name for, though the code alone does not tell.
OWN = "enzyme_py_own"
_SMALLEST = 16  # elements of the first block
_SIZE = ir.IntType(64)
_BYTE = ir.IntType(8).as_pointer()


@intrinsic
def grown(typing_context, array, room, pieces, turns):  # type: ignore[no-untyped-def]
    """Return the array with the pieces behind it."""
    result = types.Array(array.dtype, 1, "C")
    return signature(result, array, types.int64, pieces, types.int64), _lower


@intrinsic
def room_behind(typing_context, array, room, pieces, turns):  # type: ignore[no-untyped-def]
    """Return how many elements the block of the result of `grown` holds."""
    return signature(types.int64, array, types.int64, pieces, types.int64), _lower_room


def _lower_room(context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]) -> Any:
    old, _, count = _parts(context, builder, sig, args, sig.args[0].dtype)
    stays = builder.icmp_signed("<=", count, args[1])
    return builder.select(stays, args[1], _capacity(builder, old.count, args[1], count, args[3]))


def _parts(
    context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any], dtype: Any
) -> tuple[_Part, list[_Part], Any]:
    """Return the array, the pieces, and how many elements they have together."""
    old = _Part.of(context, builder, sig.args[0], args[0], dtype)
    pieces = [
        _Part.of(context, builder, each, value, dtype)
        for each, value in zip(
            sig.args[2].types, cgutils.unpack_tuple(builder, args[2]), strict=True
        )
    ]
    count = old.count
    for piece in pieces:
        count = builder.add(count, piece.count)
    return old, pieces, count


def _lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]) -> Any:
    kind = sig.return_type
    width = context.get_abi_sizeof(context.get_data_type(kind.dtype))
    old, pieces, count = _parts(context, builder, sig, args, kind.dtype)
    start = _block(context, builder, old, args[1], count, args[3], width)
    end = old.count
    for piece in pieces:
        piece.write(builder, builder.gep(start, [builder.mul(end, _SIZE(width))]), width)
        end = builder.add(end, piece.count)
    return _array(context, builder, kind, start, count, width)


def _block(
    context: Any, builder: ir.IRBuilder, old: _Part, room: Any, count: Any, turns: Any, width: int
) -> Any:
    """Return the block of the result, with the old elements in it."""
    is_own = builder.icmp_signed(">", room, _SIZE(0))
    stays = builder.and_(is_own, builder.icmp_signed("<=", count, room))
    with builder.if_else(stays) as (then, otherwise):
        with then:
            same, same_block = old.start, builder.block
        with otherwise:
            capacity = _capacity(builder, old.count, room, count, turns)
            size = builder.mul(capacity, _SIZE(width))
            new = context.nrt.allocate_unchecked(builder, size)
            old.write(builder, new, width)
            new_block = builder.block
    start = builder.phi(_BYTE)
    start.add_incoming(same, same_block)
    start.add_incoming(new, new_block)
    return start


def _capacity(builder: ir.IRBuilder, old: Any, room: Any, count: Any, turns: Any) -> Any:
    """Return how many elements a new block holds: for all iterations, or a power of two."""
    least = _SIZE(_SMALLEST)
    wanted = builder.select(builder.icmp_signed("<", count, least), least, count)
    zeros = builder.ctlz(builder.sub(wanted, _SIZE(1)), ir.IntType(1)(1))
    power = builder.shl(_SIZE(1), builder.sub(_SIZE(64), zeros))
    every = builder.add(old, builder.mul(turns, builder.sub(count, old)))
    is_first = builder.icmp_signed("==", room, _SIZE(0))
    is_enough = builder.icmp_signed(">", every, count)
    return builder.select(builder.and_(is_first, is_enough), every, power)


def _array(
    context: Any, builder: ir.IRBuilder, kind: Any, start: Any, count: Any, width: int
) -> Any:
    result = make_array(kind)(context, builder)
    populate_array(
        result,
        data=builder.bitcast(start, context.get_data_type(kind.dtype).as_pointer()),
        shape=cgutils.pack_array(builder, [count]),
        strides=cgutils.pack_array(builder, [_SIZE(width)]),
        itemsize=_SIZE(width),
        meminfo=cgutils.get_null_value(_BYTE),  # nobody counts here (memory.py)
    )
    return result._getvalue()


class _Part:
    """Elements in a row: where they start, how many they are, and how far apart in bytes: None if packed."""

    def __init__(self, dtype: Any, start: Any, count: Any, step: Any) -> None:
        self.start, self.count = start, count
        self._dtype, self._step = dtype, step

    @staticmethod
    def of(context: Any, builder: ir.IRBuilder, kind: Any, value: Any, dtype: Any) -> _Part:
        """Return the elements of an array, or a number as one element."""
        if isinstance(kind, types.Array):
            array = make_array(kind)(context, builder, value)
            count, step = (
                cgutils.unpack_tuple(builder, one)[0] for one in (array.shape, array.strides)
            )
            is_packed = kind.layout == "C"
            start = builder.bitcast(array.data, _BYTE)
            return _Part(dtype, start, count, None if is_packed else step)
        # A number is one element, and so packed.
        number = context.cast(builder, value, kind, dtype)
        slot = cgutils.alloca_once_value(builder, number)
        return _Part(dtype, builder.bitcast(slot, _BYTE), _SIZE(1), None)

    def write(self, builder: ir.IRBuilder, to: Any, width: int) -> None:
        """Emit a loop that copies the elements to a contiguous place."""
        real = ir.FloatType() if self._is_single() else ir.DoubleType()
        size = 4 if self._is_single() else 8
        # One number an iteration, also of the pairs that complex numbers are: of two in an iteration Enzyme's
        # reverse mode adds up what should be cleared (measured: wrong gradients).
        parts = width // size
        packed = builder.bitcast(self.start, real.as_pointer())
        to = builder.bitcast(to, real.as_pointer())
        with cgutils.for_range(builder, builder.mul(self.count, _SIZE(parts))) as loop:
            if self._step is None:
                source = builder.gep(packed, [loop.index])
            else:
                element = builder.udiv(loop.index, _SIZE(parts))
                place = builder.gep(self.start, [builder.mul(element, self._step)])
                part = builder.urem(loop.index, _SIZE(parts))
                source = builder.gep(builder.bitcast(place, real.as_pointer()), [part])
            store = builder.store(builder.load(source), builder.gep(to, [loop.index]))
            store.set_metadata(OWN, builder.module.add_metadata(()))

    def _is_single(self) -> bool:
        return self._dtype in (types.float32, types.complex64)
