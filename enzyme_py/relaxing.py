"""Other requests with the same answer, for kernels whose memory Enzyme cannot tell active from constant.

Natural code mixes the two: `for ...: x = step(a, x)` with a constant start. Enzyme refuses that when it compiles. In
reverse mode run-time activity makes it right, at the cost of a comparison at each such place. Elsewhere constants get
shadows of zeros (assembly/hidden_shadows.py), first those of the request, then those of requests inside of it. Forward mode is
asked first with all calls inlined: a function that is called for an argument's array and for one of the kernel's own
mixes them where nothing else does (assembly/inlining.py).

    as asked                  refused for activity:
      everything inlined        forward mode that differentiates no derivative
      constants with shadows    forward mode, and derivatives of derivatives
      inner ones with shadows   the same, if that was refused
      run-time activity         what is left

What is asked may be compiled, and lose derivatives: the kernel writes active values to a constant array. Where users have said that it is
constant (`Const`), they are told. Where the transform has (a column of a Jacobian, `grad` by another argument), constants get shadows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Protocol, TypeVar

from enzyme_py.assembly.inlining import CallsItselfError
from enzyme_py.errors import ActivityError, DerivativeError
from enzyme_py.passes.journal import journal
from enzyme_py.request import Direction, Request

_MIXED = "constant and active memory are mixed"
DOUBTS = {  # why the answer of a request in another's place is not proven for the code at hand
    "everything inlined": f"{_MIXED}, and calls were inlined until they were told apart",
    "constants with shadows": f"{_MIXED}, and constant arrays have hidden shadows of zeros",
    "inner constants with shadows": f"{_MIXED}, and constant arrays of inner derivatives have hidden shadows",
    "run-time activity": f"{_MIXED}, and are told apart while the derivative runs",
}
WRITTEN = "written constants with shadows"

Made = TypeVar("Made")
Made_co = TypeVar("Made_co", covariant=True)


def losing_nothing(request: Request) -> Iterator[Request]:
    """Yield what can be asked where a request loses derivatives by constants that the kernel writes, if it may be."""
    if request.constants_are_said:
        return
    shadowed = replace(request, runtime_activity=False, shadows_constants=True)
    if request.direction is not Direction.PRIMAL:
        yield shadowed
    yield replace(shadowed, shadows_inner_constants=True)


class Ask(Protocol[Made_co]):
    """Compile one request; with a refusal, raise that where run-time activity would not make it right."""

    def __call__(self, request: Request, refusal: ActivityError | None = None, /) -> Made_co: ...


def first_that_serves(request: Request, ask: Ask[Made], nests: Callable[[Request], bool]) -> Made:
    """Return the code of a request, or of another one with the same answer; `nests`: whether it differentiates a derivative."""

    def noted(name: str, one: Request, refusal: ActivityError | None = None) -> Made:
        is_users = request.runtime_activity and one is request
        with journal().attempt(name, "" if is_users else DOUBTS.get(name, "")):
            return ask(one, refusal)

    if request.runtime_activity:
        return _decided_while_running(request, noted, nests)
    try:
        return noted("as asked", request)
    except ActivityError as refusal:
        return _relaxed(request, noted, nests, refusal)


def _decided_while_running(
    request: Request, ask: Callable[..., Made], nests: Callable[[Request], bool]
) -> Made:
    """Compile with run-time activity, where Enzyme has it, and with the same meaning elsewhere.

    Of nested derivatives it is wrong without a word (measured: products, assignments in loops).
    """
    shadowed = replace(request, runtime_activity=False, shadows_constants=True)
    if nests(shadowed):
        return _with_shadows(shadowed, ask)
    try:
        return ask("run-time activity", request)
    except DerivativeError as refusal:
        try:
            return ask("constants with shadows", shadowed)
        except DerivativeError:
            raise refusal from None


def _relaxed(
    request: Request,
    ask: Callable[..., Made],
    nests: Callable[[Request], bool],
    refusal: ActivityError,
) -> Made:
    shadowed = replace(request, shadows_constants=True)
    is_forward = request.direction is Direction.FORWARD
    # Of a request for the primal, what was refused is a derivative that the kernel takes itself.
    is_nested = request.direction is Direction.PRIMAL or nests(request)
    if is_forward and not is_nested:
        try:
            return ask("everything inlined", replace(request, inlines=True))
        except DerivativeError:
            pass  # the next one is asked
    if is_forward or is_nested:
        try:
            return _with_shadows(shadowed, ask)
        except ActivityError:
            if is_nested:
                raise refusal from None
    try:
        return ask("run-time activity", replace(request, runtime_activity=True), refusal)
    except ActivityError:  # it speaks of a mode that nobody asked for
        raise refusal from None
    except CallsItselfError as recursion:
        try:
            return _with_shadows(shadowed, ask)
        except DerivativeError:
            raise recursion from None


def _with_shadows(request: Request, ask: Callable[..., Made]) -> Made:
    """Compile with shadows for the request's constants, and if need be for those of inner ones."""
    try:
        return ask("constants with shadows", request)
    except ActivityError:
        inner = replace(request, shadows_inner_constants=True)
        return ask("inner constants with shadows", inner)
