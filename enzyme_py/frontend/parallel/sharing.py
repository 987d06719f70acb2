"""What the iterations of a parallel loop share: read in Numba's typed IR of its body.

    look_at(parfor, types) -> Sharing, or raises StaysSerialError with the reason

In reverse mode each read of an array is an addition to its shadow. Where two threads may read the same element,
these would race: a wrong derivative without a word. So each array of floats that the body uses is one of two:

* *disjoint*: every use is by the loop's own index in the first place, `a[i]`, `a[i, ...]`, `a[i] = v`, and nothing
  else but asking for its shape. No two iterations touch the same element, nor its shadow.
* *copied*: it is only read, in whatever way. Each part of the loop reads a copy of its own, so the shadows are private,
  and the adjoint of the copies adds them up in a fixed order. That nothing writes to it LLVM must prove
  (passes/threads/read_only.py).

What is neither, written by another index than the loop's own say, stays serial.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from numba.core import ir, types
from numba.parfors.parfor import Parfor

from enzyme_py.frontend.parallel.wishes import StaysSerialError

_METADATA = frozenset(("shape", "size", "ndim", "itemsize", "nbytes"))
_SIMPLE = (types.Integer, types.Boolean, types.Float, types.Complex)
_REAL = (types.float64, types.float32, types.complex128, types.complex64)


@dataclass
class Sharing:
    """The parameters of a loop's body by name: which arrays are disjoint, which are copied."""

    disjoint: set[str] = field(default_factory=set)
    copied: set[str] = field(default_factory=set)


def look_at(parfor: Any, kinds: dict[str, Any]) -> Sharing:
    """Return how the iterations of a loop share its parameters."""
    _check_loop(parfor, kinds)
    arrays = {name for name in parfor.params if _holds_arrays(kinds[name])} - set(parfor.redvars)
    body = _Body(parfor, kinds, arrays)
    sharing = Sharing()
    for name in sorted(arrays):
        is_active = any(one.dtype in _REAL for one in _arrays_in(kinds[name]))
        if name in body.elsewhere and is_active:
            if name in body.written:
                refuse(
                    f"`{_plain(name)}` is written, and used by another index than the loop's own"
                )
            if any(_cannot_be_copied(one) for one in _arrays_in(kinds[name])):
                refuse(f"`{_plain(name)}` is shared, and of a layout that is not copied")
            sharing.copied.add(name)
        elif is_active:
            sharing.disjoint.add(name)
    return sharing


def refuse(why: str) -> None:
    """Leave a loop serial."""
    raise StaysSerialError(why)


def _plain(name: str) -> str:
    return name.split(".", maxsplit=1)[0].lstrip("$")


def _check_loop(parfor: Any, kinds: dict[str, Any]) -> None:
    if parfor.races - set(parfor.redvars):
        names = ", ".join(sorted(map(_plain, parfor.races)))
        refuse(f"{names}: assigned in the loop and used behind it")
    if len(parfor.loop_nests) != 1 or parfor.loop_nests[0].step != 1:
        refuse("it has several indices, or another step than 1")
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
        self._indices = self._same_as(parfor.loop_nests[0].index_variable.name)
        self._roots = {name: {name} for name in arrays}  # by name: which parameters it may be
        self._follow_names()
        self.elsewhere: set[str] = (
            set()
        )  # parameters used in another way than by the loop's own index
        self.written: set[str] = set()
        for statement in self._statements:
            self._look_at(statement)

    def _same_as(self, index: str) -> set[str]:
        """Return the names that hold the loop's own index, and never anything else."""
        assigned: dict[str, list[Any]] = {}
        for one in self._statements:
            if isinstance(one, ir.Assign):
                assigned.setdefault(one.target.name, []).append(one.value)
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
            if not self._is_by_index(statement):
                self.elsewhere |= roots
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
            self.elsewhere |= self._roots.get(one.name, set())

    def _is_harmless(self, value: Any) -> bool:
        if value.op == "getattr":
            return value.attr in _METADATA
        return value.op in ("getitem", "static_getitem", "typed_getitem") and self._is_by_index(
            value
        )

    def _is_by_index(self, access: Any) -> bool:
        """Tell whether an access is by the loop's own index in the first place."""
        is_static = (
            isinstance(access, ir.StaticSetItem) or getattr(access, "op", "") == "static_getitem"
        )
        index = access.index_var if is_static else access.index
        if not isinstance(index, ir.Var):
            return False
        if index.name in self._indices:
            return True
        built = [
            one.value
            for one in self._statements
            if isinstance(one, ir.Assign) and one.target.name == index.name
        ]
        return bool(built) and all(self._begins_with_index(one) for one in built)

    def _begins_with_index(self, value: Any) -> bool:
        if not isinstance(value, ir.Expr) or value.op != "build_tuple" or not value.items:
            return False
        return value.items[0].name in self._indices


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
