"""Hunting NaN: which operation made the first NaN or infinity of a derivative, and on which line.

    print(enzyme.testing.find_nan(f, x))

    a NaN is made in the reverse sweep of `f` by a product
      in kernel `f` (model.py:12):
        y = np.sqrt(x[i])
      an infinity was made before it, by a division, at model.py:12

The derivative is compiled once more, with a look at the result of each of its operations
(passes/hunting/watching.py), and run on copies of the arguments; so is the kernel alone. What is told apart:
a NaN among the arguments, one that the kernel itself makes, and one that only the derivative makes, as
`sqrt` at 0. It is a function and no setting: the code it makes is slow, and is thrown away.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from inspect import unwrap
from pathlib import Path
from typing import Any

import numba
import numpy as np

from enzyme_py import native
from enzyme_py.errors import Where
from enzyme_py.foundations.arrays.differences import copy_of, direction_like, is_float, leaves_of
from enzyme_py.foundations.places import argument_name, behind, where_is
from enzyme_py.foundations.trees import as_tuples
from enzyme_py.foundations.watcher import watcher
from enzyme_py.frontend.functions.bound import opened
from enzyme_py.host.module import DifferentiatedModule
from enzyme_py.llvm import Module
from enzyme_py.modes import Mode, Reverse
from enzyme_py.native.function import NativeFunction
from enzyme_py.passes.hunting.watching import SEEN, Site, watched
from enzyme_py.transforms.derivatives.gradient import Gradient
from enzyme_py.transforms.derivatives.jvp import Jvp
from enzyme_py.transforms.derivatives.pullback import pullback
from enzyme_py.transforms.plans.plans import Plan
from enzyme_py.transforms.plans.primal import Primal
from enzyme_py.transforms.plans.runners import positional_runner

_WORDS = {
    "select": "",  # of a function's value and that at its rim
    "fadd": "a sum",
    "fsub": "a difference",
    "fmul": "a product",
    "fdiv": "a division",
    "frem": "a remainder",
    "fneg": "a negation",
}
_HOME = Path(__file__).parent.parent
_NOT_USERS = (str(_HOME), str(Path(numba.__file__).parent))


@dataclass(frozen=True)
class Culprit:
    """What made the first NaN, or the first infinity if there is no NaN.

    `stage` is "argument" (it was given), "kernel" (the kernel makes it without any derivative), "reverse
    sweep" or "tangent". `operation` is what made it; `where` the line, None inside of a library's
    routine. `before` is an infinity made before a NaN, most often its cause.
    """

    kind: str  # "NaN" or "infinity"
    stage: str
    operation: str | None
    where: Where | None
    before: Culprit | None = None

    def __str__(self) -> str:
        article = "a" if self.kind == "NaN" else "an"
        kernel = f" of `{self.where.kernel}`" if self.where and self.where.kernel else ""
        if self.stage == "argument":
            lines = [f"{article} {self.kind} is among the arguments{kernel}"]
        else:
            place = (
                f"in the {self.stage}{kernel}" if self.stage != "kernel" else "by the kernel itself"
            )
            by = f", by {self.operation}" if self.operation else ""
            lines = [f"{article} {self.kind} is made {place}{by}"]
        if self.where is not None:
            lines.append(f"  {self.where}")
        before = self.before.where if self.before is not None else None
        if before is not None and before.line is not None:
            lines.append(f"  an infinity was made before it, at {before.file}:{before.line}")
        return "\n".join(lines)


def find_nan(f: Callable[..., Any], *args: Any, mode: Mode | None = Reverse) -> Culprit | None:
    """Return what made the first NaN or infinity in the derivative of `f`; None if there is none.

    Reverse hunts in the gradient (of a result that is no number: in its pull-back), Forward in the
    derivative along a random direction; None hunts in `f` alone, which may be a derivative itself:
    `find_nan(enzyme.hessian(f), x, mode=None)`. What the derivative computes and throws away counts
    for nothing: its results must show it.

    Examples:
        >>> print(enzyme.testing.find_nan(lambda x: np.sqrt(x * x), 0.0) is None)
        False
    """
    kernel, held = opened(f)
    values = tuple(copy_of(as_tuples(value)) for value in (*held, *args))
    given = _given(kernel, values)
    if given is not None:
        return given
    alone = _run(Primal(kernel), values)
    if alone.is_bad or mode is None:
        return alone.culprit(kernel, "kernel", frozenset()) if alone.is_bad else None
    random = np.random.default_rng(0)
    if mode.is_forward:
        own = [direction_like(value, random) for value in values[len(held) :]]
        tangents = [
            value if t is None else t for value, t in zip(values[len(held) :], own, strict=True)
        ]
        run = _run(Jvp(kernel, len(held)), (*values, *tangents), part=1)
    elif isinstance(alone.result, (float, np.floating)):
        run = _run(Gradient(kernel, skipped=len(held)), values)
    else:
        cotangent = direction_like(alone.result, random)
        run = _run(pullback(kernel, len(held)), (cotangent, *values))
    if not run.is_bad:
        return None
    stage = "tangent" if mode.is_forward else "reverse sweep"
    return run.culprit(kernel, stage, frozenset(alone.made))


def _given(kernel: Any, values: Sequence[Any]) -> Culprit | None:
    """Return an argument that holds a NaN or an infinity already."""
    for test, kind in ((np.isnan, "NaN"), (np.isinf, "infinity")):
        for number, value in enumerate(values):
            if any(np.any(test(leaf)) for leaf in leaves_of(value) if is_float(leaf)):
                name = argument_name(behind(kernel), number)
                return Culprit(kind, "argument", None, where_is(kernel, name))
    return None


_Made = tuple[str, str, tuple[tuple[str, int], ...]]  # kind, operation, places


@dataclass(frozen=True)
class _Run:
    """A run under watch: the result, and what was made, in order."""

    result: Any
    shown: Any  # the part of the result, and the memory, that counts
    made: tuple[_Made, ...]

    @property
    def is_bad(self) -> bool:
        return any(
            not np.all(np.isfinite(leaf)) for leaf in leaves_of(self.shown) if is_float(leaf)
        )

    def culprit(self, kernel: Any, stage: str, known: frozenset[_Made]) -> Culprit:
        """Return what this run made that the kernel alone does not make."""
        has_nan = any(np.any(np.isnan(leaf)) for leaf in leaves_of(self.shown) if is_float(leaf))
        kind = "NaN" if has_nan else "infinity"
        made = [one for one in self.made if one not in known] or list(self.made)
        number = next((n for n, one in enumerate(made) if one[0] == kind), None)
        if number is None:
            where = replace(where_is(behind(kernel)), line=None)
            return Culprit(kind, stage, "a routine of a library", where)
        before = None
        if kind == "NaN":
            earlier = [one for one in made[:number] if one[0] == "infinity"]
            if earlier:
                before = _told(kernel, stage, earlier[0])
        return replace(_told(kernel, stage, made[number]), before=before)


def _told(kernel: Any, stage: str, made: _Made) -> Culprit:
    kind, operation, places = made
    file, line = next((one for one in places if _is_users(one[0])), (None, None))
    where = Where(where_is(behind(kernel)).kernel, file, line)
    return Culprit(kind, stage, _WORDS.get(operation, f"`{_plain(operation)}`"), where)


def _is_users(file: str) -> bool:
    return not file.startswith(_NOT_USERS) and not file.endswith("<string>")


def _plain(name: str) -> str:
    """Return the name of a function without what LLVM puts around it."""
    return name.removeprefix("llvm.").split(".")[0]


def _run(plan: Plan, values: Sequence[Any], part: int | None = None) -> _Run:
    """Compile a plan under watch, run it on copies, and read what was seen."""
    seen: list[tuple[NativeFunction, tuple[Site, ...]]] = []

    def watch(module: DifferentiatedModule) -> NativeFunction:
        code = Module(module.ir)
        sites = watched(code)
        marked = replace(module, ir=str(code), entries=(*module.entries, SEEN))
        function = native.load(native.optimise(marked), module.where)
        seen.append((function, sites))
        return function

    own = tuple(map(copy_of, values))
    runner = unwrap(positional_runner)(plan, len(own))
    token = watcher.set(watch)
    try:
        runner.compile(tuple(map(runner.typeof_pyval, own)))
    finally:
        watcher.reset(token)
    result = runner(*own)
    made = sorted(
        (order, kind, site)
        for function, sites in seen
        for number, site in enumerate(sites)
        for kind, order in zip(("NaN", "infinity"), _table(function, number), strict=True)
        if order
    )
    shown = result if part is None else result[part]
    return _Run(
        result,
        (shown, own) if isinstance(plan, Primal) else shown,
        tuple((kind, site.operation, site.places) for _, kind, site in made),
    )


def _table(function: NativeFunction, number: int) -> tuple[int, int]:
    address = ctypes.CFUNCTYPE(ctypes.c_void_p)(function.addresses[SEEN])()
    pair = (ctypes.c_int64 * 2).from_address(int(address or 0) + 16 * number)
    return pair[0], pair[1]
