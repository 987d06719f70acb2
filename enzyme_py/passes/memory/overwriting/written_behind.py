"""Whether what an instruction reads may be written behind it, before the function returns or afterwards.

A loop that goes on counts as behind. In doubt the answer is yes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cached_property

from enzyme_py.llvm import (
    Alloca,
    Argument,
    Call,
    Function,
    GlobalValue,
    Instruction,
    Module,
    Store,
    Value,
)
from enzyme_py.llvm.analyses.addresses import Addresses
from enzyme_py.llvm.analyses.allocations import ALLOCATORS
from enzyme_py.llvm.analyses.control_flow import ControlFlow
from enzyme_py.llvm.analyses.held_memory import HeldMemory
from enzyme_py.passes.memory.blocks.fills import filled, is_local
from enzyme_py.passes.memory.states.states_in_place import known_calls
from enzyme_py.passes.module.requests import Requests, request_in
from enzyme_py.symbols import HINT, RAISE

_OF_CALLERS = "arg."  # how the names of parameters begin that hold arguments
_HARMLESS = ("llvm.", "free", *ALLOCATORS, RAISE, HINT)
_IN_ONE_PIECE = "__enzyme_autodiff"


def alone(code: Module) -> set[str] | None:
    """Return the functions behind which nothing runs before their reverse sweep: those nobody calls, asked for in one piece.

    None where derivatives are differentiated in reverse: of what Enzyme itself writes then, nothing is known.
    """
    if Requests(code).under_reverse():
        return None
    whole, called = set[str](), set[str]()
    for function in code.functions:
        for call in function.calls if function.is_edited or " call " in function.body_text else ():
            request = request_in(call)
            if request is None:
                called.add(call.callee)
            elif call.callee.rstrip(".0123456789") == _IN_ONE_PIECE:
                whole.add(request.target)
    return whole - called


class WrittenBehind:
    """What one function writes; `single` are the functions that are `alone`, or None."""

    def __init__(self, function: Function, single: Collection[str] | None) -> None:
        self._function = function
        self._addresses = function.analysis(Addresses)
        self._is_alone = function.name in (single or ())
        self._is_nested = single is None
        given = [one for one in function.arguments if one.type == "ptr"]
        self._parameters = set[Value](given)
        self._own = {one for one in given if _is_own(one)} | set[Value](
            one for one in function.instructions if _is_made(one)
        )
        self._writes: list[tuple[Instruction, Value]] | None = None

    @cached_property
    def _held(self) -> HeldMemory:
        return HeldMemory(self._function, known_calls(self._function))

    def may(self, read: Instruction, base: Value, known: Collection[Instruction]) -> bool:
        """Tell whether what is read from an array may be written behind, but for writes that are known not to."""
        is_mine = base in self._own and base not in self._parameters
        if self._is_nested or not (self._is_alone or is_mine):
            return True
        if self._writes is None:
            self._writes = list(self.all())
        reached = self._function.analysis(ControlFlow).reached_again(read.home)
        return any(
            (
                read.comes_before(write)
                if write.home is read.home and read.home not in reached
                else write.home in reached
            )
            and self._may_be(base, target)
            for write, target in self._writes
            if write not in known
        )

    def writes_to(self, base: Value) -> list[Instruction]:
        """Return whatever may write to an array that the function has made."""
        if self._writes is None:
            self._writes = list(self.all())
        return [write for write, target in self._writes if self._may_be(base, target)]

    def is_apart(self, base: Value) -> bool:
        """Tell whether memory is no other parameter's, whatever the caller has given."""
        is_made = base in self._own and base not in self._parameters
        return is_made or (isinstance(base, Argument) and base.has_attribute("noalias"))

    def all(self) -> Iterator[tuple[Instruction, Value]]:
        """Yield each write, with where its memory begins; what is handed out, others may write later."""
        for one in self._function.instructions:
            block = filled(one)
            if isinstance(one, Store):
                yield one, self._addresses.of(one.pointer).base
                if not self._is_alone and one.value.type == "ptr" and is_local(one.value):
                    yield one, self._addresses.of(one.value).base
            elif block is not None:
                yield one, self._addresses.of(block).base
            elif isinstance(one, Call) and not one.callee.startswith(_HARMLESS):
                for value in _written(one):
                    yield one, self._addresses.of(value).base
                for base in self._held.written(one):
                    yield one, base

    def _may_be(self, base: Value, other: Value) -> bool:
        """Tell whether two arrays may share memory."""
        if base is other:
            return True
        apart = self._own | self._parameters
        is_known = base in self._own or other in self._own
        both = (base, other)
        return not (is_known and all(one in apart or isinstance(one, GlobalValue) for one in both))


def is_only_read(parameter: Argument) -> bool:
    """Tell whether LLVM has found that a function does not write through a parameter."""
    return any(map(parameter.has_attribute, ("readonly", "readnone")))


def _written(call: Call) -> Iterator[Value]:
    """Yield the pointers through which a call may write."""
    target = call.target
    known = target.arguments if isinstance(target, Function) and not target.is_declaration else ()
    for place, value in enumerate(call.arguments):
        if value.type == "ptr" and not (place < len(known) and is_only_read(known[place])):
            yield value


def _is_own(parameter: Argument) -> bool:
    """Tell whether nobody else knows a parameter's memory: where the result goes is no argument."""
    return parameter.has_attribute("noalias") or not parameter.name.startswith(_OF_CALLERS)


def _is_made(one: Instruction) -> bool:
    return isinstance(one, Alloca) or (isinstance(one, Call) and one.callee in ALLOCATORS)
