"""Arrays that a kernel captures: their numbers are data of the module, or lie at an address that never changes.

They are constant, and Enzyme has no shadow for them. Where constant and active memory meet (`h = H0`, then
`h = np.tanh(w @ h)` in a loop, differentiated twice) it asks for one, and the request is made again for the targets in
which constants have shadows: there a kernel makes a copy of its own when it begins.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.np.arrayobj import make_array

INACTIVE = "enzyme_inactive"


class FreezesArrays:
    """A context that marks such data, if they hold floats, for passes/memory/captured_numbers.py."""

    _in_array = False

    def make_constant_array(self, builder: ir.IRBuilder, typ: Any, ary: Any) -> Any:
        """See Numba's."""
        known = len(builder.module.global_values)
        copies = self._kernel_target.shadows_constants  # type: ignore[attr-defined]
        self._in_array = True
        try:
            array = super().make_constant_array(builder, typ, ary)  # type: ignore[misc]
        finally:
            self._in_array = False
        if holds_floats(typ.dtype):
            for data in list(builder.module.global_values)[known:]:
                data.set_metadata(INACTIVE, builder.module.add_metadata(()))
                if copies and not isinstance(typ.dtype, types.Record):
                    array = _with_own_data(self, builder, typ, array, data, ary.nbytes)
        return array

    def add_dynamic_addr(self, builder: ir.IRBuilder, intaddr: int, info: str) -> Any:
        """See Numba's; of an array, the address as such."""
        # Numba reads the address from a global, of which Enzyme asks where its shadow is. An
        # address as such is constant, and with it the large captured array behind it. For C
        # functions the question is right: of their address alone, forward mode makes a wild call.
        if not self._in_array:
            return super().add_dynamic_addr(builder, intaddr, info)  # type: ignore[misc]
        address = self.get_constant(types.uintp, intaddr)  # type: ignore[attr-defined]
        return builder.inttoptr(address, self.get_value_type(types.voidptr))  # type: ignore[attr-defined]


def _with_own_data(
    context: Any, builder: ir.IRBuilder, typ: Any, array: ir.Value, data: ir.Value, size: int
) -> ir.Value:
    """Return the array with its numbers in memory of this call of the function."""
    own = make_array(typ)(context, builder, array)
    length = ir.IntType(64)
    block = ir.IntType(8).as_pointer()
    function = ir.FunctionType(block, [length, length])
    with builder.goto_entry_block():
        allocate = cgutils.get_or_insert_function(builder.module, function, "calloc")
        start = builder.call(allocate, [length(1), length(size)])
        start = builder.bitcast(start, own.data.type)
        numbers = builder.bitcast(data, own.data.type)
        cgutils.raw_memcpy(builder, start, numbers, length(size), 1)
    own.data = start
    return own._getvalue()


def holds_floats(kind: Any) -> bool:
    """Tell whether the elements of an array can hold floats."""
    if isinstance(kind, types.Record):
        return any(holds_floats(field.type) for field in kind.fields.values())
    if isinstance(kind, types.NestedArray):
        return holds_floats(kind.dtype)
    return isinstance(kind, types.Float | types.Complex)
