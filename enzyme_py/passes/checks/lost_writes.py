"""Const arrays into which a kernel writes what should be differentiated.

Symptom: a workspace that is passed as Const makes a gradient zero without a word.

Cause: Enzyme takes memory without a shadow at its word: what is written there is constant, and so is what is read back.

Cure: none in the code, the user is told. At each request is found out which arrays of floats are constant, and whether the
kernel stores into one of them a value that depends on anything active. A value counts only if it is not made of constants,
of integers and of constant memory alone. A pointer that can come from nowhere else is told as written; one that may be
another array's too (`p = w if flag else v`, `rows[i]`) as one that may be. A write through a pointer that a callee puts into
memory is missed, unless that callee can be inlined (a function that calls itself cannot).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from enzyme_py.llvm import Argument, Call, Function, Instruction, Load, Module, Value
from enzyme_py.llvm.analyses.points_to import origins
from enzyme_py.llvm.types import is_pointer
from enzyme_py.passes.checks.constant_arrays import Constants, constants_in, requested
from enzyme_py.passes.checks.data_flow import (
    defined_callee,
    is_own_memory,
    is_undefined,
    made_from,
    memory_read,
    pointers_of,
)
from enzyme_py.passes.checks.held_pointers import HeldPointers
from enzyme_py.passes.checks.lost import Lost
from enzyme_py.passes.checks.memory_writes import MemoryWrites, Write
from enzyme_py.passes.memory.blocks.fills import is_local
from enzyme_py.passes.module.names_in_code import mentions, reached
from enzyme_py.passes.module.request_arguments import given_by, is_forward
from enzyme_py.passes.module.requests import is_request
from enzyme_py.symbols import HINT

# Copies are looked at as writes.
_HARMLESS = ("llvm.", "free", HINT, "enzyme_py_copy", "enzyme_py_clear")

_INLINED = "alwaysinline"

Names = frozenset[str]
_NOTHING: Names = frozenset()
_HERE: Names = frozenset({"?"})  # the name of memory that is only asked about


def lost_writes(code: Module) -> tuple[Lost, ...]:
    """Return every Const array of floats, or list of such, that takes active values, or may take some.

    All requests in the module are looked at; the code is what Enzyme reads, or what `simplified` made of it.
    """
    found = dict[tuple[str, str], bool]()
    requests = [constants for _, constants in constants_in(code)]
    for is_certain in (False, True):
        reader = _Reader(is_certain)
        for one in requests:
            found |= dict.fromkeys(_lost_at(reader, one), is_certain)
    return tuple(sorted(Lost(*one, is_certain) for one, is_certain in found.items()))


def has_constant_arrays(code: Module) -> bool:
    """Tell whether any request in a module takes a Const array of floats, or a Const list."""
    return any(one.names for _, one in constants_in(code))


def simplified(code: Module, in_registers: Callable[[str], str]) -> Module:
    """Return the module with its local variables in registers, all that reading it needs.

    `in_registers` runs LLVM: what is marked is inlined, and local variables become values. For lists the functions that
    return their items are marked: see `HeldPointers`.
    """
    if any(one.has_lists for _, one in constants_in(code)):
        code = _marked(code, _can_be_inlined(code))
    return Module(in_registers(str(code)))


def without_returned_views(code: Module, in_registers: Callable[[str], str]) -> Module:
    """Return a module in registers with the functions inlined that return views of their arguments, as far as that goes."""
    while found := [one for one in _can_be_inlined(code) if _returns_views(one)]:
        code = Module(in_registers(str(_marked(code, found))))  # those that call them may return views now
    return code


def _can_be_inlined(code: Module) -> Iterator[Function]:
    """Yield the functions that nobody outside calls, that do not call themselves, and that were not inlined in vain."""
    led_to = mentions(code)
    for one in code.functions:
        if one.linkage == "external" or any(map(one.has_attribute, ("noinline", _INLINED))):
            continue
        below = led_to[one.name] & led_to.keys()
        if one.name not in reached(below, led_to):
            yield one


def _marked(code: Module, functions: Iterable[Function]) -> Module:
    """Return a copy of a module with some of its functions marked for inlining."""
    marked = Module(str(code))
    for one in functions:
        marked.function(one.name).add_attribute(_INLINED)
    return marked


def _returns_views(function: Function) -> bool:
    """Tell whether a function puts a pointer that was given to it where its caller finds it."""
    stored = [
        one.source
        for one in function.analysis(MemoryWrites).writes
        if one.is_pointer and any(isinstance(each, Argument) for each in origins(one.target))
    ]
    if not stored:
        return False
    held = function.analysis(HeldPointers)
    return any(isinstance(each, Argument) for one in stored for each in held.origins(one))


def _lost_at(reader: _Reader, constants: Constants) -> Iterator[tuple[str, str]]:
    # Of the arrays of a list nothing is certain.
    asked = constants.arrays if reader.is_certain else constants.names
    names = {one: frozenset({name}) for one, name in asked.items()}
    kernel = constants.function.name.split(".", 1)[-1]
    for name in reader.written(constants.function, names, constants.parameters) if names else ():
        yield kernel, name


@dataclass
class _Reader:
    """Reads functions, each for every way in which constants come into it."""

    is_certain: bool
    _seen: dict[object, Names] = field(default_factory=dict)

    def written(
        self,
        function: Function,
        names: dict[Argument, Names],
        inactive: frozenset[Argument],
        active: frozenset[Argument] = frozenset(),
    ) -> Names:
        """Return the names of parameters through which something active is written.

        Memory that has a name is constant, unless it is `active`. Other parameters are active, unless they are `inactive`.
        """
        key = (function, frozenset(names.items()), inactive, active)
        if key not in self._seen:
            self._seen[key] = _NOTHING  # for recursion
            body = _Body(self, function, names, inactive, active)
            self._seen[key] = frozenset(body.written())
        return self._seen[key]


class _Body:
    """One function, with some parameters constant memory and some constant values."""

    def __init__(
        self,
        reader: _Reader,
        function: Function,
        names: dict[Argument, Names],
        inactive: frozenset[Argument],
        active: frozenset[Argument],
    ) -> None:
        self.reader = reader
        self.function = function
        self._names: dict[Value, Names] = dict[Value, Names](names.items())
        self._inactive: frozenset[Value] = inactive
        self._active: frozenset[Value] = active
        self._origins_of: dict[Value, frozenset[Value]] = {}
        self._is_object_active: dict[Value, bool] = {}
        self._in_progress = set[Value]()  # memory that is being looked into

    @property
    def _memory(self) -> MemoryWrites:
        return self.function.analysis(MemoryWrites)

    def written(self) -> Iterator[str]:
        """Yield the names of memory into which something active is written."""
        for write in self._memory.writes:
            names = _NOTHING if write.is_own or write.is_pointer else self._told(write.target)
            if names and self._is_write_active(write):
                yield from names
        for call in self._memory.calls:
            if defined_callee(call) is not None:
                yield from self._written_below(
                    call, {one: self._told(one) for one in pointers_of(call)}
                )
            elif is_request(call):
                yield from self._written_by_request(call, self._told)

    def _written_below(self, call: Call, names: dict[Value, Names]) -> Names:
        """Return the names that a callee writes, with its pointers named as given."""
        callee = defined_callee(call)
        if (
            callee is None
            or not any(names.values())
            or len(callee.arguments) != len(call.arguments)
        ):
            return _NOTHING
        below = dict[Argument, Names]()
        inactive, active = set[Argument](), set[Argument]()
        for parameter, value in zip(callee.arguments, call.arguments, strict=True):
            is_memory = is_pointer(value.type)
            if is_memory and names.get(value):
                below[parameter] = names[value]
                if self._memory_is_active(value):
                    active.add(parameter)
            elif not (self._memory_is_active if is_memory else self.is_active)(value):
                inactive.add(parameter)
        return self.reader.written(callee, below, frozenset(inactive), frozenset(active))

    def _written_by_request(self, call: Call, told: Callable[[Value], Names]) -> Names:
        """Return the names of memory that a derivative in this function writes something active to.

        Both modes write where the function itself does; to shadows reverse mode adds slopes, and forward mode
        writes where the function writes.
        """
        function = requested(call)
        given = list(given_by(call))
        if function is None or len(given) != len(function.arguments):
            return _NOTHING
        pairs = list(zip(function.arguments, given, strict=True))
        primals = {one: told(each.primal) for one, each in pairs}
        shadows = {one: _union(map(told, each.shadows)) for one, each in pairs}
        shadowed = _union(shadows.values())
        if not shadowed and not _union(primals.values()):
            return _NOTHING
        active = {
            one
            for one, each in pairs
            if self.is_active(each.primal) or self._memory_is_active(each.primal)
        }
        if shadowed and active and not is_forward(call):
            return shadowed | self._written_inside(function, primals, active)
        below = {one: primals[one] | shadows[one] for one, _ in pairs}
        return self._written_inside(function, below, active)

    def _written_inside(
        self, function: Function, names: dict[Argument, Names], active: set[Argument]
    ) -> Names:
        below = {one: found for one, found in names.items() if found}
        if not below:
            return _NOTHING
        inactive = frozenset(function.arguments) - active - set(below)
        return self.reader.written(function, below, inactive, frozenset(active & set(below)))

    # -- where pointers lead -------------------------------------------------------------------------

    def _origins(self, pointer: Value) -> frozenset[Value]:
        """Return everything that a pointer can be an offset from."""
        found = self._origins_of.get(pointer)
        if found is None:
            begins = self._begins(pointer)
            found = frozenset(one for one in begins if not is_undefined(one))
            self._origins_of[pointer] = found
        return found

    def _begins(self, pointer: Value) -> set[Value]:
        found = origins(pointer)
        if self.reader.is_certain or not any(isinstance(one, Load) for one in found):
            return found
        return self.function.analysis(HeldPointers).origins(pointer)

    def _told(self, pointer: Value) -> Names:
        """Return the constant arguments that a pointer points into, certainly, or perhaps if that is asked."""
        found = self._origins(pointer)
        known = found & self._names.keys()
        if self.reader.is_certain and known != found:
            return _NOTHING
        return _union(self._names[one] for one in known)

    # -- what is active ------------------------------------------------------------------------------

    def _is_write_active(self, write: Write) -> bool:
        check = self._memory_is_active if write.is_copy else self.is_active
        return check(write.source)

    def is_active(self, value: Value) -> bool:
        """Tell whether a value depends on anything but constants."""
        seen, pending = set[Value](), [value]
        while pending:
            current = pending.pop()
            if current in seen or not is_local(current):
                continue
            seen.add(current)
            if isinstance(current, Instruction):
                if any(map(self._memory_is_active, memory_read(current))):
                    return True
                pending += made_from(current)
            elif current not in self._inactive and current not in self._names:
                return True
        return False

    def _memory_is_active(self, pointer: Value) -> bool:
        return any(map(self._object_is_active, self._origins(pointer)))

    def _object_is_active(self, origin: Value) -> bool:
        """Tell whether memory may hold anything active; memory of this function is looked into."""
        if origin in self._active:
            return True
        if origin in self._names or origin in self._inactive or not is_local(origin):
            return False
        if not is_own_memory(origin):
            return True
        known = self._is_object_active.get(origin)
        return self._found_active(origin) if known is None else known

    def _found_active(self, origin: Value) -> bool:
        """Look for what is active in memory of this function.

        Memory may be copied in a circle. That nothing was found in one part of it says nothing before all was looked at.
        """
        if origin in self._in_progress:
            return False
        is_first = not self._in_progress
        self._in_progress.add(origin)
        found = self._is_filled(origin)
        if found:
            self._is_object_active[origin] = True
        if is_first:
            if not found:
                self._is_object_active |= dict.fromkeys(self._in_progress, False)
            self._in_progress.clear()
        return found

    def _is_filled(self, origin: Value) -> bool:
        """Tell whether anything active is written into memory of this function."""
        for write in self._memory.writes:
            if origin in self._origins(write.target) and self._is_write_active(write):
                return True
        return any(self._fills(call, origin) for call in self._memory.calls)

    def _fills(self, call: Call, origin: Value) -> bool:
        given = {one for one in pointers_of(call) if origin in self._origins(one)}
        if not given or call.callee.startswith(_HARMLESS):
            return False
        if is_request(call):
            return bool(self._written_by_request(call, lambda one: self._asked(one, origin)))
        if defined_callee(call) is None:
            return True
        asked = {one: _HERE if one in given else _NOTHING for one in pointers_of(call)}
        return bool(self._written_below(call, asked))

    def _asked(self, pointer: Value, origin: Value) -> Names:
        return _HERE if origin in self._origins(pointer) else _NOTHING


def _union(sets: Iterable[Names]) -> Names:
    return _NOTHING.union(*sets)
