"""What a report is about: a kernel, its arguments, and which derivative of it, as a plan that can be run.

A kernel whose result is no number is reported on by its pull-back: the gradient of its pairing with fixed random weights.
A higher order is the derivative of the gradient of the order below, paired in the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from enzyme_py.annotations import Annotation, Const
from enzyme_py.errors import EnzymeError
from enzyme_py.foundations.arrays.differences import (
    copy_of,
    direction_like,
    is_float,
    leaves_of,
    mapped,
)
from enzyme_py.foundations.places import argument_names, behind, where_is
from enzyme_py.foundations.trees import as_tuples
from enzyme_py.frontend.functions.bound import opened
from enzyme_py.frontend.functions.kernels import as_kernel
from enzyme_py.modes import Mode
from enzyme_py.request import Activity
from enzyme_py.transforms.derivatives.annotated import Annotated
from enzyme_py.transforms.derivatives.gradient import Gradient
from enzyme_py.transforms.derivatives.pullback import paired
from enzyme_py.transforms.derivatives.turn import with_turn
from enzyme_py.transforms.plans.plans import Plan
from enzyme_py.transforms.plans.primal import Primal
from enzyme_py.transforms.plans.runners import positional_runner

_HIGHEST = 4


@dataclass(frozen=True)
class Question:
    """One derivative of one kernel. `values` are all its arguments, with `skipped` in front that the user did not give."""

    name: str
    source: Any  # the user's kernel: a dispatcher
    kernel: Any  # what is differentiated: of one number, in reverse mode
    values: tuple[Any, ...]
    skipped: int
    chosen: tuple[int, ...]  # the user's arguments that have a derivative
    constant: tuple[int, ...]  # those that were given as Const and could have one
    mode: Mode
    order: int
    held: int = 0  # values that the kernel had already: captured ones
    still: tuple[int, ...] = ()  # arguments whose tangents are zero

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the user's arguments."""
        own = argument_names(behind(self.source))
        count = len(self.values) - self.skipped
        known = own[len(own) - count :] if len(own) >= count else own
        return tuple(known[n] if n < len(known) else str(n) for n in range(count))

    @property
    def all_names(self) -> tuple[str, ...]:
        """The names of all values, in their order."""
        own = argument_names(behind(self.source))[: self.held]
        weights = len(self.values) - len(self.given) - len(own)
        return (*("(weights)" for _ in range(weights)), *own, *self.names)

    @property
    def given(self) -> tuple[Any, ...]:
        """The user's arguments."""
        return self.values[self.skipped :]

    @cached_property
    def marked(self) -> Any:
        """The kernel with a mark at its end (turn.py)."""
        return as_kernel(with_turn(self.kernel))

    def plan(self, *, is_marked: bool = False) -> Plan:
        """Return the plan of the derivative, of the kernel or of the marked one."""
        kernel = self.marked if is_marked else self.kernel
        if self.mode.is_forward:
            active = {self.skipped + n for n in self.chosen}
            kinds = (Activity.DUPLICATED if n in active else Activity.CONST for n in range(len(self.values)))
            return Annotated(kernel, self.mode, tuple(kinds), skipped=self.skipped, constants_are_said=True)
        mode = self.mode
        return Gradient(
            kernel,
            self.chosen,
            skipped=self.skipped,
            runtime_activity=mode.runtime_activity,
            strong_zero=mode.strong_zero,
        )

    def directions(self) -> list[Any]:
        """Return a random direction for each of the user's arguments that has a derivative, None for the others."""
        random = np.random.default_rng(0)
        drawn = [direction_like(value, random, is_scaled=True) for value in self.given]
        own = [one if n in self.chosen else None for n, one in enumerate(drawn)]
        return [mapped(lambda leaf: leaf * 0, one) if n in self.still else one for n, one in enumerate(own)]

    def operands(self) -> tuple[Any, ...]:
        """Return what the plan's runner takes, in memory of its own."""
        own = tuple(map(copy_of, self.values))
        if not self.mode.is_forward:
            return own
        parts = list(own[: self.skipped])
        for value, tangent in zip(own[self.skipped :], self.directions(), strict=True):
            parts += [value] if tangent is None else [value, tangent]
        return tuple(parts)

    def run_on(self, operands: Sequence[Any]) -> Any:
        """Run the derivative as a user's call does, on operands in memory of their own."""
        return positional_runner(self.plan(), len(operands))(*operands)

    def run(self, plan: Plan) -> Any:
        """Run a plan of this question once: the gradients of `chosen`, or the tangent of the result."""
        operands = self.operands()
        returned = positional_runner(plan, len(operands))(*operands)
        return returned[0] if self.mode.is_forward else returned

    def primal(self) -> Any:
        """Return what runs the kernel by the same machinery, without a derivative."""
        return positional_runner(Primal(self.kernel), len(self.values))

    def without(self, number: int) -> Question:
        """Return the same question with one more argument constant."""
        return replace(self, chosen=tuple(n for n in self.chosen if n != number))


