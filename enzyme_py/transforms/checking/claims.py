"""What a derivative claims, in one number: a pairing of it with random directions.

A `Claim` says which function moves, from where and along what, how what it leaves behind is weighed,
and how the derivative answers: by <c, J t>, for tangents t of the arguments and cotangents c of the
results. The same number comes from differences of <c, f(x + h t)>. Every plan has its own way to that
number; what it is given is replaced by random directions wherever it has a say in it, so that one
number tests the whole derivative. `claim_of` finds the way by the plan's class.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from enzyme_py.annotations import make_zero
from enzyme_py.foundations.arrays.differences import (
    copy_of,
    direction_like,
    inner,
    leaves_of,
    mapped,
    same_but,
)
from enzyme_py.request import Activity
from enzyme_py.transforms.derivatives.annotated import Annotated
from enzyme_py.transforms.derivatives.forward_gradient import ForwardPart
from enzyme_py.transforms.derivatives.gradient import Gradient
from enzyme_py.transforms.derivatives.jvp import Jvp
from enzyme_py.transforms.jacobians.jacobian import Jacobian
from enzyme_py.transforms.jacobians.products import Product, gradient_kernel
from enzyme_py.transforms.plans.plans import Plan

Values = tuple[Any, ...]


class NotChecked(Exception):
    """Why a derivative is not checked."""


@dataclass(frozen=True)
class Claim:
    """The number that a derivative gives, and the function whose slope it should be."""

    kernel: Any  # what runs: a Numba dispatcher
    arguments: Values
    tangents: Values  # one per argument, None for those that stay
    weigh: Callable[[Any, Values], float]  # the result, and the arguments as they are left
    ask: Callable[[Callable[..., Any]], float]  # takes the derivative, which gets copies


@dataclass(frozen=True)
class Setting:
    """A call to check: its arguments, those that were left at their defaults, and what draws."""

    arguments: Values
    omitted: frozenset[int]
    random: np.random.Generator
    returned: Callable[..., Any]  # (kernel, *arguments) -> its result, once, on copies
    only: int | None = None  # the one argument of the kernel to move

    def tangent(self, number: int, place: int | None = None) -> Any:
        """Return a random direction of an argument, in the kernel's own count; None if it stays."""
        if self.only is not None and number != self.only:
            return None
        place = number if place is None else place
        if place in self.omitted:
            return None
        return direction_like(self.arguments[place], self.random, is_scaled=True)

    def weights(self, tree: Any) -> Any:
        """Return random cotangents of a value."""
        return direction_like(tree, self.random)


def claim_of(plan: Plan, setting: Setting) -> Claim:
    """Return what a plan claims of a call, or raise NotChecked."""
    return _claim(plan, setting)


def makes_claims(plan: Plan) -> bool:
    """Tell whether a plan is a derivative that can be checked: halves and bare kernels are not."""
    return type(plan) in _claim.registry


@functools.singledispatch
def _claim(_plan: Any, _setting: Setting) -> Claim:
    raise NotChecked("it claims nothing by itself")


@_claim.register
def _of_gradient(plan: Gradient, setting: Setting) -> Claim:
    arguments = list(setting.arguments)
    if getattr(plan.kernel, "pairs", None) is not None:
        arguments[0] = setting.weights(arguments[0])  # a pull-back's cotangent
    selected = _selected(plan.argnums, plan.skipped, len(arguments))
    tangents = tuple(
        setting.tangent(number) if number in selected else None for number in range(len(arguments))
    )

    def ask(derivative: Callable[..., Any]) -> float:
        returned = derivative(*arguments)
        if plan.with_value:
            returned = returned[1]
        elif plan.has_aux:
            returned = returned[0]
        gradients = (returned,) if plan.is_single else returned
        return inner(gradients, tuple(tangents[number] for number in selected))

    def weigh(result: Any, _after: Values) -> float:
        return float(result[0] if plan.has_aux else result)

    return Claim(plan.kernel, tuple(arguments), tangents, weigh, ask)


def _selected(argnums: Any, skipped: int, count: int) -> list[int]:
    if argnums is None:
        return list(range(skipped, count))
    return [number + (count if number < 0 else skipped) for number in argnums]


@_claim.register
def _of_jvp(plan: Jvp, setting: Setting) -> Claim:
    count = (len(setting.arguments) - plan.skipped) // 2 + plan.skipped
    primals, given = setting.arguments[:count], setting.arguments[count:]
    tangents: list[Any] = [None] * plan.skipped
    for number in range(plan.skipped, count):
        drawn = setting.tangent(number)
        # Of the type that was compiled for: a tangent may be given as an integer.
        tangents.append(_like(drawn, given[number - plan.skipped]))
    weights = setting.weights(setting.returned(plan.kernel, *primals))

    def ask(derivative: Callable[..., Any]) -> float:
        directions = [
            own if own is not None else _resting(given[place], setting)
            for place, own in enumerate(tangents[plan.skipped :])
        ]
        return inner(weights, derivative(*primals, *directions)[1])

    def weigh(result: Any, _after: Values) -> float:
        return inner(weights, result)

    return Claim(plan.kernel, primals, tuple(tangents), weigh, ask)


