"""A mark at the end of a kernel: in its gradient it stands between the two sweeps.

The mark is a call of the C runtime that notes how much memory is alive. For Enzyme it is a hint, a
call that seems to do something and has no derivative, so it stays where it is in the forward sweep.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.typing import signature
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.extending import lower_builtin

from enzyme_py.frontend.target.target import KernelContext
from enzyme_py.symbols import HINT

TURN = f"{HINT}_turn"  # a function of csrc/runtime.h


def with_turn(kernel: Any) -> Callable[..., Any]:
    """Return a function that does what the kernel does, and then marks the turn."""

    def marked(*arguments):  # type: ignore[no-untyped-def]  # compiled by Numba
        result = kernel(*arguments)
        _turn()
        return result

    marked.__name__ = marked.__qualname__ = kernel.py_func.__name__
    return marked


def _turn() -> None:
    """Mark the turn; does nothing outside of a derivative."""


@infer_global(_turn)
class _TurnTemplate(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Sequence[Any], kws: Any) -> Any:
        return signature(types.none)


@lower_builtin(_turn)  # type: ignore[untyped-decorator]
def _lower_turn(context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]) -> Any:
    if isinstance(context, KernelContext):
        function = builder.module.globals.get(TURN)
        if function is None:
            kind = ir.FunctionType(ir.VoidType(), [])
            function = ir.Function(builder.module, kind, TURN)
        builder.call(function, [])
    return context.get_dummy_value()
