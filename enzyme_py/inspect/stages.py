"""The IR of a derivative at each stage of its trip."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from numba import typeof

from enzyme_py import native, relaxing
from enzyme_py.annotations import Const
from enzyme_py.assembly.entry import assemble
from enzyme_py.calls.operators import can_vary
from enzyme_py.errors import ActivityError, EnzymeError
from enzyme_py.frontend.functions.kernels import as_kernel
from enzyme_py.frontend.parallel import log
from enzyme_py.frontend.parallel.log import ParallelLoop
from enzyme_py.host.enzyme import differentiate
from enzyme_py.host.module import DifferentiatedModule
from enzyme_py.parallel_loops import on_threads_first
from enzyme_py.passes import journal
from enzyme_py.passes.journal import Journal, Tried
from enzyme_py.request import Request
from enzyme_py.transforms.derivatives.bound_gradient import BoundGradient
from enzyme_py.transforms.derivatives.gradient import Gradient

STAGES = ("assembled", "simplified", "differentiated", "optimised", "assembly")


def ir(
    f: Callable[..., Any], *arguments: Any, stage: str = "differentiated", after: str | None = None
) -> str:
    """Return the text of the gradient of `f`, for arguments like the given ones (constant ones as `Const`), at a stage.

    "assembled" is what Numba lowered with our wrapper around it, "simplified" what Enzyme reads,
    "differentiated" what it made, "optimised" what code is generated from, "assembly" that code.
    With `after`, the text behind the last run of Enzyme of that name (`passes` lists them).

    Examples:
        >>> "fmul" in enzyme.inspect.ir(lambda x: x**3, 2.0)
        True
    """
    if stage not in STAGES:
        message = f"unknown stage {stage!r}"
        raise EnzymeError(message, remedy=f"choose from {', '.join(STAGES)}")
    bound = _bound(f, arguments)
    if stage == "assembled" and after is None:
        return assemble(bound.request, tuple(bound.request_types)).ir
    with journal.kept(keeps_code=True) as kept:
        differentiated = _differentiated(bound)
    if after is not None:
        return _behind(kept, after)
    if stage == "simplified":
        return next(step.before for step in reversed(kept.steps) if step.name == "Enzyme")
    if stage == "differentiated":
        return differentiated.ir
    if stage == "optimised":
        return native.optimised_ir(differentiated)
    return native.assembly(differentiated)


def _bound(f: Callable[..., Any], arguments: Sequence[Any]) -> BoundGradient:
    """Bind the gradient that `gradient(f, *arguments)` asks for."""
    values = [one.primal if isinstance(one, Const) else one for one in arguments]
    chosen = None
    if Const in map(type, arguments):
        chosen = tuple(number for number, one in enumerate(arguments) if can_vary(one))
    return Gradient(as_kernel(f), chosen).bind([typeof(value) for value in values])


def _differentiated(bound: BoundGradient) -> DifferentiatedModule:
    """Differentiate as a call would, with all ways around a refusal, but from no cache."""
    given = tuple(bound.request_types)

    def ask(one: Request, refusal: ActivityError | None = None, /) -> DifferentiatedModule:
        del refusal  # of forward mode; this is a gradient
        return on_threads_first(one, lambda: assemble(one, given), differentiate)

    return relaxing.first_that_serves(bound.request, ask, lambda one: assemble(one, given).is_nested)


def _behind(kept: Journal, name: str) -> str:
    found = [step.after for step in kept.steps if step.name == name]
    if not found:
        names = ", ".join(dict.fromkeys(step.name for step in kept.steps))
        raise EnzymeError(f"no pass {name!r} ran", remedy=f"those that ran are {names}")
    return found[-1]


class Changed(NamedTuple):
    """A pass that changed the code of a derivative: its name, how many lines, and the seconds that it took."""

    name: str
    lines: int
    seconds: float


def passes(f: Callable[..., Any], *arguments: Any) -> list[Changed]:
    """Return which passes changed the gradient of `f`, in their order, with O2 and Enzyme among them.

    Examples:
        >>> "Enzyme" in [one.name for one in enzyme.inspect.passes(lambda x: x**3, 2.0)]
        True
    """
    with journal.kept(keeps_code=True) as kept:
        _differentiated(_bound(f, arguments))
    return [Changed(one.name, one.lines, one.seconds) for one in kept.steps if one.lines]


def attempts(f: Callable[..., Any], *arguments: Any) -> list[Tried]:
    """Return what is tried to differentiate `f`, for arguments like the given ones, and what came of each attempt.

    The derivative is compiled for it, not taken from a cache; what is refused in the end is listed and not raised.

    Examples:
        >>> enzyme.inspect.attempts(lambda x: x**3, 2.0)[-1].refusal
        ''
    """
    bound = _bound(f, arguments)
    with journal.kept() as kept, contextlib.suppress(EnzymeError):
        _differentiated(bound)
    return kept.attempts


def loops(f: Callable[..., Any], *arguments: Any) -> list[ParallelLoop]:
    """Return the `prange` loops that the gradient of `f` goes through: those that run on threads, and why others do not.

    A line of 0 stands for all of them. The derivative is compiled for it, not taken from a cache.

    Examples:
        >>> enzyme.inspect.loops(lambda x: x**3, 2.0)
        []
    """
    bound = _bound(f, arguments)
    with log.kept() as noted:
        native.optimised_ir(_differentiated(bound))
    serial = {one.line: one for one in noted if not one.is_threaded}
    known = dict.fromkeys(noted)
    return [one for one in known if not one.is_threaded or serial.keys().isdisjoint((one.line, 0))]
