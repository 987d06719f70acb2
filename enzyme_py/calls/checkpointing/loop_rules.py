"""The rules of long loops whose states are not all kept: `checkpoint(step, state, n, args)`.

    def step(state, i, *args): ...          # the next state, of the same types and shapes
    def loss(x, forcing):
        return np.sum(enzyme.checkpoint(step, x, forcing.shape[0], (forcing,), memory=100e6) ** 2)

is the loop `for i in range(n): state = step(state, i, *args)`. A derivative in reverse mode keeps as many
states as `memory` bytes hold, and runs the steps in between again (schedules.py says which). The loop is a
function with rules (door.py). Its rules move states as rows of one array through

    advance(row, out, sizes, i, *leaves of args)

and differentiate that: so one derivative of a single step is all that Enzyme makes. The adjoint of the
arguments is added up in one shadow, whatever the number of steps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
from numba.core import types
from numba.core.imputils import impl_ret_borrowed
from numba.core.typing import signature
from numba.extending import intrinsic, overload, register_jitable

from enzyme_py.annotations import Active, Const, Duplicated
from enzyme_py.calls.annotated_calls import autodiff
from enzyme_py.calls.checkpointing.schedules import period_for, slots_for, stride
from enzyme_py.custom.door import Call, rule_kernel, with_rules
from enzyme_py.custom.fitting import check_repeatable
from enzyme_py.custom.heads import half_of_rule
from enzyme_py.custom.packing import Packing, Part, static_value
from enzyme_py.errors import EnzymeError, RuleError
from enzyme_py.foundations.keeping import kept_with_kernel
from enzyme_py.foundations.places import where_is
from enzyme_py.frontend.target.lower import compile_kernel
from enzyme_py.modes import Forward, Reverse
from enzyme_py.transforms.plans.structures import at, defined, listed, regrouped
from enzyme_py.transforms.values.copies import copy_of


@kept_with_kernel
def loop_kernel(kernel: Any, held: int, schedule: int) -> Any:
    """Return the dispatcher run(state, n, (*what the step holds, *args), memory)."""
    name = f"checkpoint_of_{kernel.py_func.__name__}"
    # Inlined, because only then what a step has allocated is seen to be free for the next one.
    step = rule_kernel(kernel, "the step of a checkpointed loop")
    scope = {"step": step, "copy_of": copy_of, "check_alike": check_alike}
    lines = [
        "def run(state, n, given, memory):",
        "now = copy_of(state)",
        "for i in range(n):",
        f"    new = step(*given[:{held}], now, i, *given[{held}:])",
        "    check_alike(now, new)",
        "    now = new",
        # A copy: what is done with it elsewhere would keep all states in memory.
        "return copy_of(now)",
    ]
    run = defined("\n    ".join(lines), "run", scope)
    run.__name__ = run.__qualname__ = name
    return with_rules(run, _Loop(step, held, schedule), name)


def check_alike(state: Any, new: Any) -> None:
    """Raise if a new state has other shapes than the one before; only in compiled code."""
    raise RuntimeError


@overload(check_alike, strict=False)
def _check_alike(state, new):  # type: ignore[no-untyped-def]
    if isinstance(state, types.BaseTuple):
        if not isinstance(new, types.BaseTuple) or len(new) != len(state):
            return None
        scope: dict[str, Any] = {"check_alike": check_alike}
        lines = [f"check_alike(state[{i}], new[{i}])" for i in range(len(state))]
        return defined("\n    ".join(["def check(state, new):", *lines, "return"]), "check", scope)
    return _check_shapes if isinstance(state, types.Array) else _check_nothing


def _check_shapes(state, new):  # type: ignore[no-untyped-def]
    if new.shape != state.shape:
        raise ValueError("the step of a checkpointed loop returned a state of another shape")


def _check_nothing(state, new):  # type: ignore[no-untyped-def]
    return None


@dataclass(frozen=True)
class _Loop:
    """The rules of one checkpointed loop."""

    step: Any
    held: int
    schedule: int
    skips_zeros: bool = False

    def check_given(self, call: Call) -> None:
        state = call.arguments[0]
        if call.result != state:
            name = self.step.py_func.__name__
            message = f"`{name}` makes {call.result} of a state of {state}"
            remedy = (
                "the step returns a state of the types that the first one has: make that of floats"
            )
            raise RuleError(message, where=where_is(self.step), remedy=remedy)
        check_repeatable(call.kernel, tuple(call.arguments), f"`{call.name}`")

    def check(self, call: Call, target: Any) -> None:
        """The step was compiled with the loop; nothing else can be wrong."""

    def push(self, call: Call) -> Callable[..., Any]:
        return _Text(self, call).push()

    def pull(self, call: Call) -> Callable[..., Any]:
        return _Text(self, call).pull()


class _Rows(Packing):
    """States as rows of an array: parts of its own type are views, not copies."""

    wrap = "frozen"

    def _read(self, part: Part, i: int, prefix: str, work: str, *, tangents: bool) -> str:
        own = types.complex128 if self.is_complex else types.float64
        if not (part.is_array and part.dtype == own):
            return super()._read(part, i, prefix, work, tangents=tangents)
        place = f"{prefix}{i}"
        shape = f"({''.join(f'{place}_{j}, ' for j in range(part.sizes))})"
        return f"{self.wrap}({work}[{place}:{place} + {place}_n].reshape({shape}))"


class _Text:
    """The text of both rules for one call's types."""

    def __init__(self, loop: _Loop, call: Call) -> None:
        self.loop = loop
        self.state, _, self.given, _ = call.arguments
        self.scope: dict[str, Any] = {
            "np": np,
            "step": loop.step,
            "size_in": _size_of,
            "copied": _copied,
            "frozen": _frozen,
            "autodiff": autodiff,
            "Forward": Forward,
            "Reverse": Reverse,
            "Const": Const,
            "Active": Active,
            "Duplicated": Duplicated,
            "stride": stride,
            "slots_for": slots_for,
            "period_for": period_for,
            "schedule": loop.schedule,
            "zero_of": _zero_of,
        }
        leaves = Packing(self.given, {}, is_complex=False).parts
        self.leaves = [part for part in leaves if part.is_data]
        self.scope |= {
            _static(part): static_value(part.kind) for part in leaves if not part.is_data
        }
        states = Packing(self.state, {}, is_complex=False).parts
        is_complex = any(isinstance(part.dtype, types.Complex) for part in states)
        self.scope["dtype"] = np.complex128 if is_complex else np.float64
        self.rows = _Rows(self.state, self.scope, is_complex)
        self.shapes = self.rows.shapes("state")
        self.scope["advance"] = self._advance(leaves)

    def _advance(self, leaves: list[Part]) -> Any:
        """Return the kernel of one step, from one row to another."""
        names = {part.path: _static(part) for part in leaves}
        names |= {part.path: f"leaf_{i}" for i, part in enumerate(self.leaves)}
        held = self.loop.held
        self.rows.wrap = "frozen" if self._leaves_its_state() else "copied"
        lines = [
            f"def advance(row, out, sizes, i{self._each(', leaf_{i}')}):",
            *self.rows.places("s", "0", "sizes"),
            *self.rows.reads("s", "row", "state"),
            f"given = {regrouped(self.given, names.__getitem__, self.scope)}",
            f"made = step(*given[:{held}], state, i, *given[{held}:])",
            *self.rows.writes("s", "out", "made"),
        ]
        made = defined("\n    ".join(lines), "advance", self.scope)
        made.__name__ = made.__qualname__ = self.loop.step.py_func.__name__
        return numba.njit(made)

    def _leaves_its_state(self) -> bool:
        """Tell whether the step never writes to the state: Numba's type check knows."""
        kinds = list(self.given)
        kinds[self.loop.held : self.loop.held] = [_read_only(self.state), types.intp]
        try:
            returned = compile_kernel(self.loop.step, tuple(kinds)).return_type
        except EnzymeError:
            return False
        return bool(_read_only(returned) == _read_only(self.state))

    def _each(self, text: str) -> str:
        return "".join(text.format(i=i) for i in range(len(self.leaves)))

    def _opening(self) -> list[str]:
        count = self.rows.count(self.shapes)
        return [
            "state = arguments[0]",
            "n = arguments[1]",
            *(f"leaf_{i} = arguments[2]{at(part.path)}" for i, part in enumerate(self.leaves)),
            f"sizes = {listed(['0', *self.shapes])}",
            f"count = {count}",
            *self.rows.places("s", "0", "sizes"),
        ]

    def _annotated(self, marks: list[str]) -> str:
        return "".join(f", {mark}" for mark in marks)

    def push(self) -> Callable[..., Any]:
        """Return the rule of forward mode: the loop with a derivative of each step."""
        marks = [
            f"Duplicated(leaf_{i}, tangents[2]{at(part.path)})"
            if part.is_float
            else f"Const(leaf_{i})"
            for i, part in enumerate(self.leaves)
        ]
        floats = [(i, part) for i, part in enumerate(self.rows.parts) if part.is_float]
        lines = [
            "def push(arguments, tangents, results):",
            *self._opening(),
            "rows = np.zeros((2, count), dtype)",
            "directions = np.zeros((2, count), dtype)",
            "now = rows[0]",
            *self.rows.writes("s", "now", "state"),
            "direction = directions[0]",
            *self._float_writes(floats, "direction", "tangents[0]"),
            "for i in range(n):",
            "    at = i & 1",
            "    here = Duplicated(rows[at], directions[at])",
            "    there = Duplicated(rows[1 - at], directions[1 - at])",
            f"    autodiff(Forward, advance, here, there, Const(sizes), Const(i){self._annotated(marks)})",
            "last = directions[n & 1] if n > 0 else directions[0]",
            *Packing(self.state, self.scope, self.rows.is_complex).reads(
                "s", "last", "found", tangents=True
            ),
            "return found",
        ]
        return half_of_rule(lines, "push", self.scope)

    def _float_writes(self, floats: list[tuple[int, Part]], row: str, value: str) -> list[str]:
        return [
            f"write_{'array' if part.is_array else 'number'}({row}, s{i}, {value}{at(part.path)})"
            for i, part in floats
        ]

    def pull(self) -> Callable[..., Any]:
        """Return the rule of reverse mode: see schedules.py for what is kept."""
        floats = [(i, part) for i, part in enumerate(self.rows.parts) if part.is_float]
        marks, zeros, sums, found = [], [], [], {}
        for i, part in enumerate(self.leaves):
            if not part.is_float:
                marks.append(f"Const(leaf_{i})")
                continue
            found[part.path] = f"sum_{i}"
            zeros.append(f"sum_{i} = zero_of(leaf_{i})")
            if part.is_array:
                marks.append(f"Duplicated(leaf_{i}, sum_{i})")
            else:
                marks.append(f"Active(leaf_{i})")
                sums.append(f"    sum_{i} += gradients[{4 + i}]")
        lines = [
            "def pull(arguments, results, cotangents):",
            *self._opening(),
            "slots = slots_for(schedule, n, count * np.zeros(1, dtype).itemsize, arguments[3])",
            "period = period_for(schedule, n, slots)",
            "rows = np.empty((slots + 3, count), dtype)",
            "adjoints = np.zeros((2, count), dtype)",
            "places = np.zeros(slots, np.int64)",
            "first = rows[0]",
            *self.rows.writes("s", "first", "state"),
            "seed = adjoints[0]",
            *self._float_writes(floats, "seed", "cotangents"),
            *zeros,
            *self._sweep(self._annotated(marks), sums),
            "last = adjoints[side]",
            *Packing(self.state, self.scope, self.rows.is_complex).reads(
                "s", "last", "whole", tangents=True
            ),
            f"return (whole, None, {self._cotangents(self.given, (), found)}, None)",
        ]
        return half_of_rule(lines, "pull", self.scope)

    def _sweep(self, given: str, sums: list[str]) -> list[str]:
        """Return the lines that go from the last state to the first."""
        return [
            "top = 0",
            "end = n",
            "side = 0",
            "while end > 0:",
            "    source = top",
            "    ahead = end - 1 - places[top]",
            "    if ahead > 0:",
            "        place = places[top]",
            "        keeps = top + 1 < slots",
            "        far, goal = ahead, slots",
            "        if keeps:",
            "            far = stride(schedule, period, place, ahead + 1, slots - top)",
            "            goal = top + 1",
            "        for i in range(place, place + far):",
            "            target = goal if i == place + far - 1 else slots + 1 + (i & 1)",
            "            advance(rows[source], rows[target], sizes, i"
            + self._each(", leaf_{i}")
            + ")",
            "            source = target",
            "        if keeps:",
            "            top += 1",
            "            places[top] = place + far",
            "            continue",
            "    end -= 1",
            "    here = Duplicated(rows[source], adjoints[1 - side])",
            "    there = Duplicated(rows[slots + 1], adjoints[side])",
            f"    gradients = autodiff(Reverse, advance, here, there, Const(sizes), Const(end){given})[0]",
            *sums,
            "    side = 1 - side",
            "    if places[top] == end and top > 0:",
            "        top -= 1",
        ]

    def _cotangents(self, kind: Any, path: tuple[int, ...], found: dict[Any, str]) -> str:
        if isinstance(kind, types.BaseTuple):
            return listed([self._cotangents(one, (*path, i), found) for i, one in enumerate(kind)])
        return found.get(path, "None")


