"""What a derivative needs in memory: measured by running it once, beside the kernel alone.

What is counted are the blocks that compiled code asks for while it runs, with their headers, as
native.md says. Arguments, shadows and results are NumPy's and are not counted. The kernel is run as
derivatives run it, through the same pipeline without Enzyme's work; its temporaries end as there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, overload

from numba import typeof, types

from enzyme_py.annotations import Active, Annotation, Const, Duplicated, make_zero
from enzyme_py.calls.operators import copied, gradient, jvp
from enzyme_py.calls.thunks import autodiff_thunk
from enzyme_py.errors import EnzymeError
from enzyme_py.foundations.places import where_is
from enzyme_py.frontend.functions.kernels import as_kernel
from enzyme_py.frontend.target.lower import compile_kernel
from enzyme_py.modes import Mode, Reverse, ReverseSplitNoPrimal
from enzyme_py.native.runtime import MemoryStats, library, memory_stats
from enzyme_py.request import Activity
from enzyme_py.transforms.derivatives.activities import activity_of
from enzyme_py.transforms.derivatives.turn import with_turn
from enzyme_py.transforms.plans.primal import Primal
from enzyme_py.transforms.plans.runners import positional_runner

_UNITS = ("bytes", "kB", "MB", "GB")


@dataclass(frozen=True)
class Footprint:
    """The memory of one run of a derivative, in bytes.

    `tape` is what is alive between the forward and the reverse sweep, when the kernel has just
    returned; for a kernel that returns no number, what the tape of the split mode holds then. None
    in forward mode. `left` is what the run did not give back, which is always 0.
    """

    kernel: str
    mode: str
    peak: int
    tape: int | None
    allocations: int
    left: int
    primal_peak: int
    primal_allocations: int

    @property
    def factor(self) -> float | None:
        """How many times the kernel's own need; None if the kernel alone needs nothing."""
        return self.peak / self.primal_peak if self.primal_peak else None

    def __str__(self) -> str:
        factor = "" if self.factor is None else f", {self.factor:.3g} times the kernel's"
        lines = [
            f"{self.mode} of `{self.kernel}`",
            f"  peak  {readable(self.peak)}{factor}, in {self.allocations} allocations",
            f"  alone {readable(self.primal_peak)}, in {self.primal_allocations} allocations",
        ]
        if self.tape is not None:
            lines.insert(2, f"  tape  {readable(self.tape)} between the sweeps")
        return "\n".join(lines + [f"  left  {readable(self.left)}"] * bool(self.left))


@overload
def memory() -> MemoryStats: ...
@overload
def memory(f: Callable[..., Any], *arguments: Any, mode: Mode = Reverse) -> Footprint: ...
def memory(
    f: Callable[..., Any] | None = None, *arguments: Any, mode: Mode = Reverse
) -> MemoryStats | Footprint:
    """Return what a derivative of `f` needs, or, without `f`, what this thread holds now.

    Runs the gradient of `f` (or, with `mode=Forward`, a directional derivative) and `f` alone,
    once each, on copies of the arguments.

    Examples:
        >>> def last(x):
        ...     for i in range(1, x.size):
        ...         x[i] *= x[i - 1]
        ...     return x[-1]
        >>> enzyme.inspect.memory(last, np.ones(1000)).tape > 8 * 999
        True
    """
    return memory_stats() if f is None else _footprint(as_kernel(f), arguments, mode)


def trim() -> int:
    """Give the memory that this thread keeps for its next calls back; return how much it was.

    Examples:
        >>> enzyme.inspect.trim() >= 0
        True
    """
    before = memory_stats().held
    library().enzyme_py_trim()
    return before - memory_stats().held


def _footprint(kernel: Any, arguments: Sequence[Any], mode: Mode) -> Footprint:
    if mode.is_holomorphic or mode.is_split:
        message = f"memory measures Forward and Reverse, not {mode}"
        raise EnzymeError(message, where=where_is(kernel), remedy="Reverse measures the tape too")
    alone = _measured(lambda given: _run_alone(kernel, given), arguments)
    tape: int | None = None
    if mode.is_forward:
        found = _measured(lambda given: jvp(kernel, given, _tangents(given)), arguments)
    elif _returns_number(kernel, arguments):
        marked = as_kernel(with_turn(kernel))
        found = _measured(lambda given: gradient(mode, marked, *given), arguments)
        tape = found.turn
    else:
        found = _measured(lambda given: _sweep(kernel, given, mode), arguments)
        tape = _sweep(kernel, _copies(arguments), mode)
    return Footprint(
        kernel.py_func.__name__,
        mode.name,
        found.peak,
        tape,
        found.allocations,
        found.live,
        alone.peak,
        alone.allocations,
    )


def _measured(run: Callable[[list[Any]], Any], arguments: Sequence[Any]) -> MemoryStats:
    """Return the statistics of a second run; the first one compiles."""
    run(_copies(arguments))
    given = _copies(arguments)
    before = memory_stats().live
    library().enzyme_py_reset_stats()
    run(given)
    after = memory_stats()
    return replace(
        after, live=after.live - before, peak=after.peak - before, turn=after.turn - before
    )


def _copies(arguments: Sequence[Any]) -> list[Any]:
    return [copied(argument) for argument in arguments]


def _run_alone(kernel: Any, given: Sequence[Any]) -> Any:
    return positional_runner(Primal(kernel), len(given))(*given)


def _tangents(given: Sequence[Any]) -> list[Any]:
    active = [activity_of(typeof(value)) is not Activity.CONST for value in given]
    return [
        make_zero(value) if is_active else None
        for value, is_active in zip(given, active, strict=True)
    ]


def _returns_number(kernel: Any, arguments: Sequence[Any]) -> bool:
    compiled = compile_kernel(kernel, tuple(map(typeof, arguments)))
    return isinstance(compiled.return_type, types.Number)


def _sweep(kernel: Any, given: Sequence[Any], mode: Mode) -> int:
    """Run both halves of the split mode; return what the tape held between them."""
    split = Mode(
        ReverseSplitNoPrimal.name,
        is_split=True,
        runtime_activity=mode.runtime_activity,
        strong_zero=mode.strong_zero,
    )
    annotated = [_annotated(kernel, value) for value in given]
    forward, reverse = autodiff_thunk(split, kernel, *annotated)
    tape, _, shadow = forward(*annotated)
    held: int = tape.nbytes
    reverse(*annotated, *([1.0] if shadow is None else []), tape)
    return held


def _annotated(kernel: Any, value: Any) -> Annotation:
    activity = activity_of(typeof(value))
    if activity is Activity.CONST:
        return Const(value)
    if activity is Activity.ACTIVE:
        return Active(value)
    if activity is Activity.DUPLICATED:
        return Duplicated(value, make_zero(value))
    message = "numbers and arrays in one argument have no split mode"
    raise EnzymeError(message, where=where_is(kernel), remedy="pass them one by one")


def readable(size: int) -> str:
    """Return a size with three digits and a unit."""
    value, unit = float(size), 0
    while value >= 999.5 and unit + 1 < len(_UNITS):
        value, unit = value / 1000, unit + 1
    return f"{value:.3g} {_UNITS[unit]}"
