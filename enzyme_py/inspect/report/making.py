"""One compilation of a plan under watch: every text on the way, and code whose lines are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from inspect import unwrap
from typing import Any

from enzyme_py import native
from enzyme_py.foundations.stages import stage
from enzyme_py.foundations.timings import timings
from enzyme_py.foundations.watcher import watcher
from enzyme_py.host.module import DifferentiatedModule
from enzyme_py.native.faults.watched import Origin
from enzyme_py.native.function import NativeFunction
from enzyme_py.native.lined.code import LinedCode, lined
from enzyme_py.native.lined.emitting import NotEmitted
from enzyme_py.native.lined.places import PlaceBook
from enzyme_py.native.symbols import is_sampled
from enzyme_py.passes import journal
from enzyme_py.passes.journal import Journal
from enzyme_py.transforms.plans.plans import Plan
from enzyme_py.transforms.plans.runners import positional_runner


@dataclass
class Made:
    """What came of it: the last module that was made (a plan may make several), its code, and what runs it."""

    runner: Any = None
    module: DifferentiatedModule | None = None
    lined: LinedCode | None = None
    function: NativeFunction | None = None
    kept: Journal = field(default_factory=Journal)
    stages: dict[str, float] = field(default_factory=dict)
    without_lines: str = ""  # why there is no code with lines


class _Watch:
    """Makes the code of a module with lines, in the place of the usual code."""

    needs_places = False  # the module is that of an ordinary call

    def __init__(self, made: Made, book: PlaceBook) -> None:
        self._made, self._book = made, book
        self.seen: dict[Any, NativeFunction] = {}  # Numba asks several times

    def __call__(self, module: DifferentiatedModule) -> NativeFunction:
        made = self._made
        made.module = module
        with stage("optimising"):
            try:
                made.lined = lined(module, self._book)
                code = made.lined.code
            except NotEmitted as error:
                made.lined, made.without_lines = None, str(error)
                code = native.optimise(module)
        with stage("loading"):
            origin = Origin(module.where.kernel or "a derivative", module.where, module.ir)
            made.function = native.load(code, module.where, origin)
        return made.function


def make(plan: Plan, operands: Sequence[Any], book: PlaceBook) -> Made:
    """Compile a plan for some arguments: nothing of it is taken from a cache, or kept in one."""
    made = Made(runner=unwrap(positional_runner)(plan, len(operands)))
    watching, sampling = watcher.set(_Watch(made, book)), is_sampled.set(True)
    before = len(timings())
    name = plan.kernel.py_func.__name__
    try:
        with journal.kept(keeps_code=True) as made.kept, stage("entry", name, f"a report on {name}"):
            made.runner.compile(tuple(map(made.runner.typeof_pyval, operands)))
    finally:
        watcher.reset(watching)
        is_sampled.reset(sampling)
    for one in timings()[before:]:
        made.stages[one.stage] = made.stages.get(one.stage, 0.0) + one.seconds
    return made
