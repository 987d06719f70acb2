"""Memory that a kernel fills from itself and from constants only: what is read there has no derivative.

    factor[0] = c
    for i in range(1, n):
        factor[i] = c / (b - c * factor[i - 1])        c and b are constant

Symptom: the tape and the time of the slope of `factor`, which nobody asked for, in kernels that first prepare a table (factors of a
matrix that stays, weights, polynomials by recurrence). All steps of an implicit scheme kept what only that slope needed: 22.4 MB for 1.6.

Cause: Enzyme takes memory for constant if nothing active is stored there. Whether what is stored is active, it asks of the load, and
that asks the memory: it is in the middle of the answer, and says active.

Cure: the question is asked of all memory of a function at once. At first all private memory is taken for constant; what an active number
may be written to, is not; until nothing changes. Loads of numbers from what is left get the mark `enzyme_inactive`, where such
memory is read to fill such memory: of all other Enzyme finds it.

What is given as constant counts as constant. Where derivatives are nested, only if it is constant for the outer ones as well.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from enzyme_py.llvm import (
    Alloca,
    Argument,
    Call,
    Compare,
    Constant,
    Function,
    GlobalVariable,
    Instruction,
    Load,
    Module,
    Store,
    Value,
    types,
)
from enzyme_py.llvm.analyses.call_effects import CallEffects
from enzyme_py.llvm.analyses.points_to import PointsTo, origins
from enzyme_py.llvm.values import attribute_name
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.checks.constant_arrays import requested
from enzyme_py.passes.memory.states.states_in_place import known_calls
from enzyme_py.passes.module.names_in_code import has_rules
from enzyme_py.passes.module.request_arguments import CONST, given_by
from enzyme_py.passes.module.requests import Requests, is_request, nesting
from enzyme_py.symbols import INACTIVE, REQUEST

_MOVES = ("llvm.memcpy.", "llvm.memmove.")
_LEFT = ("llvm.memset.", "llvm.lifetime.")  # what they write is no number of anybody's
_FREES = "free"


class ConstantMemory(Pass):
    """Mark what is read from constant memory to fill constant memory."""

    name = "constant memory"

    def applies(self, draft: Draft) -> bool:
        """Tell whether there is memory."""
        return draft.has_memory

    def run(self, draft: Draft) -> None:
        """Mark such loads of all functions."""
        given = _constant_parameters(draft.code)
        for function in draft.code.functions:
            flow, constants = _flow(function), given.get(function, set())
            reads = [one for one in flow if isinstance(one, Load) and _is_own(one.pointer)]
            for look in (_Guessed, _Proven):  # the guess is fast, and mostly says no
                if reads:
                    memory = look(function, constants, flow)
                    reads = [one for one in reads if memory.is_read_constant(one)]
            for load in reads:
                load.set_metadata(INACTIVE, draft.code.node("!{}"))


class ForgetConstantMemory(Pass):
    """Take the marks off what Enzyme made: the next run may differentiate it by what was constant in this one."""

    name = "forget constant memory"

    def run(self, draft: Draft) -> None:
        """Take them off in all functions."""
        for function in draft.code.functions:
            if function.mentions(f"!{INACTIVE}"):
                for one in function.instructions:
                    if isinstance(one, Load):
                        one.remove_metadata(INACTIVE)


@dataclass(frozen=True)
class _Request:
    """Who asks for the derivative of a function, and what is given as constant for which parameter."""

    maker: Function
    about: Function
    constants: dict[Argument, Value]


def _constant_parameters(code: Module) -> dict[Function, set[Argument]]:
    """Return the parameters that are constant for every derivative of a function, also those around it."""
    if has_rules(code) and nesting(code) > 1:  # rules may ask for derivatives of what they are given
        return {}
    requests = list(_requests(code))
    found: dict[Function, set[Argument]] = {}
    for one in requests:
        found[one.about] = found.get(one.about, set(one.constants)) & one.constants.keys()
    called = set[str]().union(*(one.called() for one in code.functions))
    found = {about: given for about, given in found.items() if about.name not in called}
    targets = Requests(code)
    inside = set[str]().union(*(targets.reached(one.target) for one in targets.all()))
    size = -1
    while size != (size := sum(map(len, found.values()))):
        for one in requests:
            if one.maker.name in inside and one.about in found:
                known = found.get(one.maker, set())
                found[one.about] -= {
                    parameter
                    for parameter, value in one.constants.items()
                    if not isinstance(value, Constant) and value not in known
                }
    return found


def _requests(code: Module) -> Iterator[_Request]:
    for function in code.functions:
        if function.mentions(REQUEST):
            for call in filter(is_request, function.calls):
                about, given = requested(call), list(given_by(call))
                if about is not None:
                    is_told = len(given) == len(about.arguments)
                    pairs = zip(about.arguments, given, strict=True) if is_told else ()
                    constants = {at: one.primal for at, one in pairs if one.marker == CONST}
                    yield _Request(function, about, constants)


def _flow(function: Function) -> dict[Instruction, None]:
    """Return the instructions whose results go into floats that the function stores in its own memory."""
    found, pending = dict[Instruction, None](), list[Value]()
    for one in function.instructions:
        if isinstance(one, Store) and one.value.type in types.FLOATS and _is_own(one.pointer):
            pending.append(one.value)
    while pending:
        value = pending.pop()
        if isinstance(value, Instruction) and value not in found:
            found[value] = None
            if not isinstance(value, (Load, Compare)):
                pending += value.operands
    return found


def _is_own(pointer: Value) -> bool:
    """Tell whether a pointer may lead to memory that the function makes."""
    return any(map(_makes_memory, origins(pointer)))


def _makes_memory(value: Value) -> bool:
    return isinstance(value, Alloca) or (isinstance(value, Call) and CallEffects(value).is_allocation)


class _Memory(ABC):
    """The memory of a function, and which of it is constant."""

    def __init__(
        self, function: Function, given: AbstractSet[Argument], flow: Collection[Instruction]
    ) -> None:
        self._flow = flow
        self._given = given
        self._active = set[Value]()
        self._constant = {one for one in function.instructions if self._is_own(one)} | given
        while self._has_spread():
            pass

    @abstractmethod
    def _targets(self, pointer: Value) -> set[Value]:
        """Return the memory that a pointer may lead to."""

    @abstractmethod
    def _writes(self, memory: Value) -> Iterable[Instruction]:
        """Return what may write to memory."""

    def _is_own(self, one: Instruction) -> bool:
        return _makes_memory(one)

    def is_read_constant(self, load: Load) -> bool:
        """Tell whether a load reads nothing but constant memory of the function's own."""
        targets = self._targets(load.pointer)
        return bool(targets) and targets <= self._constant - self._given

    def _has_spread(self) -> bool:
        """Take what is active one step on; tell whether that was anything."""
        before = len(self._active), len(self._constant)
        for one in self._flow:
            if one not in self._active and self._is_active(one):
                self._active.add(one)
        self._constant -= set(self._filled_by_active())
        return before != (len(self._active), len(self._constant))

    def _is_active(self, one: Instruction) -> bool:
        """Tell whether a value may have a derivative, by what is known so far."""
        if isinstance(one, Compare):
            return False
        if isinstance(one, Load):
            return not self._is_constant(one.pointer)
        if isinstance(one, Call) and not _is_of_numbers(one):
            return True
        return any(map(self._is_active_operand, one.operands))

    def _is_active_operand(self, value: Value) -> bool:
        if isinstance(value, Argument):
            return value not in self._given and not types.is_integer(value.type)
        return value in self._active

    def _is_number(self, value: Value) -> bool:
        """Tell whether a stored value is one that was followed: no pointer, no bits of numbers, no vector."""
        return value.type in types.FLOATS and (value in self._flow or not isinstance(value, Instruction))

    def _is_constant(self, pointer: Value) -> bool:
        """Tell whether only constant memory is read by a pointer."""
        if self._targets(pointer) <= self._constant:
            return True
        return all(isinstance(one, GlobalVariable) and _is_fixed(one) for one in origins(pointer))

    def _filled_by_active(self) -> Iterator[Value]:
        """Yield memory that is written by active numbers, by pointers or by what nobody knows."""
        for memory in self._constant:
            for one in self._writes(memory):
                if isinstance(one, Store):
                    is_active = not self._is_number(one.value) or self._is_active_operand(one.value)
                elif isinstance(one, Call) and one.callee.startswith(_MOVES):
                    is_active = not self._is_constant(one.arguments[1])
                else:
                    is_active = not (isinstance(one, Call) and _leaves_numbers(one))
                if is_active:
                    yield memory
                    break


