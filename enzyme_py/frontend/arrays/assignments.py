"""Assignment of arrays to slices, lowered to block copies (rules/copies.py).

Numba emits for `to[...] = from` two loop nests with every index case in them, a copy of the source
that is used if the two overlap, and text formatting for the error. Enzyme then meets pointers
that may be the source or its copy, which it refuses where one of them is constant, and the text
alone takes seconds to compile. Here the assignment is a check of the shapes and one call.

What stays with Numba: index arrays and masks, sequences as the source, other numbers than floats
and complex numbers, arrays that are not aligned, more than four dimensions.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import overload
from numba.np import arrayobj
from numba.np.arrayobj import make_array

from enzyme_py.frontend.arrays.blocks import NUMBA, Block, can_copy, copy_block, ways

_SIZE = ir.IntType(64)


class SliceError(ValueError):
    """Makes Numba's own ValueError for shapes that do not fit.

    Its text is put together when it is raised, in Python: compiled code that formats it takes Numba
    seconds to compile.
    """

    def __new__(cls, source: tuple[int, ...], target: tuple[int, ...]) -> ValueError:  # type: ignore[misc]
        """Return a plain ValueError with the text that Numba's has."""
        return ValueError(f"cannot assign slice of shape {target} from input of shape {source}")


@overload(arrayobj.raise_with_shape_context, target="enzyme")
def _raise_shapes(src_shapes, index_shape):  # type: ignore[no-untyped-def]  # names are Numba's
    def raise_shapes(src_shapes, index_shape):  # type: ignore[no-untyped-def]  # for Numba
        raise SliceError(src_shapes, index_shape)

    return raise_shapes


def block_assignment(function: Any, sig: Any) -> Callable[..., Any] | None:
    """Return what lowers `to[index] = from` as a block copy, or None where Numba's own way stays."""
    if (
        getattr(function, "typing_key", function) is not operator.setitem
        or sig is None
        or len(sig.args) != 3
    ):
        return None
    to, index, source = sig.args
    if not isinstance(to, types.Array) or not _is_basic(index):
        return None  # lists and x.flat are assigned to as well
    if not can_copy(to, source, _rank(to, index)):
        return None
    return _lower if ways["assignment"] != NUMBA else None


def _indices(index: Any) -> tuple[Any, ...]:
    return tuple(index.types) if isinstance(index, types.BaseTuple) else (index,)


def _is_basic(index: Any) -> bool:
    kinds = (types.Integer, types.SliceType, types.EllipsisType, types.NoneType)
    return all(isinstance(types.unliteral(one), kinds) for one in _indices(index))


def _rank(to: Any, index: Any) -> int:
    """Return how many dimensions the indexed part of an array has."""
    given = [types.unliteral(one) for one in _indices(index)]
    added = sum(isinstance(one, types.NoneType) for one in given)
    return int(to.ndim) + added - sum(isinstance(one, types.Integer) for one in given)


def _lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]) -> Any:
    to_type, index_type, from_type = sig.args
    to = make_array(to_type)(context, builder, args[0])
    source = make_array(from_type)(context, builder, args[2])
    given = cgutils.unpack_tuple(builder, args[1]) if _is_tuple(index_type) else [args[1]]
    kinds, indices = arrayobj.normalize_indices(context, builder, _indices(index_type), given)
    start, shape, steps = arrayobj.basic_indexing(
        context, builder, to_type, to, kinds, indices, boundscheck=context.enable_boundscheck
    )
    target = Block(start, shape, steps)
    parts = [cgutils.unpack_tuple(builder, part) for part in (source.shape, source.strides)]
    origin = _broadcast(context, builder, Block(source.data, *parts), target)
    copy_block(builder, to_type.dtype, target, from_type.dtype, origin)
    return context.get_dummy_value()


def _is_tuple(kind: Any) -> bool:
    return isinstance(kind, types.BaseTuple)


def _broadcast(context: Any, builder: ir.IRBuilder, source: Block, target: Block) -> Block:
    """Return the source seen with the target's shape; raises where that is impossible."""
    surplus = len(source.shape) - len(target.shape)
    one = _SIZE(1)
    wanted = [one] * surplus + target.shape
    shape = [one] * -surplus + source.shape
    steps = [_SIZE(0)] * -surplus + source.steps
    seen = []
    for own, step, other in zip(shape, steps, wanted, strict=True):
        is_same = builder.icmp_signed("==", own, other)
        is_one = builder.icmp_signed("==", own, one)
        with builder.if_then(builder.not_(builder.or_(is_same, is_one)), likely=False):
            _raise(context, builder, source.shape, target.shape)
        seen.append(builder.select(is_same, step, _SIZE(0)))
    return Block(source.start, target.shape, seen[max(surplus, 0) :])


def _raise(context: Any, builder: ir.IRBuilder, source: Sequence[Any], to: Sequence[Any]) -> None:
    kinds = [types.UniTuple(types.int64, len(part)) for part in (source, to)]
    raiser = context.typing_context.resolve_value_type(arrayobj.raise_with_shape_context)
    found = raiser.get_call_type(context.typing_context, tuple(kinds), {})
    parts = [
        context.make_tuple(builder, kind, part)
        for kind, part in zip(kinds, (source, to), strict=True)
    ]
    context.get_function(raiser, found)(builder, parts)