def _resting(given: Any, setting: Setting) -> Any:
    """Return the tangent of an argument that does not move now."""
    return given if setting.only is None else make_zero(given)


def _like(drawn: Any, given: Any) -> Any:
    """Return the drawn direction if it can stand in for the given one, else that."""
    if drawn is None or given is None:
        return None
    if isinstance(drawn, tuple):
        parts = [_like(*pair) for pair in zip(drawn, given, strict=True)]
        return type(given)(*parts) if hasattr(given, "_fields") else tuple(parts)
    if isinstance(given, np.ndarray):
        made = direction_like(given, np.random.default_rng(0))
        if made is None:
            return given
        made[...] = drawn
        return made
    return type(given)(drawn) if isinstance(given, (float, complex, np.inexact)) else given


@_claim.register
def _of_annotated(plan: Annotated, setting: Setting) -> Claim:
    if plan.mode.is_holomorphic:
        raise NotChecked("complex derivatives of holomorphic functions are not")
    primals, shadows = _parted(plan, setting.arguments)
    setting = replace(setting, arguments=primals, omitted=frozenset())
    result = setting.returned(plan.kernel, *primals)
    arrays = [n for n, own in enumerate(shadows) if own and _has_arrays(primals[n])]
    # What each lane says counts by its share, so that all are in one number.
    shares = [1.0 / (1 + lane) for lane in range(plan.width)]
    make = _pushing if plan.mode.is_forward else _pulling
    return make(plan, setting, shadows, result, arrays, shares)


def _pushing(
    plan: Annotated,
    setting: Setting,
    shadows: Sequence[Values],
    result: Any,
    arrays: Sequence[int],
    shares: Sequence[float],
) -> Claim:
    """Forward mode: tangents in shadows, and those of what the kernel leaves behind come out."""
    primals = setting.arguments
    spread = [tuple(_like(setting.tangent(n), one) for one in own) for n, own in enumerate(shadows)]
    tangents = tuple(_sum(own, shares) for own in spread)
    weights = None if plan.result is Activity.CONST else setting.weights(result)
    leaving = {n: setting.weights(primals[n]) for n in arrays}

    def ask(derivative: Callable[..., Any]) -> float:
        lanes, parts = _parts(primals, spread)
        returned = derivative(*parts, keep=True)
        total = 0.0
        for lane, share in enumerate(shares):
            found = sum(inner(one, lanes[n][lane]) for n, one in leaving.items())
            if weights is not None:
                found += inner(weights, returned[0][lane] if plan.is_batch else returned[0])
            total += share * found
        return total

    return Claim(plan.kernel, primals, tangents, _weigher(weights, leaving), ask)


def _pulling(
    plan: Annotated,
    setting: Setting,
    shadows: Sequence[Values],
    result: Any,
    arrays: Sequence[int],
    shares: Sequence[float],
) -> Claim:
    """Reverse mode: shadows hold cotangents of what the kernel leaves behind, gradients come out."""
    primals = setting.arguments
    spread = [tuple(setting.weights(primals[n]) for _ in own) for n, own in enumerate(shadows)]
    tangents = tuple(
        None if activity is Activity.CONST else setting.tangent(n)
        for n, activity in enumerate(plan.activities)
    )
    is_number = isinstance(result, (float, np.floating)) and plan.result is not Activity.CONST
    weights = sum(shares) if is_number else None
    entering = {n: _sum(spread[n], shares) for n in arrays}

    def ask(derivative: Callable[..., Any]) -> float:
        lanes, parts = _parts(primals, spread)
        returned = derivative(*parts, keep=True)[0]
        total = 0.0
        for lane, share in enumerate(shares):
            for n, tangent in enumerate(tangents):
                place = n - plan.skipped
                gradient = returned[place] if place >= 0 else None
                if gradient is not None and plan.is_batch:
                    gradient = gradient[lane]
                if gradient is None and n in arrays:
                    gradient = lanes[n][lane]
                total += share * inner(gradient, tangent)
        return total

    return Claim(plan.kernel, primals, tangents, _weigher(weights, entering), ask)


def _parts(primals: Values, spread: Sequence[Sequence[Any]]) -> tuple[list[list[Any]], list[Any]]:
    """Return fresh shadows of each argument, and all arguments of the derivative in order."""
    lanes = [
        [make_zero(primals[n]) if one is None else copy_of(one) for one in own]
        for n, own in enumerate(spread)
    ]
    return lanes, [part for n, own in enumerate(lanes) for part in (copy_of(primals[n]), *own)]


