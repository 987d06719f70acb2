"""vjp in compiled code: the function that pulls a cotangent back is a value of a type of its own.

It holds copies of the arguments, so what the caller does with the originals afterwards changes
nothing, and neither does a kernel that writes to its arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.datamodel import models
from numba.core.typing import signature
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.extending import lower_builtin, register_model

from enzyme_py.assembly.results import returned_type
from enzyme_py.calls import operators
from enzyme_py.frontend.functions.bound_types import function_parts
from enzyme_py.transforms.derivatives.pullback import pullback
from enzyme_py.transforms.plans.binding import Emit, plan_call, run_plan
from enzyme_py.transforms.plans.primal import Primal
from enzyme_py.transforms.values.copies_lowering import emit_copy
from enzyme_py.transforms.values.functions import can_differentiate, held_values


class PullbackType(types.Callable):  # type: ignore[misc]
    """The Numba type of a pull-back: its kernel, and the types of the arguments that it holds.

    The first `skipped` of them are what the function itself holds.
    """

    word = "Pullback"
    runs = "its pull-back runs it again"

    def __init__(self, kernel: Any, kinds: Sequence[Any], skipped: int) -> None:
        self.kernel = kernel
        self.kinds = tuple(kinds)
        self.skipped = skipped
        self.plan: Any = pullback(kernel, skipped)
        super().__init__(f"{self.word}({id(kernel)}, {skipped}, {', '.join(map(str, kinds))})")

    @property
    def key(self) -> Any:
        """Not the name: two classes of a user's may have the same."""
        return self.word, id(self.kernel), self.skipped, self.kinds

    def get_call_type(self, context: Any, args: Sequence[Any], kws: Any) -> Any:
        """Type `pull_back(cotangent)`."""
        if kws or len(args) != 1:
            return None
        _, call = plan_call(context, self.plan, (types.unliteral(args[0]), *self.kinds))
        return signature(call.return_type, call.args[1], recvr=self)

    def get_call_signatures(self) -> tuple[list[Any], bool]:
        """Nothing is known before the cotangent is."""
        return [], True

    def get_impl_key(self, _sig: Any) -> Any:
        """All pull-backs share one lowering."""
        return _pull_back


@register_model(PullbackType)
class HeldModel(models.StructModel):  # type: ignore[misc]
    """The arguments that a pull-back, or a push-forward, holds."""

    def __init__(self, manager: Any, kind: PullbackType) -> None:
        members = [(f"part{i}", part) for i, part in enumerate(kind.kinds)]
        super().__init__(manager, kind, members)


@infer_global(operators.vjp)
class _VjpTemplate(AbstractTemplate):  # type: ignore[misc]
    key = operators.vjp

    def generic(self, args: Sequence[Any], kws: Any) -> Any:
        return held_signature(self.context, PullbackType, args, kws)


def held_signature(typing_context: Any, holder: Any, args: Sequence[Any], kws: Any) -> Any:
    """Type a call that returns the kernel's result, and a function that holds the arguments."""
    if kws or not args or not can_differentiate(args[0]):
        return None
    kernel, held = function_parts(args[0])
    given = [types.unliteral(kind) for kind in args[1:]]
    function = holder(kernel, tuple(map(returned_type, (*held, *given))), len(held))
    _, call = plan_call(typing_context, Primal(function.kernel, function.runs), function.kinds)
    return signature(types.Tuple((call.return_type, function)), args[0], *given)


@lower_builtin(operators.vjp, types.VarArg(types.Any))
def lower_held(context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]) -> Any:
    """Lower such a call."""
    emit = Emit(context, builder, None)
    kind = sig.return_type[1]
    values = [*held_values(context, builder, sig.args[0], args[0]), *args[1:]]
    kinds = [*function_parts(sig.args[0])[1], *sig.args[1:]]
    kept = [emit_copy(emit, *one) for one in zip(kinds, values, strict=True)]
    used = [emit_copy(emit, *one) for one in zip(kind.kinds, kept, strict=True)]
    result = run_plan(context, builder, Primal(kind.kernel, kind.runs), kind.kinds, used)
    forget(emit, kind.kinds, used)
    struct = context.make_helper(builder, kind)
    for i, value in enumerate(kept):
        setattr(struct, f"part{i}", value)
    return context.make_tuple(builder, sig.return_type, [result, struct._getvalue()])


def _pull_back(holder: Any, cotangent: Any) -> None:
    """Stand for the lowering of a call of a pull-back."""


@lower_builtin(_pull_back, PullbackType, types.Any)
def _lower_pull_back(context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]) -> Any:
    emit = Emit(context, builder, None)
    kind, cotangent = sig.args
    struct = context.make_helper(builder, kind, args[0])
    parts = [getattr(struct, f"part{i}") for i in range(len(kind.kinds))]
    used = [emit_copy(emit, *one) for one in zip(kind.kinds, parts, strict=True)]
    result = run_plan(context, builder, kind.plan, (cotangent, *kind.kinds), [args[1], *used])
    forget(emit, kind.kinds, used)
    return result


def forget(emit: Emit, kinds: Sequence[Any], values: Sequence[ir.Value]) -> None:
    """Give back the references to values."""
    for kind, value in zip(kinds, values, strict=True):
        emit.context.nrt.decref(emit.builder, kind, value)