def _static(part: Part) -> str:
    return "fixed_" + "_".join(map(str, part.path))


def _read_only(kind: Any) -> Any:
    if isinstance(kind, types.Array):
        return kind.copy(readonly=True)
    if isinstance(kind, types.BaseNamedTuple):
        return types.BaseTuple.from_types([_read_only(one) for one in kind], kind.instance_class)
    if isinstance(kind, types.BaseTuple):
        return types.Tuple([_read_only(one) for one in kind])
    return kind


@register_jitable(forceinline=True)
def _size_of(sizes, number):  # type: ignore[no-untyped-def]  # compiled by Numba
    return sizes[number]


@register_jitable(forceinline=True)
def _copied(view):  # type: ignore[no-untyped-def]
    return view.copy()


@intrinsic
def _frozen(typing_context, view):  # type: ignore[no-untyped-def]
    """Return the view as an array that cannot be written."""

    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return impl_ret_borrowed(context, builder, sig.return_type, args[0])

    return signature(view.copy(readonly=True), view), lower


def _zero_of(value: Any) -> Any:
    raise RuntimeError


@overload(_zero_of, strict=False)
def _zero_of_kind(value):  # type: ignore[no-untyped-def]
    if isinstance(value, types.Array):
        return lambda value: np.zeros(value.shape, value.dtype)
    zero = types.unliteral(value)(0)  # not value * 0, which infinity has none of
    return lambda value: zero
