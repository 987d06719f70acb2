"""Less memory for reverse mode: `checkpoint` for long loops, `remat` for anything else.

The names, and what Numba must know of them; the rules are in custom/, loaded with the first use.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.core import types
from numba.core.imputils import impl_ret_borrowed
from numba.core.typing import signature
from numba.extending import intrinsic, overload

from enzyme_py.errors import AnnotationError
from enzyme_py.frontend.bound import opened
from enzyme_py.frontend.bound_types import function_parts, is_function
from enzyme_py.njit.functions import held_values
from enzyme_py.njit.jacobian_overloads import register_transformer
from enzyme_py.njit.structures import written
from enzyme_py.operators import transformed
from enzyme_py.trees import as_tuples

SCHEDULES = ("binomial", "periodic", "store")


def checkpoint(
    step: Callable[..., Any],
    state: Any,
    n: int,
    args: tuple[Any, ...] = (),
    memory: float | None = None,
    schedule: str = "binomial",
) -> Any:
    """Return the state after `n` steps: `for i in range(n): state = step(state, i, *args)`.

    A state is a number, an array, or a tuple of these; `step` returns the next one, of the same types and
    shapes. It may write to the state that it is given, not to `args`. All transforms take the loop, in
    kernels too. In reverse mode it keeps states in `memory` bytes (1 GiB if nothing is said) and runs the
    steps between them again:

    "binomial"  as few steps as can be (Revolve); keeps all states where they fit in
    "periodic"  every k-th state, each step run twice at most more than once
    "store"     all states

    Raises ValueError where `memory` is too small for that.
    """
    kernel, held = opened(step)
    given = (*held, *map(as_tuples, _checked_args(args)))
    run = _checkpointed(kernel, len(held), _checked_schedule(schedule))
    return run(state, n, given, 0.0 if memory is None else float(memory))


def _checked_args(args: Any) -> tuple[Any, ...]:
    if not isinstance(args, tuple):
        message = f"args must be a tuple of the step's further arguments, not {type(args).__name__}"
        raise AnnotationError(message, remedy="write args=(forcing,) for a single one")
    return args


def _checked_schedule(schedule: Any) -> int:
    if schedule not in SCHEDULES:
        message = f"there is no schedule {schedule!r}"
        raise AnnotationError(message, remedy=f"choose one of {', '.join(SCHEDULES)}")
    return SCHEDULES.index(schedule)


@overload(checkpoint, strict=False, prefer_literal=True)  # annotations would count as a difference
def _checkpoint(step, state, n, args=(), memory=None, schedule="binomial"):  # type: ignore[no-untyped-def]
    if not is_function(step):
        return None
    kernel, held = function_parts(step)
    if isinstance(schedule, types.Omitted):
        schedule = schedule.value
    elif isinstance(schedule, types.Type):
        if not isinstance(schedule, types.StringLiteral):
            message = "schedule must be written as a constant in compiled code"
            raise AnnotationError(message, remedy=f"choose one of {', '.join(SCHEDULES)}")
        schedule = schedule.literal_value
    if not isinstance(args, types.BaseTuple | types.Omitted | tuple):
        message = f"args must be a tuple of the step's further arguments, not {args}"
        raise AnnotationError(message, remedy="write args=(forcing,) for a single one")
    run = _checkpointed(kernel, len(held), _checked_schedule(schedule))
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


def _checkpointed(kernel: Any, held: int, schedule: int) -> Any:
    from enzyme_py.custom.checkpoint import checkpointed

    return checkpointed(kernel, held, schedule)


def remat(f: Callable[..., Any]) -> Any:
    """Return the function `f` as one that is run again in reverse mode, in place of keeping what it made.

    Memory falls to the arguments and the result, and a gradient runs `f` once more. `f` takes and returns
    numbers, arrays and tuples of these, and does not write to its arguments. All transforms take the new
    function, in kernels too, and it may stand in others.
    """
    from enzyme_py.custom.remat import rematerialised

    return transformed(f, lambda kernel, held: rematerialised(kernel))  # noqa: ARG005


register_transformer(remat)

__all__ = ["checkpoint", "remat"]
