"""Code that tells which of its own operations made a NaN or an infinity first.

    sites = watched(code)

Behind each floating point operation of the module that Enzyme made stands a call that looks at its result
and at its operands: a NaN is *made* where no operand is one, an infinity where all operands are finite.
A table gets, for each site, the order in which that happened first; SEEN returns the table's address,
two numbers a site: of the first NaN, and of the first infinity.

Strong zeros and branches made into selects compute values that are thrown away: `0 * inf` and then 0 in
its place. So what is used by selects alone is not watched, but the select, with the operands of what it
chooses from. Sites carry the Python line by the debug information, which is still in the module: machine
code is made without. Where Enzyme lost a location, that of what the operation was made from serves.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from enzyme_py.llvm import (
    Builder,
    Call,
    Constant,
    Function,
    GlobalValue,
    Instruction,
    Module,
    Select,
    Value,
    constant,
)
from enzyme_py.llvm.values import attribute_name
from enzyme_py.passes.hunting.source_places import Place, SourcePlaces
from enzyme_py.passes.hunting.watch_function import SEEN, WATCH, definitions
from enzyme_py.passes.memory.blocks.fills import is_local

__all__ = ["SEEN", "Site", "watched", "with_places"]

_FLOATS = ("double", "float")
_OPERATIONS = ("fadd", "fsub", "fmul", "fdiv", "frem", "fneg")
_NOT_FINITE = ("0x7FF", "0xFFF")  # how constants that are NaN or infinite begin
_MOST = 4  # operands that are looked at
_DEEPEST = 4  # selects of selects
_FARTHEST = 40  # values that are asked for a location


@dataclass(frozen=True)
class Site:
    """One operation: what it is, and the places in Python that it comes from, innermost first."""

    operation: str
    places: tuple[Place, ...]


def watched(code: Module) -> tuple[Site, ...]:
    """Put watches into a module; returns what stands at each."""
    for group in code.groups.values():
        kept = [one for one in group.attributes if attribute_name(one) != "memory"]
        if kept != group.attributes:
            group.set_attributes(kept)  # watches write
    sites, seen = list[Site](), list[tuple[Instruction, list[Value]]]()
    places = SourcePlaces(code)
    for function in code.functions:
        locations = _Locations(function)
        for one, name, operands in _operations(function):
            sites.append(Site(name, places.of(locations.near(one))))
            seen.append((one, operands))
    code.add_text(definitions(len(sites)))
    watch = code.function(WATCH)
    for number, (one, operands) in enumerate(seen):
        _watch(watch, number, one, operands)
    return tuple(sites)


def with_places(code: Module) -> None:
    """Give every instruction of simplified code a place.

    What LLVM computes before a branch that it belonged behind loses its place, and what Enzyme makes of it
    would have none; the next place in its block is that branch's.
    """
    for function in code.functions:
        for block in function.blocks:
            waiting = list[Instruction]()
            for one in block:
                location = one.location
                if location is not None:
                    for other in waiting:
                        other.set_metadata("dbg", location)
                    waiting.clear()
                elif one.has_result:
                    waiting.append(one)


def _operations(function: Function) -> Iterator[tuple[Instruction, str, list[Value]]]:
    """Yield what is watched, with its name and the operands that are looked at."""
    for one in function.instructions:
        if not _is_operation(one) or _is_for_selects(one):
            continue
        if not isinstance(one, Select):
            yield one, _name(one), _operands(one)
            continue
        chosen = [
            arm
            for arm in one.arms
            if isinstance(arm, Instruction) and _is_operation(arm) and _is_for_selects(arm)
        ]
        if chosen or any(arm.ref.startswith(_NOT_FINITE) for arm in one.arms):
            inner = (_name(arm) for arm in chosen if not isinstance(arm, Select))
            yield one, next(inner, "select"), _chosen_from(one)


def _is_operation(one: Instruction) -> bool:
    """Tell whether an instruction makes a floating point number of others."""
    if one.type not in _FLOATS:
        return False
    if isinstance(one, Call):  # behind the others nothing can stand
        return bool(one.callee) and one.opcode == "call" and one.tail != "musttail"
    return isinstance(one, Select) or one.opcode in _OPERATIONS


def _name(one: Instruction) -> str:
    return one.callee if isinstance(one, Call) else one.opcode


def _operands(one: Instruction) -> list[Value]:
    """Return the operands of an operation that are numbers of its type, but for constants."""
    given = one.arguments if isinstance(one, Call) else one.operands
    return [value for value in given if is_local(value) and value.type == one.type]


def _is_for_selects(one: Instruction) -> bool:
    """Tell whether a value is used, and by selects of floating point numbers alone."""
    users = one.users
    return bool(users) and all(user.type in _FLOATS and isinstance(user, Select) for user in users)


def _chosen_from(select: Select, depth: int = _DEEPEST) -> list[Value]:
    """Return what a select's value is made from, past operations that are there for selects alone."""
    found = list[Value]()
    for value in _operands(select):
        is_inner = isinstance(value, Instruction) and _is_operation(value)
        if (
            not is_inner
            or not isinstance(value, Instruction)
            or not _is_for_selects(value)
            or not depth
        ):
            found.append(value)
        elif isinstance(value, Select):
            found += _chosen_from(value, depth - 1)
        else:
            found += _operands(value)
    return list(dict.fromkeys(found))


class _Locations:
    """The locations of the values of one function."""

    def __init__(self, function: Function) -> None:
        self._place_of: dict[Value, int] = {
            one: place for place, one in enumerate(function.instructions)
        }
        self._known: dict[Value, tuple[str | None, list[Value]]] = {}

    def near(self, operation: Instruction) -> list[str]:
        """Return the locations of an operation, and of what stands beside it, nearest first.

        Enzyme loses some in reverse code. A choice made with the value tells then: its condition was
        computed in the line that is meant.
        """
        found = list[str]()
        waiting, seen = list[Value]([operation]), set[Value]([operation])
        while waiting and len(seen) < _FARTHEST:
            value = waiting.pop(0)
            known = self._known.get(value)
            if known is None:
                known = self._known[value] = _location(value), self._beside(value)
            location, beside = known
            if location is not None:
                found.append(location)
            fresh = [one for one in beside if one not in seen]
            seen.update(fresh)
            waiting += fresh
        return found

    def _beside(self, value: Value) -> list[Value]:
        """Return the values that a value is made from, and those made from it, in the order of the code."""
        users = [one for one in value.users if one.has_result]
        if len(users) > 1:
            users.sort(key=self._place_of.__getitem__)
        if not isinstance(value, Instruction):
            return [*users]
        own = self._place_of[value]
        before = [one for one in users if self._place_of[one] < own]
        operands = [one for one in value.operands if not isinstance(one, (Constant, GlobalValue))]
        return list(dict.fromkeys([*before, *operands, *users]))


def _location(value: Value) -> str | None:
    return value.location if isinstance(value, Instruction) else None


def _watch(watch: Function, number: int, one: Instruction, operands: list[Value]) -> None:
    """Put a call of the watch behind an operation."""
    build = Builder.after(one)
    given = [one, *operands[:_MOST]]
    wide = [
        value
        if value.type == "double"
        else build.cast("fpext", value, "double", f"{WATCH}.{number}.{place}")
        for place, value in enumerate(given)
    ]
    wide += [constant("double", "0.0")] * (_MOST + 1 - len(wide))
    build.call(watch, [constant("i64", number), *wide])
