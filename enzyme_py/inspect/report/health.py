"""Whether the derivative is right: beside differences by each argument, Const ones too, and what made the first NaN.

A slope along one random direction stands for an argument. Of an argument that is Const the derivative says nothing; where
differences say that the result moves with it, that is told: it may be a mistake.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from enzyme_py.errors import EnzymeError
from enzyme_py.foundations.arrays.differences import (
    Slope,
    copy_of,
    direction_like,
    inner,
    moved,
    precision_of,
    slope_along,
)
from enzyme_py.foundations.trees import as_tuples
from enzyme_py.inspect.hunting import find_nan
from enzyme_py.inspect.report.question import Question

_MARGIN = 8.0  # of the error that differences say they have


def examined(question: Question, f: Any, arguments: Sequence[Any]) -> dict[str, Any]:
    """Return what the checks say, as the schema has it."""
    found: dict[str, Any] = {"arguments": [], "nan": None}
    names = question.names
    for number in sorted((*question.chosen, *question.constant)):
        is_active = number in question.chosen
        slope, got = _beside(question, number, is_active)
        found["arguments"].append(
            {
                "argument": names[number],
                "is_constant": not is_active,
                "derivative": got,
                "differences": slope.value if slope.is_conclusive else None,
                "error": slope.error if slope.is_conclusive else None,
                "verdict": _verdict(slope, got, precision_of(*question.values)),
            }
        )
    if any(one["derivative"] is not None and not math.isfinite(one["derivative"]) for one in found["arguments"]):
        found["nan"] = _first_nan(question, f, arguments)
    for one in found["arguments"]:  # which JSON has no word for
        for name in ("derivative", "differences", "error"):
            if one[name] is not None and not math.isfinite(one[name]):
                one[name] = None
    return found


def _verdict(slope: Slope, got: float | None, precision: float) -> str:
    if got is not None and not math.isfinite(got):
        return "not finite"
    if not slope.is_conclusive or slope.error > max(0.1 * abs(slope.value), 1e-3 * slope.size):
        return "undecided"  # differences cannot tell: noise, or a kink
    allowed = _MARGIN * slope.error + precision**0.4 * max(abs(slope.value), abs(got or 0.0))
    if got is None:
        return "ignored" if abs(slope.value) > _MARGIN * slope.error + precision**0.4 * slope.size else "no slope"
    return "agrees" if abs(got - slope.value) <= allowed else "differs"


def _beside(question: Question, number: int, is_active: bool) -> tuple[Slope, float | None]:
    """Return the slope by differences along a random direction of one argument, and what the derivative says of it."""
    place = question.skipped + number
    drawn = _directions(question)
    direction = drawn[number]
    primal, weigh = question.primal(), _weigh(question)

    def along(step: float) -> float:
        values = [copy_of(value) for value in question.values]
        values[place] = moved(values[place], direction, step)
        return float(weigh(primal(*values)))

    slope = slope_along(along, precision_of(*question.values))
    if not is_active:
        return slope, None
    return slope, _claimed(question, number, drawn, weigh)


def _directions(question: Question) -> list[Any]:
    random = np.random.default_rng(0)
    return [direction_like(value, random, is_scaled=True) for value in question.given]


def _weigh(question: Question) -> Any:
    """Return what makes one number of a result: in forward mode its pairing with random weights."""
    result = as_tuples(question.primal()(*map(copy_of, question.values)))
    if isinstance(result, (float, np.floating)):
        return float
    weights = direction_like(result, np.random.default_rng(1))
    return lambda value: inner(weights, as_tuples(value))


def _claimed(question: Question, number: int, drawn: list[Any], weigh: Any) -> float:
    plan = question.plan()
    if not question.mode.is_forward:
        gradients = as_tuples(question.run(plan))  # of a dict a dict comes back
        return float(inner(gradients[question.chosen.index(number)], drawn[number]))
    still = replace(question, still=tuple(n for n in question.chosen if n != number))
    return float(weigh(still.run(plan)))


def _first_nan(question: Question, f: Any, arguments: Sequence[Any]) -> str | None:
    if question.order > 1:
        return "the derivative is not finite; find_nan hunts in first derivatives"
    try:
        plain = [getattr(one, "primal", one) for one in arguments]
        culprit = find_nan(f, *plain, mode=question.mode)
    except EnzymeError as refusal:
        return f"the derivative is not finite; the hunt for the first one was refused: {refusal}"
    return None if culprit is None else str(culprit)
