"""Memory that holds no floats: the tables of sets, the items of lists of integers, characters.

Such memory comes from a function that Enzyme knows to be inactive, not from malloc. So it is
constant whatever it merges with, has no shadow, and is neither recomputed nor freed in the reverse
sweep: all that Enzyme does with blocks of malloc, and measured to go wrong for tables that are
filled by hashes (a crash of the derivative, loops over a set that did not end). The native stage
makes it malloc again (native/rewrites/leftovers.py).
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types

from enzyme_py.rules.inactive import TABLE_MEMORY

_POINTER = ir.IntType(8).as_pointer()
_SIZE = ir.IntType(64)
_CONSTANTS = (types.Integer, types.Boolean, types.UnicodeType, types.NoneType, types.EnumMember)


def holds_no_floats(kind: Any) -> bool:
    """Tell whether a value of this type is numbers without derivatives, text, or a container of such."""
    if isinstance(kind, types.BaseTuple):
        return all(map(holds_no_floats, kind))
    if isinstance(kind, (types.List, types.ListType, types.Set)):
        return holds_no_floats(kind.dtype)
    if isinstance(kind, types.DictType):
        return holds_no_floats(kind.key_type) and holds_no_floats(kind.value_type)
    if isinstance(kind, types.Optional):
        return holds_no_floats(kind.type)
    return isinstance(kind, _CONSTANTS)


def table_memory(builder: ir.IRBuilder, size: Any) -> ir.Value:
    """Emit the allocation of so many bytes."""
    kind = ir.FunctionType(_POINTER, [_SIZE])
    function = cgutils.get_or_insert_function(builder.module, kind, TABLE_MEMORY)
    function.return_value.add_attribute("noalias")
    return builder.call(function, [size])


def table_header(builder: ir.IRBuilder, data: Any) -> ir.Value:
    """Emit what stands for Numba's MemInfo (assembly/runtime_ir.py): a block that points at the data."""
    header = table_memory(builder, _SIZE(8))
    builder.store(data, builder.bitcast(header, _POINTER.as_pointer()))
    return header