class _Guessed(_Memory):
    """By stores and copies alone, and the offsets of pointers: a kernel may do more."""

    def __init__(
        self, function: Function, given: AbstractSet[Argument], flow: Collection[Instruction]
    ) -> None:
        self._known = dict[Value, set[Value]]()
        self._written = defaultdict[Value, list[Instruction]](list)
        for one in function.instructions:
            if isinstance(one, Store) or (isinstance(one, Call) and one.callee.startswith(_MOVES)):
                place = one.pointer if isinstance(one, Store) else one.arguments[0]
                for memory in self._targets(place):
                    self._written[memory].append(one)
        super().__init__(function, given, flow)

    def _targets(self, pointer: Value) -> set[Value]:
        if pointer not in self._known:
            self._known[pointer] = origins(pointer)
        return self._known[pointer]

    def _writes(self, memory: Value) -> Iterable[Instruction]:
        return self._written[memory]


class _Proven(_Memory):
    """By all that is known of pointers and calls."""

    def __init__(
        self, function: Function, given: AbstractSet[Argument], flow: Collection[Instruction]
    ) -> None:
        self._points = PointsTo(function, known_calls(function))
        super().__init__(function, given, flow)

    def _targets(self, pointer: Value) -> set[Value]:
        return self._points.targets(pointer)

    def _writes(self, memory: Value) -> Iterable[Instruction]:
        return (one for one, _ in self._points.writes(memory))

    def _is_own(self, one: Instruction) -> bool:
        return super()._is_own(one) and self._points.is_private(one)


def _leaves_numbers(call: Call) -> bool:
    return call.callee.startswith(_LEFT) or call.callee == _FREES


def _is_of_numbers(call: Call) -> bool:
    """Tell whether the result of a call comes from its arguments alone, or is told to be inactive."""
    attributes = getattr(call.target, "attributes", ())
    if any(attribute_name(one) == INACTIVE for one in call.module.expanded([*attributes])):
        return True
    return CallEffects(call).is_pure


def _is_fixed(variable: GlobalVariable) -> bool:
    """Tell whether a global variable never changes."""
    return INACTIVE in variable.metadata or "constant" in variable.words
