"""Less memory for reverse mode: `checkpoint` for long loops, `remat` for anything else.

Compiled code learns of both in calls/compiled/checkpoints.py. The rules beside this file are loaded with the first use.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, TypeVar

from enzyme_py.calls.kernel_types import Kernel, P, R
from enzyme_py.calls.operators import transformed
from enzyme_py.errors import AnnotationError
from enzyme_py.foundations.places import where_is
from enzyme_py.foundations.trees import as_tuples
from enzyme_py.frontend.functions.bound import opened

S = TypeVar("S")
SCHEDULES = ("binomial", "periodic", "store")


def checkpoint(
    step: Callable[..., Any],
    state: S,
    n: int,
    args: tuple[Any, ...] = (),
    memory: float | None = None,
    schedule: str = "binomial",
) -> S:
    """Return the state after `n` steps: `for i in range(n): state = step(state, i, *args)`.

    A state is a number, an array, or a tuple of these; `step` returns the next one, of the same types and
    shapes. It may write to the state that it is given, not to `args`. All transforms take the loop, in
    kernels too. In reverse mode it keeps states in `memory` bytes (1 GiB if nothing is said) and runs the
    steps between them again:

    "binomial"  as few steps as can be (Revolve); keeps all states where they fit in
    "periodic"  every k-th state, each step run twice at most more than once
    "store"     all states

    Raises ValueError where `memory` is too small for that.

    Examples:
        >>> def final(x):
        ...     return enzyme.checkpoint(lambda u, i, a: a * u, x, 10, (0.5,))
        >>> enzyme.grad(final)(1.0) == 0.5**10
        True
    """
    kernel, held = opened(step)
    try:
        operator.index(n)
    except TypeError:
        message = f"the number of steps is an integer, not {type(n).__name__}"
        remedy = "write checkpoint(step, state, n, args=(...,))"
        raise AnnotationError(message, where=where_is(kernel), remedy=remedy) from None
    given = (*held, *map(as_tuples, checked_args(args)))
    run = checkpointed(kernel, len(held), checked_schedule(schedule))
    last: S = run(state, n, given, 0.0 if memory is None else float(memory))
    return last


def checked_args(args: Any) -> tuple[Any, ...]:
    """Return the further arguments of a step, or raise."""
    if not isinstance(args, tuple):
        message = f"args must be a tuple of the step's further arguments, not {type(args).__name__}"
        raise AnnotationError(message, remedy="write args=(forcing,) for a single one")
    return args


def checked_schedule(schedule: Any) -> int:
    """Return the number of a schedule, or raise."""
    if schedule not in SCHEDULES:
        message = f"there is no schedule {schedule!r}"
        raise AnnotationError(message, remedy=f"choose one of {', '.join(SCHEDULES)}")
    return SCHEDULES.index(schedule)


def checkpointed(kernel: Any, held: int, schedule: int) -> Any:
    """Return the dispatcher run(state, n, (*what the step holds, *args), memory)."""
    from enzyme_py.calls.checkpointing.loop_rules import loop_kernel

    return loop_kernel(kernel, held, schedule)


def remat(f: Callable[P, R]) -> Kernel[P, R]:
    """Return the function `f` as one that is run again in reverse mode, in place of keeping what it made.

    Memory falls to the arguments and the result, and a gradient runs `f` once more. `f` takes and returns
    numbers, arrays and tuples of these, and does not write to its arguments. All transforms take the new
    function, in kernels too, and it may stand in others.

    Examples:
        >>> enzyme.grad(lambda x: enzyme.remat(lambda y: y**3)(x))(2.0)
        12.0
    """
    from enzyme_py.calls.checkpointing.remat import rematerialised

    made: Kernel[P, R] = transformed(f, lambda kernel, held: rematerialised(kernel))
    return made


__all__ = ["checkpoint", "remat"]
