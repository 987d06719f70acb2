"""What the iterations of a parallel loop share: read in Numba's typed IR of its body.

    look_at(parfor, types) -> Sharing, or raises StaysSerialError with the reason

In reverse mode each read of an array is an addition to its shadow. Where two threads may read the same element,
these would race: a wrong derivative without a word. So each array of floats that the body uses is one of three:

* *disjoint*: every use is by the loop's own index in the first place, `a[i]`, `a[i, ...]`, `a[i] = v`, and nothing
  else but asking for its shape. No two iterations touch the same element, nor its shadow.
* *near*: it is only read, by the loop's own index and a small number: `a[i - 1]`, `a[i + 2, j]`. Two iterations that touch the same
  element are neighbours: parts touch the same only at their ends, which run by themselves (pieces.py).
* *copied*: it is only read, in whatever way. Each part of the loop reads a copy of its own, so the shadows are private,
  and the adjoint of the copies adds them up in a fixed order. That nothing writes to it LLVM must prove
  (passes/threads/read_only.py).

What is neither, written by another index than the loop's own say, stays serial.
"""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

from numba.core import ir, types
from numba.parfors.parfor import Parfor

from enzyme_py.frontend.parallel.wishes import StaysSerialError

_METADATA = frozenset(("shape", "size", "ndim", "itemsize", "nbytes"))
_SIMPLE = (types.Integer, types.Boolean, types.Float, types.Complex)
_NEAR = 8  # elements at most between the loop's own index and what is near
VIEWS = 8  # the same of views of one array
_REAL = (types.float64, types.float32, types.complex128, types.complex64)


@dataclass
class Sharing:
    """The parameters of a loop's body by name: which arrays are disjoint, near and copied; how far near ones are read.

    Of a light loop an iteration takes nanoseconds: it is worth threads where there are many.
    """

    disjoint: set[str] = field(default_factory=set)
    near: set[str] = field(default_factory=set)
    copied: set[str] = field(default_factory=set)
    reach: int = 0
    is_light: bool = False


def look_at(parfor: Any, kinds: dict[str, Any], *, slices: Collection[str] | None = None) -> Sharing:
    """Return how the iterations of a loop share its parameters; `slices`: of a light loop, the arrays that are slices of others."""
    _check_loop(parfor, kinds)
    arrays = {name for name in parfor.params if _holds_arrays(kinds[name])} - set(parfor.redvars)
    body = _Body(parfor, kinds, arrays)
    sharing = Sharing(is_light=slices is not None)
    for name in sorted(arrays):
        is_active = any(one.dtype in _REAL for one in _arrays_in(kinds[name]))
        if name in body.elsewhere and is_active:
            if name in body.written:
                refuse(
                    f"`{_plain(name)}` is written, and used by another index than the loop's own"
                )
            if name in body.far:
                sharing.copied.add(name)
            else:
                sharing.near.add(name)
        elif is_active:
            sharing.disjoint.add(name)
    if sharing.copied:  # those in two pieces as well would be a third kind of loop
        sharing.copied |= sharing.near
        sharing.near.clear()
    for name in sharing.copied:
        if any(_cannot_be_copied(one) for one in _arrays_in(kinds[name])):
            refuse(f"`{_plain(name)}` is shared, and of a layout that is not copied")
    sharing.reach = body.reach if sharing.near else 0
    if slices and not sharing.copied:
        _may_be_views(sharing, body.written, slices)
    return sharing


def _may_be_views(sharing: Sharing, written: set[str], slices: Collection[str]) -> None:
    """Take arrays that are only read for near ones, if there are several, and slices among them: views of one, some elements apart."""
    read = sharing.disjoint - written
    if len(read) > 1 and not read.isdisjoint(slices):
        sharing.near |= read
        sharing.disjoint -= read
        sharing.reach = VIEWS


def refuse(why: str) -> None:
    """Leave a loop serial."""
    raise StaysSerialError(why)


def _plain(name: str) -> str:
    return name.split(".", maxsplit=1)[0].lstrip("$")


