"""linearize in compiled code: the function that pushes tangents forward, with copies of the arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.typing import signature
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.extending import lower_builtin, register_model

from enzyme_py.calls import operators
from enzyme_py.calls.compiled.vjp import HeldModel, PullbackType, forget, held_signature, lower_held
from enzyme_py.transforms.derivatives.jvp import Jvp
from enzyme_py.transforms.plans.binding import Emit, plan_call, run_plan
from enzyme_py.transforms.values.copies_lowering import emit_copy


class PushforwardType(PullbackType):
    """The Numba type of a push-forward: its kernel, and the types of the arguments that it holds."""

    word = "Pushforward"
    runs = "its push-forward runs it again"

    def __init__(self, kernel: Any, kinds: Sequence[Any], skipped: int) -> None:
        super().__init__(kernel, kinds, skipped)
        self.plan = Jvp(kernel, skipped)

    def get_call_type(self, context: Any, args: Sequence[Any], kws: Any) -> Any:
        """Type `push_forward(*tangents)`."""
        if kws or len(args) != len(self.kinds) - self.skipped:
            return None
        given = [types.unliteral(kind) for kind in args]
        _, call = plan_call(context, self.plan, (*self.kinds, *given))
        return signature(call.return_type[1], *given, recvr=self)

    def get_impl_key(self, _sig: Any) -> Any:
        """All push-forwards share one lowering."""
        return _push_forward


register_model(PushforwardType)(HeldModel)


@infer_global(operators.linearize)
class _LinearizeTemplate(AbstractTemplate):  # type: ignore[misc]
    key = operators.linearize

    def generic(self, args: Sequence[Any], kws: Any) -> Any:
        return held_signature(self.context, PushforwardType, args, kws)


lower_builtin(operators.linearize, types.VarArg(types.Any))(lower_held)


def _push_forward(holder: Any, *tangents: Any) -> None:
    """Stand for the lowering of a call of a push-forward."""


@lower_builtin(_push_forward, PushforwardType, types.VarArg(types.Any))
def _lower_push_forward(
    context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]
) -> ir.Value:
    emit = Emit(context, builder, None)
    kind, *given = sig.args
    struct = context.make_helper(builder, kind, args[0])
    parts = [getattr(struct, f"part{i}") for i in range(len(kind.kinds))]
    used = [emit_copy(emit, *one) for one in zip(kind.kinds, parts, strict=True)]
    pair = run_plan(context, builder, kind.plan, (*kind.kinds, *given), [*used, *args[1:]])
    forget(emit, kind.kinds, used)
    return builder.extract_value(pair, 1)
