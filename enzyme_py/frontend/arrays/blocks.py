"""Blocks of memory as the lowering sees them, and the call that copies one onto another.

Which operations on arrays become block copies (rules/copies.py) is a table, `ways`: an operation
either goes through it or stays with Numba's own loops, whichever measured better (docs/copies.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types

from enzyme_py.rules import copies

NUMBA = "numba"  # Numba's own loops

# What each operation is lowered to; benchmarks/block_copies.py tries the others.
ways = {"assignment": copies.RULES, "concatenate": NUMBA, "copy": NUMBA}

_POINTER = ir.IntType(8).as_pointer()
_SIZE = ir.IntType(64)
_LETTERS = {
    types.float64: "d",
    types.float32: "s",
    types.complex128: "d",
    types.complex64: "s",
}


class Block:
    """A part of an array: where it starts, its shape and its steps in bytes."""

    def __init__(self, start: ir.Value, shape: Sequence[Any], steps: Sequence[Any]) -> None:
        self.start, self.shape, self.steps = start, list(shape), list(steps)


def can_copy(to: Any, source: Any, rank: int) -> bool:
    """Tell whether arrays of these types can be copied as blocks of a rank."""
    if not (_is_block(to) and _is_block(source)):
        return False
    is_complex = isinstance(to.dtype, types.Complex)
    if isinstance(source.dtype, types.Complex) and not is_complex:
        return False
    return rank > 0 and rank + is_complex <= copies.LARGEST_RANK


def _is_block(kind: Any) -> bool:
    return isinstance(kind, types.Array) and kind.dtype in _LETTERS and kind.aligned


def copy_block(builder: ir.IRBuilder, to: Any, target: Block, source: Any, origin: Block) -> None:
    """Emit the call; complex numbers are pairs, and a real source leaves a part of zeros."""
    letters = _LETTERS[to] + _LETTERS[source]
    sizes = [copies.SIZES[letter] for letter in letters]
    if isinstance(to, types.Complex) and isinstance(source, types.Complex):
        target = Block(target.start, [*target.shape, _SIZE(2)], [*target.steps, _SIZE(sizes[0])])
        origin = Block(origin.start, target.shape, [*origin.steps, _SIZE(sizes[1])])
    rank = len(target.shape)
    values = [*target.shape, *target.steps, *origin.steps]
    _call(builder, copies.name("copy", rank, letters), [target.start, origin.start], values)
    if isinstance(to, types.Complex) and not isinstance(source, types.Complex):
        start = builder.bitcast(target.start, _POINTER)
        imaginary = builder.gep(start, [_SIZE(sizes[0])])
        symbol = copies.name("clear", rank, letters[0])
        _call(builder, symbol, [imaginary], [*target.shape, *target.steps])


def _call(builder: ir.IRBuilder, symbol: str, starts: Sequence[Any], sizes: Sequence[Any]) -> None:
    kind = ir.FunctionType(ir.VoidType(), [_POINTER] * len(starts) + [_SIZE] * len(sizes))
    function = cgutils.get_or_insert_function(builder.module, kind, symbol)
    builder.call(function, [*(builder.bitcast(one, _POINTER) for one in starts), *sizes])
