"""What code that Numba compiles for derivatives is made of, beyond Python: constants and C functions.

`constant(x)` passes a number through a function that Enzyme takes for inactive. A library function is
called under a name for which the table of inactive functions has a row (rules/inactive.py): it must be
given constants.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils
from numba.core.typing import signature
from numba.extending import intrinsic

from enzyme_py.rules.inactive import CONSTANT_PREFIX
from enzyme_py.symbols import BARRIER


def called(builder: ir.IRBuilder, name: str, args: Any) -> ir.Value:
    """Emit the call of a function that stands elsewhere, whose result has the type of its first argument."""
    kind = ir.FunctionType(args[0].type, [one.type for one in args])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), args)


@intrinsic
def constant(typing_context, value):  # type: ignore[no-untyped-def]
    """Return a number, as a constant to derivatives."""

    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
        return called(builder, f"{BARRIER}.{args[0].type}", args)

    return signature(value, value), lower


def library_function(name: str, arity: int) -> Any:
    """Return a function of the C library, of constant numbers of one type, as compiled code calls it."""

    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
        return called(builder, CONSTANT_PREFIX + name, args)

    if arity == 1:

        @intrinsic
        def of_one(typing_context, x):  # type: ignore[no-untyped-def]
            return signature(x, x), lower

        return of_one

    @intrinsic
    def of_two(typing_context, x, y):  # type: ignore[no-untyped-def]
        return signature(x, x, y), lower

    return of_two
