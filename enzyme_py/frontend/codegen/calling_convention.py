"""The calling convention of kernels: Numba's, but a `raise` does not return.

    i32 kernel(ptr result, ptr excinfo, flattened arguments...)

Outside any `try`, raising calls `enzyme_py_raise(status, excinfo)`, which jumps back to the entry
of the derivative, and the status of a callee is never looked at. Status returns would make every
loop one with several exits, which Enzyme differentiates badly or wrongly (DESIGN 4, COVERAGE.md).

A kernel with a `try` needs statuses, also from its callees: it is lowered by a second target whose
convention is Numba's own (`catching=True`).
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import callconv, cgutils, types

from enzyme_py.foundations.content.named_classes import by_name

RAISE = "enzyme_py_raise"

_BOXABLE = (types.Number, types.Boolean, types.UnicodeType, types.NoneType, types.StringLiteral)


class CatchingCallConv(callconv.CPUCallConv):  # type: ignore[misc]
    """Numba's CPU convention, for kernels that hold a `try`; exceptions have memory of their own, and classes by name."""

    def build_excinfo_struct(self, exc: Any, exc_args: Any, loc: Any, func_name: Any) -> Any:
        return super().build_excinfo_struct(by_name(exc), exc_args, loc, func_name)

    def set_dynamic_user_exc(
        self,
        builder: ir.IRBuilder,
        exc: Any,
        exc_args: Any,
        nb_types: Any,
        loc: Any = None,
        func_name: Any = None,
    ) -> None:
        with self.context.exception_memory():
            super().set_dynamic_user_exc(
                builder, exc, exc_args, nb_types, loc=loc, func_name=func_name
            )


class KernelCallConv(CatchingCallConv):
    """The same with the noreturn raise."""

    def _raise(self, builder: ir.IRBuilder, code: Any, excinfo: Any) -> None:
        kind = ir.FunctionType(ir.VoidType(), [code.type, excinfo.type])
        function = builder.module.globals.get(RAISE)
        if function is None:
            function = ir.Function(builder.module, kind, RAISE)
            # Never nounwind: Enzyme drops a noreturn call that cannot unwind, and with it the
            # check before it, so that a kernel that should raise would go on (measured).
            function.attributes.add("noreturn")
            function.attributes.add("cold")
        builder.call(function, [code, excinfo])
        builder.unreachable()

    def return_user_exc(
        self,
        builder: ir.IRBuilder,
        exc: Any,
        exc_args: Any = None,
        loc: Any = None,
        func_name: Any = None,
    ) -> None:
        self.set_static_user_exc(builder, exc, exc_args=exc_args, loc=loc, func_name=func_name)
        self._raise_stored(builder)

    def _raise_stored(self, builder: ir.IRBuilder) -> None:
        excinfo = builder.load(self._get_excinfo_argument(builder.function))
        self._raise(builder, callconv.RETCODE_USEREXC, excinfo)

    def return_dynamic_user_exc(
        self,
        builder: ir.IRBuilder,
        exc: Any,
        exc_args: Any,
        nb_types: Any,
        loc: Any = None,
        func_name: Any = None,
    ) -> None:
        self.set_dynamic_user_exc(builder, exc, exc_args, nb_types, loc=loc, func_name=func_name)
        self._raise_stored(builder)

    def return_exc(self, builder: ir.IRBuilder) -> None:
        null = ir.Constant(callconv.excinfo_ptr_t, None)
        self._raise(builder, callconv.RETCODE_EXC, null)

    def return_status_propagate(self, builder: ir.IRBuilder, status: Any) -> None:
        # Only reached on an error status, and no callee returns one.
        builder.unreachable()

    def _get_return_status(self, builder: ir.IRBuilder, code: Any, excinfoptr: Any) -> Any:
        status = super()._get_return_status(builder, code, excinfoptr)
        false = ir.Constant(ir.IntType(1), 0)
        return status._replace(is_error=false, is_python_exc=false, is_user_exc=false)

    def set_try_status(self, builder: ir.IRBuilder) -> None:
        self.context.active_code_library.catches = True
        super().set_try_status(builder)


def raise_on_error(builder: ir.IRBuilder, status: ir.Value, excinfo: ir.Value) -> None:
    """Turn the status of a catching kernel into the noreturn raise, outside its last `try`."""
    is_error = builder.or_(
        builder.icmp_signed(">", status, status.type(0)),
        builder.icmp_signed("==", status, callconv.RETCODE_EXC),
    )
    with builder.if_then(is_error, likely=False):
        stored = builder.load(excinfo)
        kind = ir.FunctionType(ir.VoidType(), [status.type, stored.type])
        raiser = cgutils.get_or_insert_function(builder.module, kind, RAISE)
        raiser.attributes.add("noreturn")
        builder.call(raiser, [status, stored])
        builder.unreachable()
