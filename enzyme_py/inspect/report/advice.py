"""Advice with figures: what was measured of the derivative as it is, and of the same with one thing changed.

Three changes are tried, each compiled and run: an argument made Const, the slopes of functions called again in place of
being kept, and forward mode where few numbers come in. One is reckoned by the formula of docs/checkpointing.md, and says so:
a loop through `checkpoint`. What changes neither time nor memory by a tenth is not told.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from enzyme_py.errors import EnzymeError
from enzyme_py.inspect.footprint import readable
from enzyme_py.inspect.report.measuring import seconds_of
from enzyme_py.inspect.report.question import Question
from enzyme_py.inspect.report.showing.terminal import seconds
from enzyme_py.modes import Forward
from enzyme_py.native.runtime import library, memory_stats
from enzyme_py.settings import config, settings
from enzyme_py.transforms.plans.runners import positional_runner

_WORTHWHILE = 0.1  # of time or tape
_MOST_ARGUMENTS = 3  # that are tried as Const
_SMALL = 1024  # bytes of an argument, below which nobody tries
_SHORT = 1_000_000  # bytes of a loop's tape that need no checkpoint
_LEAST_STEP = 16_000  # bytes that a step of `checkpoint` should keep: below, calling it costs more than its work
# How many times the arguments' bytes a call of `checkpoint` holds: docs/inspecting-figures.md measures it.
_COPIES = 6
_BETTER = 0.5  # of what is kept, or it is not told
_FEW_NUMBERS = 4  # for forward mode
_RUNS_AGAIN = 2  # of each step, by a binomial schedule


@dataclass(frozen=True)
class Cost:
    """What one call takes."""

    seconds: float
    peak: int
    tape: int

    def as_dict(self) -> dict[str, float]:
        """Return it as the schema has it."""
        return {"seconds": self.seconds, "peak": self.peak, "tape": self.tape}


def cost_of(question: Question) -> Cost:
    """Compile a derivative, run it, and return what it takes."""
    plan = question.plan(is_marked=not question.mode.is_forward)
    runner = positional_runner(plan, len(question.operands()))
    taken = seconds_of(runner, question.operands)
    given = question.operands()
    before = memory_stats().live
    library().enzyme_py_reset_stats()
    runner(*given)
    after = memory_stats()
    return Cost(taken, after.peak - before, max(0, after.turn - before))


def given(question: Question, data: dict[str, Any]) -> list[dict[str, Any]]:
    """Return what could be better, the most worthwhile first."""
    base = cost_of(question)
    found = [*_constants(question, base), *_slopes(question, data, base), *_forward(question, base), *_checkpoints(data)]
    return sorted(found, key=lambda one: -one["gain"])


def _gain(before: Cost, after: Cost) -> float:
    """Return by what share a change is better: of time, or of tape where that is large."""
    time = 1 - after.seconds / before.seconds if before.seconds else 0.0
    tape = 1 - after.tape / before.tape if before.tape >= _SMALL else 0.0
    return max(time, tape)


def _told(title: str, text: str, lines: list[int], before: Cost, after: Cost) -> dict[str, Any]:
    figures = f"time {seconds(before.seconds)} -> {seconds(after.seconds)}"
    if max(before.tape, after.tape) >= _SMALL:
        figures += f", tape {readable(before.tape)} -> {readable(after.tape)}"
    return {
        "title": title,
        "text": f"{text}: {figures} (measured)",
        "lines": lines,
        "before": before.as_dict(),
        "after": after.as_dict(),
        "is_measured": True,
        "gain": _gain(before, after),
    }


def _constants(question: Question, base: Cost) -> Iterator[dict[str, Any]]:
    sizes = {n: value.nbytes for n, value in enumerate(question.given) if isinstance(value, np.ndarray)}
    tried = [n for n in sorted(sizes, key=lambda n: -sizes[n]) if n in question.chosen and sizes[n] >= _SMALL]
    for number in tried[:_MOST_ARGUMENTS] if len(question.chosen) > 1 and question.order == 1 else ():
        try:
            after = cost_of(question.without(number))
        except EnzymeError:  # memory of it meets memory that has a shadow
            continue
        if _gain(base, after) >= _WORTHWHILE:
            name = question.names[number]
            text = f"if the derivative by `{name}` is not wanted, pass Const({name})"
            yield _told(f"make `{name}` Const", text, [], base, after)


def _slopes(question: Question, data: dict[str, Any], base: Cost) -> Iterator[dict[str, Any]]:
    lines = [one["line"] for one in data["lines"] if any(call["kind"] == "function" for call in one["calls"])]
    if not lines or not settings.keep_slopes or question.mode.is_forward or base.tape < _SMALL:
        return
    with config(keep_slopes=False):
        after = cost_of(replace(question))
    if 1 - after.tape / base.tape >= _WORTHWHILE:
        text = "the slopes of functions can be computed again, by enzyme.config(keep_slopes=False) before the first call"
        yield _told("keep no slopes", text, lines, base, after)


def _forward(question: Question, base: Cost) -> Iterator[dict[str, Any]]:
    inputs = [question.given[n] for n in question.chosen]
    is_few = len(inputs) <= _FEW_NUMBERS and all(isinstance(one, (float, np.floating)) for one in inputs)
    if question.mode.is_forward or not is_few or question.order > 1:
        return
    one = cost_of(replace(question, mode=replace(Forward, strong_zero=question.mode.strong_zero)))
    after = Cost(one.seconds * len(inputs), one.peak, 0)
    if _gain(base, after) >= _WORTHWHILE:
        text = f"{len(inputs)} numbers come in: forward mode, one run for each, keeps no tape"
        yield _told("take forward mode", text, [], base, after)


def _checkpoints(data: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield loops of the kernel that keep much, with what they would keep by a binomial schedule."""
    loops = [tuple(span) for span in data["functions"][0]["loops"]] if data["functions"] else []
    outermost = [a for a in loops if not any(b != a and b[0] <= a[0] and a[1] <= b[1] for b in loops)]
    file = data["functions"][0]["file"] if loops else ""
    for first, last in outermost:
        inside = [one for one in data["lines"] if one["file"] == file and first <= one["line"] <= last]
        kept = sum(one["tape"]["bytes"] for one in inside)
        head = next((one for one in inside if one["line"] == first), None)
        steps = (head or {}).get("runs") or 0
        if kept < _SHORT or steps < 8 or not head or not head["text"].strip().startswith("for "):
            continue
        each = kept / steps
        group = max(1, math.ceil(_LEAST_STEP / each))
        states = states_for(-(-steps // group))
        held = _COPIES * sum(one["bytes"] or 0 for one in data["arguments"])
        after = states * each + group * each + held
        if after > _BETTER * kept:
            continue
        text = (
            f"it keeps {readable(kept)}: {steps:,} iterations x {readable(round(each))}. By enzyme.checkpoint"
            f"{f', in steps of {group} iterations,' if group > 1 else ''} with room for {states} states, each step is run at most "
            f"{_RUNS_AGAIN} times more, and it holds about {readable(int(after))} if a state is as large as what one iteration keeps: "
            "that, one step, and copies of the arguments (reckoned)"
        )
        yield {
            "title": f"checkpoint the loop at line {first}",
            "text": text,
            "lines": [first],
            "before": {"tape": kept},
            "after": {"tape": int(after)},
            "is_measured": False,
            "gain": 1 - after / kept,
        }


def states_for(steps: int, again: int = _RUNS_AGAIN) -> int:
    """Return the fewest states with which a binomial schedule runs no step of a loop more than so many times again."""
    states, reach = 1, again + 1  # (s + r)! / (s! r!)
    while reach < steps:
        states += 1
        reach = reach * (states + again) // states
    return states