def asked(f: Callable[..., Any], arguments: Sequence[Any], mode: Mode, order: int) -> Question:
    """Return the question that a call of `report` asks."""
    source, held = opened(f)
    where = where_is(source)
    mode = replace(mode, name="Forward" if mode.is_forward else "Reverse", need_primal=False) if not (mode.is_split or mode.is_holomorphic) else mode
    if mode.is_split or mode.is_holomorphic:
        raise EnzymeError(f"a report is of Forward or Reverse, not of {mode}", where=where, remedy="give one of these")
    if not isinstance(order, int) or not 1 <= order <= _HIGHEST:
        raise EnzymeError(f"order={order!r}", where=where, remedy=f"give a number from 1 to {_HIGHEST}")
    if not arguments:
        raise EnzymeError("a report needs arguments", where=where, remedy="write report(f, x): it runs the derivative")
    plain = [_plain(one, where) for one in arguments]
    values = tuple(copy_of(as_tuples(value)) for value in (*held, *plain))
    floats = [n for n, value in enumerate(values[len(held) :]) if any(map(is_float, leaves_of(value)))]
    constant = tuple(n for n in floats if isinstance(arguments[n], Const))
    chosen = tuple(n for n in floats if n not in constant)
    if not chosen:
        remedy = "give a float or an array of floats that is not Const"
        raise EnzymeError("no argument has a derivative", where=where, remedy=remedy)
    name = source.py_func.__name__
    question = Question(name, source, source, values, len(held), chosen, constant, mode, order, len(held))
    for _ in range(order - 1):
        question = _of_gradient(_of_number(question))
    return question if mode.is_forward else _of_number(question)


def _plain(one: Any, where: Any) -> Any:
    if not isinstance(one, Annotation):
        return one
    if one.width != 1:
        raise EnzymeError("a report takes no batch", where=where, remedy="give the argument as it is, or as Const")
    return one.primal


def _of_number(question: Question) -> Question:
    """Return the question with a kernel that returns one number, which has weights in front if it did not."""
    result = question.primal()(*map(copy_of, question.values))
    if isinstance(result, (float, np.floating)):
        return question
    weights = direction_like(as_tuples(result), np.random.default_rng(1))
    if weights is None:
        remedy = "let the kernel return a float, or an array or tuple of floats"
        raise EnzymeError("the result has no derivative", where=where_is(question.source), remedy=remedy)
    return replace(
        question, kernel=paired(question.kernel), values=(weights, *question.values), skipped=question.skipped + 1
    )


def _of_gradient(question: Question) -> Question:
    """Return the question for the gradient as the kernel."""
    from enzyme_py.calls.operators import grad

    positions = tuple(n + question.skipped for n in question.chosen)
    return replace(question, kernel=grad(question.kernel, argnums=positions))