def _check_loop(parfor: Any, kinds: dict[str, Any]) -> None:
    if parfor.races - set(parfor.redvars):
        names = ", ".join(sorted(map(_plain, parfor.races)))
        refuse(f"{names}: assigned in the loop and used behind it")
    if any(one.step != 1 for one in parfor.loop_nests):
        refuse("it has another step than 1")
    for name in parfor.params:
        if not _is_understood(kinds[name]):
            refuse(f"`{_plain(name)}` is a {kinds[name]}")
    for name in parfor.redvars:
        kind = kinds[name]
        kind = kind.dtype if isinstance(kind, types.Array) else kind
        if not isinstance(kind, _SIMPLE) or kind == types.boolean:
            refuse(f"`{_plain(name)}` is a reduction of {kinds[name]}")


def _is_understood(kind: Any) -> bool:
    if isinstance(kind, types.BaseTuple):
        return not isinstance(kind, types.BaseNamedTuple) and all(
            _is_understood(one) and not isinstance(one, types.BaseTuple) for one in kind
        )
    if isinstance(kind, types.Array):
        return bool(isinstance(kind.dtype, _SIMPLE) and kind.ndim > 0 and kind.aligned)
    # Modules and functions are no values.
    is_name = isinstance(kind, types.Module | types.Function | types.NumberClass | types.DType)
    return bool(is_name or isinstance(kind, _SIMPLE))


def _arrays_in(kind: Any) -> list[Any]:
    if isinstance(kind, types.BaseTuple):
        return [one for one in kind if isinstance(one, types.Array)]
    return [kind] if isinstance(kind, types.Array) else []


def _holds_arrays(kind: Any) -> bool:
    return bool(_arrays_in(kind))


def _cannot_be_copied(kind: Any) -> bool:
    return bool(kind.layout == "F" and kind.ndim > 1)


