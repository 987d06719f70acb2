"""What our own passes did for a kernel: the coverage that guides the fuzzer.

One line each, as text:

    pass NAME behind NAME        the pass changed a module, and the one before it was the last that had
    attempt NAME: WORDS          an attempt, and what came of it, without the names of the kernel
    FILE:LINE>LINE               a step in a file of a pass, or of a rewrite behind Enzyme

Python's tracing is on only while a pass or a rewrite runs: for all of Numba's own code it would double the time (measured), so it
takes a tenth.
"""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import enzyme_py
from enzyme_py.native import optimising
from enzyme_py.passes import attempts, differentiation, journal, pipeline
from enzyme_py.passes.base import Pass
from tests.fuzz.report import without_names

assert attempts, differentiation  # they import what the tables do not name
PACKAGE = Path(enzyme_py.__file__).parent
TRACED = tuple(f"{PACKAGE / one}/" for one in ("passes", "native/rewrites"))
FIRST = pipeline.ASSEMBLE[0].change.name  # of each compilation
NOT_OURS = ("O2", "Enzyme")
Arc = tuple[CodeType, int, int]


class Reached:
    """What was reached since it was made."""

    def __init__(self) -> None:
        self._seen: set[str | Arc] = set()
        self._arcs: set[Arc] = set()
        self._is_ours: dict[CodeType, bool] = {}
        self._is_tracing = False

    def install(self) -> None:
        """Trace all passes and rewrites of this process from now on."""
        for kind in _kinds(Pass):
            for name in ("run", "applies"):
                if name in vars(kind):
                    setattr(kind, name, self._traced(vars(kind)[name]))
        for name, one in vars(optimising).copy().items():
            if getattr(one, "__module__", "").startswith("enzyme_py.native.rewrites."):
                setattr(optimising, name, self._traced(one))

    @contextlib.contextmanager
    def noted(self) -> Iterator[list[str]]:
        """Yield a list that holds what is new when the block ends."""
        new: list[str] = []
        with journal.kept() as kept:
            yield new
        for one in (*of_journal(kept), *(self._arcs - self._seen)):
            if one not in self._seen:
                self._seen.add(one)
                new.append(one if isinstance(one, str) else _text(one))
        self._arcs.clear()

    def _traced(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def traced(*given: Any, **named: Any) -> Any:
            if self._is_tracing:
                return function(*given, **named)
            before, self._is_tracing = sys.gettrace(), True
            sys.settrace(self._entered)
            try:
                return function(*given, **named)
            finally:
                sys.settrace(before)
                self._is_tracing = False

        return traced

    def _entered(self, frame: FrameType, event: str, argument: Any) -> Callable[..., Any] | None:
        code = frame.f_code
        is_ours = self._is_ours.get(code)
        if is_ours is None:
            is_ours = self._is_ours[code] = code.co_filename.startswith(TRACED)
        if not is_ours:
            return None
        last, arcs = frame.f_lineno, self._arcs  # a generator goes on where it was

        def stepped(frame: FrameType, event: str, argument: Any) -> Callable[..., Any]:
            nonlocal last
            if event == "line":
                line = frame.f_lineno
                arcs.add((code, last, line))
                last = line
            return stepped

        return stepped


def of_journal(kept: journal.Journal) -> Iterator[str]:
    """Yield which passes changed a module, each with the one before it, and what came of each attempt."""
    last = "the start"
    for step in kept.steps:
        if step.name == FIRST:
            last = "the start"
        if step.has_changed and step.name != "O2":
            if step.name not in NOT_OURS:
                yield f"pass {step.name} behind {last}"
            last = step.name
    for tried in kept.attempts:
        yield f"attempt {tried.name}: {without_names(tried.refusal) or 'served'}"


def sorts(reached: set[str]) -> dict[str, int]:
    """Return how many of each sort were reached: passes and pairs of them, attempts, steps."""
    behind = {one for one in reached if one.startswith("pass ")}
    tried = {one for one in reached if one.startswith("attempt ")}
    return {
        "passes that changed a module": len({one.partition(" behind ")[0] for one in behind}),
        "passes one behind the other": len(behind),
        "attempts": len({one.partition(":")[0] for one in tried}),
        "attempts and what came of them": len(tried),
        "steps in our passes": len(reached) - len(behind) - len(tried),
    }


def _kinds(kind: type[Pass]) -> Iterator[type[Pass]]:
    for one in kind.__subclasses__():
        yield one
        yield from _kinds(one)


def _text(arc: Arc) -> str:
    code, first, last = arc
    return f"{Path(code.co_filename).relative_to(PACKAGE)}:{first}>{last}"