def _weigher(weights: Any, leaving: dict[int, Any]) -> Callable[[Any, Values], float]:
    def weigh(returned: Any, after: Values) -> float:
        of_memory = sum(inner(one, after[n]) for n, one in leaving.items())
        return inner(weights, returned) + of_memory

    return weigh


def _parted(plan: Annotated, parts: Sequence[Any]) -> tuple[Values, list[Values]]:
    """Return the primals, and the shadows of each."""
    primals, shadows, place = [], [], 0
    for activity in plan.activities:
        count = plan.lanes(activity)
        primals.append(parts[place])
        shadows.append(tuple(parts[place + 1 : place + 1 + count]))
        place += 1 + count
    return tuple(primals), shadows


def _has_arrays(value: Any) -> bool:
    return any(isinstance(leaf, np.ndarray) for leaf in leaves_of(value))


def _sum(directions: Sequence[Any], shares: Sequence[float]) -> Any:
    """Return a combination of directions."""

    def combined(*leaves: Any) -> Any:
        return same_but(leaves[0], sum(s * leaf for s, leaf in zip(shares, leaves, strict=True)))

    if not directions or directions[0] is None:
        return None
    return mapped(combined, *directions)


@_claim.register
def _of_forward_part(plan: ForwardPart, setting: Setting) -> Claim:
    tangents = tuple(
        setting.tangent(number) if number == plan.number else None
        for number in range(len(setting.arguments))
    )

    def ask(derivative: Callable[..., Any]) -> float:
        return inner(derivative(*setting.arguments), tangents[plan.number])

    return Claim(plan.kernel, setting.arguments, tangents, lambda result, _: float(result), ask)


@_claim.register
def _of_jacobian(plan: Jacobian, setting: Setting) -> Claim:
    count = len(setting.arguments)
    selected = [
        number
        for number in _selected(plan.argnums, plan.skipped, count)
        if number - plan.skipped not in plan.constants
    ]
    tangents = tuple(
        setting.tangent(number) if number in selected else None for number in range(count)
    )
    result = setting.returned(plan.kernel, *setting.arguments)
    weights = setting.weights(result[0] if plan.has_aux else result)
    shown = _selected(plan.argnums, plan.skipped, count)
    directions = [tangents[number] for number in shown]

    def ask(derivative: Callable[..., Any]) -> float:
        returned = derivative(*setting.arguments)
        if plan.has_aux or plan.mode.need_primal:
            returned = returned[0]
        if plan.by_output:
            return _by_output(weights, returned, directions, plan.is_single)
        entries = (returned,) if plan.is_single else returned
        return sum(
            _by_output(weights, entry, [direction], True)
            for entry, direction in zip(entries, directions, strict=True)
        )

    def weigh(returned: Any, _after: Values) -> float:
        return inner(weights, returned[0] if plan.has_aux else returned)

    return Claim(plan.kernel, setting.arguments, tangents, weigh, ask)


def _by_output(weights: Any, entry: Any, directions: Sequence[Any], is_single: bool) -> float:
    """Pair a Jacobian whose outer structure is the output's."""
    if weights is None or entry is None:
        return 0.0
    if isinstance(weights, tuple):
        pairs = zip(weights, entry, strict=True)
        return sum(_by_output(weight, one, directions, is_single) for weight, one in pairs)
    entries = (entry,) if is_single else entry
    return sum(
        _by_argument(weights, one, direction)
        for one, direction in zip(entries, directions, strict=True)
    )


def _by_argument(weight: Any, entry: Any, direction: Any) -> float:
    if entry is None or direction is None:
        return 0.0
    if isinstance(direction, tuple):
        return sum(_by_argument(weight, *pair) for pair in zip(entry, direction, strict=True))
    if np.asarray(direction).dtype.kind not in "fc" or np.asarray(weight).dtype.kind not in "fc":
        return 0.0
    return inner(weight, np.tensordot(entry, direction, np.ndim(direction)))


@_claim.register
def _of_product(plan: Product, setting: Setting) -> Claim:
    x, v, *rest = setting.arguments
    held, others = rest[: plan.skipped], rest[plan.skipped :]
    primals = (*held, x, *others)
    tangent, weights = setting.tangent(len(held), place=0), _like(setting.weights(x), v)
    direction = _like(tangent, v)
    tangents = (*(None for _ in held), direction, *(None for _ in others))
    is_forward = plan.outer.is_forward

    def ask(derivative: Callable[..., Any]) -> float:
        if is_forward:
            return inner(weights, derivative(x, direction, *rest)[0])
        return inner(derivative(x, weights, *rest)[0], direction)

    def weigh(result: Any, _after: Values) -> float:
        return inner(weights, result)

    return Claim(gradient_kernel(plan), primals, tangents, weigh, ask)
