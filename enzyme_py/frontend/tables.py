"""Memory that holds no floats: the tables of sets, the items of lists of integers, characters.

Such memory comes from a function that the pass knows to be inactive, not from malloc. So it is
constant whatever it merges with, has no shadow, and is neither recomputed nor freed in the reverse
sweep: all that the pass does with blocks of malloc, and MEASURED to go wrong for tables that are
filled by hashes (a crash of the derivative, loops over a set that did not end). The native stage
makes it malloc again (native/optimise.py).
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.cpython import setobj

from enzyme_py.rules.inactive import TABLE_MEMORY

_POINTER = ir.IntType(8).as_pointer()
_SIZE = ir.IntType(64)
_CONSTANTS = (types.Integer, types.Boolean, types.UnicodeType, types.NoneType, types.EnumMember)


def holds_no_floats(kind: Any) -> bool:
    """Tell whether a value of this type is numbers without derivatives, or text."""
    if isinstance(kind, types.BaseTuple):
        return all(map(holds_no_floats, kind))
    if isinstance(kind, types.Optional):
        return holds_no_floats(kind.type)
    return isinstance(kind, _CONSTANTS)


@contextlib.contextmanager
def whole_set_iterators() -> Iterator[None]:
    """Within the block, an iterator of a set knows its set before it looks for the table.

    Numba reads through the null that stands there at first. Nothing uses what comes of it, but where
    LLVM notices (a hint has a use for it) all code behind it is dropped: MEASURED, crashes.
    """
    setobj.SetIterInstance.from_set = classmethod(_from_set)
    try:
        yield
    finally:
        setobj.SetIterInstance.from_set = _usual_from_set


_usual_from_set = setobj.SetIterInstance.__dict__["from_set"]


def _from_set(cls: Any, context: Any, builder: ir.IRBuilder, kind: Any, value: Any) -> Any:
    held = setobj.SetInstance(context, builder, kind.container, value)
    made = context.make_helper(builder, kind)
    made.index = cgutils.alloca_once_value(builder, context.get_constant(types.intp, 0))
    made.meminfo = held.meminfo
    return cls(context, builder, kind, made._getvalue())


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
