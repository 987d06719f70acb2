"""Calls of Python from compiled code, also from kernels: a work array in, another one out.

What is called gets the place and the length of the one, and returns those of the other. Numba makes the way there
(object mode: the interpreter's lock, the exception); kernels call it as finished code, by its address.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
import numba
from llvmlite import ir
from numba.core import callconv, cgutils, types
from numba.core.errors import TypingError
from numba.core.typing import signature
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array

from enzyme_py.frontend.codegen.calling_convention import raise_on_error
from enzyme_py.frontend.external.ruled import is_work
from enzyme_py.symbols import PYTHON, plain_symbol

_SIZE = ir.IntType(64)
_numbers = itertools.count()
_kept: list[Any] = []  # compiled code that is called by its address
_PAIR = types.UniTuple(types.int64, 2)


def through_python(called: Callable[[int, int], tuple[int, int]], name: str) -> Any:
    """Return the intrinsic that calls Python; what it returns must live until the next call."""
    symbol = _symbol(called, name)

    @intrinsic
    def call(typing_context, work):  # type: ignore[no-untyped-def]
        if not is_work(work):
            message = "Python is called with a work array: one of floats, contiguous"
            raise TypingError(message)

        def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> Any:
            array = make_array(work)(context, builder, args[0])
            place = builder.ptrtoint(array.data, _SIZE)
            pair = ir.ArrayType(_SIZE, 2)
            excinfo_type = callconv.excinfo_ptr_t
            kind = ir.FunctionType(
                ir.IntType(32), [pair.as_pointer(), excinfo_type.as_pointer(), _SIZE, _SIZE]
            )
            function = cgutils.get_or_insert_function(builder.module, kind, symbol)
            slot = cgutils.alloca_once(builder, pair)
            excinfo = cgutils.alloca_once(builder, excinfo_type)
            builder.store(ir.Constant(excinfo_type, None), excinfo)
            status = builder.call(function, [slot, excinfo, place, array.nitems])
            _leave_on_error(context, builder, status, excinfo)
            found = builder.load(slot)
            made = make_array(work)(context, builder)
            item = context.get_abi_sizeof(context.get_data_type(work.dtype))
            populate_array(
                made,
                data=builder.inttoptr(builder.extract_value(found, 0), made.data.type),
                shape=[builder.extract_value(found, 1)],
                strides=[_SIZE(item)],
                itemsize=_SIZE(item),
                meminfo=None,
                parent=None,
            )
            return made._getvalue()

        return signature(work, work), lower

    return call


def _leave_on_error(
    context: Any, builder: ir.IRBuilder, status: ir.Value, excinfo: ir.Value
) -> None:
    from enzyme_py.frontend.target.target import KernelContext

    if isinstance(context, KernelContext):
        raise_on_error(builder, status, excinfo)
        return
    convention = context.call_conv
    full = convention._get_return_status(builder, status, builder.load(excinfo))
    with builder.if_then(full.is_error, likely=False):
        convention.return_status_propagate(builder, full)


def _symbol(called: Callable[[int, int], tuple[int, int]], name: str) -> str:
    """Return the symbol of finished code that calls Python."""

    @numba.njit([_PAIR(types.int64, types.int64)])
    def bridge(place, length):  # type: ignore[no-untyped-def]
        with numba.objmode(found=_PAIR):
            found = called(place, length)
        return found  # noqa: RET504  # what leaves object mode has a name

    compiled = bridge.overloads[types.int64, types.int64]
    symbol = f"{PYTHON}{plain_symbol(name)}.{next(_numbers)}"
    address = compiled.library.get_pointer_to_function(compiled.fndesc.llvm_func_name)
    llvm.add_symbol(symbol, address)
    _kept.append((bridge, called))
    return symbol
