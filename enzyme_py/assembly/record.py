"""What a split reverse keeps between its halves, in the tape's own region.

    { ptr enzyme's tape, result, result shadow per lane... }

The record is the root of the region (csrc/runtime.h), so the tape is all that the halves share.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils

_POINTER = ir.IntType(8).as_pointer()
_SIZE = ir.IntType(64)


class Record:
    """The record of one split request at the builder's place."""

    def __init__(self, context: Any, builder: ir.IRBuilder, return_type: Any, width: int) -> None:
        self._builder = builder
        slot = context.call_conv.get_return_type(return_type).pointee
        self._kind = ir.LiteralStructType([_POINTER, slot, *[slot] * width])
        self._bytes = context.get_abi_sizeof(self._kind)
        self._width = width
        self._memory: ir.Value = None

    def create(self, tape: ir.Value) -> None:
        """Allocate the record, zeroed, as the root of the tape."""
        allocate = self._runtime("malloc", _POINTER, [_SIZE])
        memory = self._builder.call(allocate, [_SIZE(self._bytes)])
        self._memory = self._builder.bitcast(memory, self._kind.as_pointer())
        self._builder.store(cgutils.get_null_value(self._kind), self._memory)
        keep = self._runtime("enzyme_py_tape_set_root", ir.VoidType(), [_POINTER, _POINTER])
        self._builder.call(keep, [self._builder.inttoptr(tape, _POINTER), memory])

    def recall(self, tape: ir.Value) -> None:
        """Find the record that the forward half left."""
        root = self._runtime("enzyme_py_tape_root", _POINTER, [_POINTER])
        memory = self._builder.call(root, [self._builder.inttoptr(tape, _POINTER)])
        self._memory = self._builder.bitcast(memory, self._kind.as_pointer())

    @property
    def result(self) -> ir.Value:
        """The slot of the result."""
        return self._field(1)

    @property
    def shadows(self) -> list[ir.Value]:
        """The slots of the result's shadows, one per lane."""
        return [self._field(2 + lane) for lane in range(self._width)]

    def keep_enzyme_tape(self, value: ir.Value) -> None:
        """Store what Enzyme's augmented forward half returned."""
        self._builder.store(value, self._field(0))

    def enzyme_tape(self) -> ir.Value:
        """Return what Enzyme's reverse half takes last."""
        return self._builder.load(self._field(0))

    def _field(self, index: int) -> ir.Value:
        return cgutils.gep_inbounds(self._builder, self._memory, 0, index)

    def _runtime(self, name: str, returned: ir.Type, parameters: list[ir.Type]) -> ir.Function:
        kind = ir.FunctionType(returned, parameters)
        return cgutils.get_or_insert_function(self._builder.module, kind, name)