class _Body:
    """The uses of arrays in a loop's body, nested loops included."""

    def __init__(self, parfor: Any, kinds: dict[str, Any], arrays: set[str]) -> None:
        self._kinds = kinds
        self._statements = list(_statements(parfor))
        self._assigned: dict[str, list[Any]] = {}
        for one in self._statements:
            if isinstance(one, ir.Assign):
                self._assigned.setdefault(one.target.name, []).append(one.value)
        self._indices = self._same_as(parfor.loop_nests[0].index_variable.name)
        self._roots = {name: {name} for name in arrays}  # by name: which parameters it may be
        self._follow_names()
        self._steps = self._known_steps()
        self.elsewhere: set[str] = set()  # parameters used in another way than by the loop's own index
        self.far: set[str] = set()  # those used in another way than by that and a small number
        self.reach = 0  # the largest such number
        self.written: set[str] = set()
        for statement in self._statements:
            self._look_at(statement)

    def _same_as(self, index: str) -> set[str]:
        """Return the names that hold the loop's own index, and never anything else."""
        assigned = self._assigned
        same = {index} if index not in assigned else set()
        while True:
            new = {
                name
                for name, values in assigned.items()
                if name not in same and all(_is_one_of(value, same) for value in values)
            }
            if not new:
                return same
            same |= new

    def _follow_names(self) -> None:
        changed = True
        while changed:
            changed = False
            for one in self._statements:
                if isinstance(one, ir.Assign) and (roots := self._handed_on(one.value)):
                    known = self._roots.setdefault(one.target.name, set())
                    changed |= not roots <= known
                    known |= roots

    def _handed_on(self, value: Any) -> set[str]:
        """Return the parameters of which a value is another name; of a tuple, a part."""
        if isinstance(value, ir.Var):
            return self._roots.get(value.name, set())
        if isinstance(value, ir.Expr) and self._is_of_tuple(value):
            return self._roots.get(value.value.name, set())
        return set()

    def _is_of_tuple(self, value: Any) -> bool:
        if value.op not in ("static_getitem", "getitem", "exhaust_iter", "cast"):
            return False
        return isinstance(self._kinds.get(value.value.name), types.BaseTuple)

    def _look_at(self, statement: Any) -> None:
        if isinstance(statement, ir.Del):
            return
        if isinstance(statement, ir.SetItem | ir.StaticSetItem):
            roots = self._roots.get(statement.target.name, set())
            self.written |= roots
            if self._step(statement) != 0:
                self.elsewhere |= roots
                self.far |= roots
            others = [one for one in statement.list_vars() if one.name != statement.target.name]
            self._use(others)
            return
        if isinstance(statement, ir.Assign):
            if self._handed_on(statement.value):
                return
            if isinstance(statement.value, ir.Expr) and self._is_harmless(statement.value):
                return
        self._use(statement.list_vars())

    def _use(self, variables: list[Any]) -> None:
        for one in variables:
            roots = self._roots.get(one.name, set())
            self.elsewhere |= roots
            self.far |= roots

    def _is_harmless(self, value: Any) -> bool:
        if value.op == "getattr":
            return value.attr in _METADATA
        if value.op not in ("getitem", "static_getitem", "typed_getitem"):
            return False
        step = self._step(value)
        if step:
            self.elsewhere |= self._roots.get(value.value.name, set())
            self.reach = max(self.reach, abs(step))
        return step is not None

    def _step(self, access: Any) -> int | None:
        """Return how far from the loop's own index the first place of an access is; None if it is another index."""
        is_static = (
            isinstance(access, ir.StaticSetItem) or getattr(access, "op", "") == "static_getitem"
        )
        index = access.index_var if is_static else access.index
        if not isinstance(index, ir.Var):
            return None
        if (step := self._step_of(index.name)) is not None:
            return step
        steps = {self._first_step(one) for one in self._assigned.get(index.name, [])}
        return steps.pop() if len(steps) == 1 else None

    def _first_step(self, value: Any) -> int | None:
        if not isinstance(value, ir.Expr) or value.op != "build_tuple" or not value.items:
            return None
        return self._step_of(value.items[0].name)

    def _step_of(self, name: str) -> int | None:
        return 0 if name in self._indices else self._steps.get(name)

    def _known_steps(self) -> dict[str, int]:
        """Return the names that hold the loop's own index and a small number, and never anything else."""
        found = dict[str, int]()
        for name, values in self._assigned.items():
            steps = {self._moved(one) for one in values}
            if len(steps) == 1 and (step := steps.pop()) is not None and abs(step) <= _NEAR:
                found[name] = step
        return found

    def _moved(self, value: Any) -> int | None:
        """Return by how much a value is the loop's own index moved; None for whatever else."""
        if not isinstance(value, ir.Expr) or value.op != "binop" or value.fn not in (operator.add, operator.sub):
            return None
        sign = 1 if value.fn is operator.add else -1
        if value.lhs.name in self._indices:
            number = self._number(value.rhs.name)
            return None if number is None else sign * number
        if value.rhs.name in self._indices and sign == 1:
            return self._number(value.lhs.name)
        return None

    def _number(self, name: str) -> int | None:
        """Return the integer that a name always holds."""
        kind = self._kinds.get(name)
        if isinstance(kind, types.IntegerLiteral):
            return int(kind.literal_value)
        values = self._assigned.get(name, [])
        if len(values) != 1 or not isinstance(values[0], ir.Const | ir.Global | ir.FreeVar):
            return None
        number = values[0].value
        return number if type(number) is int else None


def _is_one_of(value: Any, names: set[str]) -> bool:
    if isinstance(value, ir.Expr) and value.op == "cast":
        value = value.value
    return isinstance(value, ir.Var) and value.name in names


def _statements(parfor: Any) -> Iterator[Any]:
    """Yield the statements of a loop's body, and of the loops in it."""
    for block in parfor.loop_body.values():
        for statement in block.body:
            if isinstance(statement, Parfor):
                yield from statement.init_block.body
                yield from _statements(statement)
            else:
                yield statement
