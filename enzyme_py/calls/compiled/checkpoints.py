"""`checkpoint` and `remat` inside @njit and @enzyme.jit code."""

from __future__ import annotations

from typing import Any

from numba.core import types
from numba.core.imputils import impl_ret_borrowed
from numba.core.typing import signature
from numba.extending import intrinsic, overload

from enzyme_py.calls.checkpointing import checkpoints
from enzyme_py.calls.compiled.jacobian_overloads import register_transformer
from enzyme_py.errors import AnnotationError
from enzyme_py.frontend.functions.bound_types import function_parts, is_function
from enzyme_py.transforms.plans.structures import written
from enzyme_py.transforms.values.functions import held_values


@overload(
    checkpoints.checkpoint, strict=False, prefer_literal=True
)  # annotations would count as a difference
def _checkpoint(step, state, n, args=(), memory=None, schedule="binomial"):  # type: ignore[no-untyped-def]
    if not is_function(step):
        return None
    kernel, held = function_parts(step)
    if isinstance(schedule, types.Omitted):
        schedule = schedule.value
    elif isinstance(schedule, types.Type):
        if not isinstance(schedule, types.StringLiteral):
            message = "schedule must be written as a constant in compiled code"
            raise AnnotationError(
                message, remedy=f"choose one of {', '.join(checkpoints.SCHEDULES)}"
            )
        schedule = schedule.literal_value
    if not isinstance(args, types.BaseTuple | types.Omitted | tuple):
        message = f"args must be a tuple of the step's further arguments, not {args}"
        raise AnnotationError(message, remedy="write args=(forcing,) for a single one")
    run = checkpoints.checkpointed(kernel, len(held), checkpoints.checked_schedule(schedule))
    budget = getattr(memory, "value", memory)
    is_unsaid = budget is None or isinstance(budget, types.NoneType)
    bytes_kept = "0.0" if is_unsaid else "float(memory)"
    head = 'step, state, n, args=(), memory=None, schedule="binomial"'
    scope = {"run": run, "held_by": _held}
    return written(head, f"run(state, n, held_by(step) + args, {bytes_kept})", scope)


@intrinsic
def _held(typing_context, step):  # type: ignore[no-untyped-def]
    """Return the values that a function holds, as a tuple."""
    kinds = function_parts(step)[1]

    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        values = held_values(context, builder, sig.args[0], args[0])
        made = context.make_tuple(builder, sig.return_type, values)
        return impl_ret_borrowed(context, builder, sig.return_type, made)

    return signature(types.Tuple(kinds), step), lower


register_transformer(checkpoints.remat)
