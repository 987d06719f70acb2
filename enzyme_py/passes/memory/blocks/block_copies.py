"""Block copies get bodies in place of rules, where Enzyme should make again what they fill.

A module's block copies (rules/copies.py) start with rules, unless they cannot serve: Enzyme knows those for one direction at a
time, and cannot take them apart where something is differentiated twice. There the copies get bodies (`CopiesWithBodies`).

So do they in a function that allocates in a loop (`RematerialisableCopies`). Symptom: memory that grows with the iterations.
Cause: a temporary that a rule has touched is cached for the reverse sweep, iteration by iteration. Cure: bodies; what loops
have filled is made again.

`np.copy` of contiguous memory is one `memcpy` (`new = u.copy()` in a loop): its shadow was kept for all iterations. Where it fills
what a loop makes, a loop over its numbers takes its place (`CopiesOfNumbers`).

A copy's body asks whether the two blocks overlap, and looks at addresses for that. Memory that is looked at so is not made
again, either: where the blocks cannot overlap, the copy becomes one that does not ask.
"""

from __future__ import annotations

from collections.abc import Iterator

from enzyme_py.llvm import Argument, Builder, Call, Function, Instruction, Module, Value
from enzyme_py.llvm.analyses.allocations import ALLOCATORS
from enzyme_py.llvm.analyses.control_flow import ControlFlow
from enzyme_py.llvm.analyses.loops import Loops
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.memory.blocks.unescaped_blocks import is_made_in_a_loop
from enzyme_py.passes.memory.hoisted_buffers import copier
from enzyme_py.passes.memory.merged_pointers import MergedPointers
from enzyme_py.rules import copies
from enzyme_py.symbols import HINT

_REGISTERED = "__enzyme_register_"
_MEMCPY = "llvm.memcpy."
_HINTS = {"d": f"{HINT}.Float.double", "s": f"{HINT}.Float.float"}  # frontend/codegen/type_hints.py


class RematerialisableCopies(Pass):
    """Give block copies bodies, if any function that has some fills memory of a loop."""

    name = "rematerialisable copies"

    def applies(self, draft: Draft) -> bool:
        """Tell whether copies without bodies are called."""
        return bool(_declared(draft.code))

    def run(self, draft: Draft) -> None:
        """Write bodies, if need be."""
        if any(map(_fills_memory_of_a_loop, draft.code.functions)):
            _with_bodies(draft.code)


class CopiesOfNumbers(Pass):
    """Let a loop fill what a loop makes, number by number, in place of `memcpy`."""

    name = "copies of numbers"

    def applies(self, draft: Draft) -> bool:
        """Tell whether memory is copied."""
        return any(one.name.startswith(_MEMCPY) for one in draft.code.declarations)

    def run(self, draft: Draft) -> None:
        """Exchange the copies of all functions."""
        for function in draft.code.functions:
            copied = [one for one in function.calls if one.callee.startswith(_MEMCPY)]
            for call in copied:
                letter = _made_in_a_loop(call, function.analysis(Loops))
                if letter is not None:
                    _copy_numbers(call, letter, draft.code)


def _made_in_a_loop(copy: Call, loops: Loops) -> str | None:
    """Return the letter of the numbers that are copied to what a loop makes; None where that is not so, or not known."""
    if not is_made_in_a_loop(copy, loops):
        return None
    said = {user.callee for user in copy.arguments[0].users if isinstance(user, Call)}
    return next((letter for letter, hint in _HINTS.items() if hint in said), None)


def _copy_numbers(copy: Call, letter: str, code: Module) -> None:
    to, start, size, _ = copy.arguments
    at, width = Builder(copy), code.constant("i64", str(copies.SIZES[letter]))
    count = at.arithmetic("lshr", size, copies.SIZES[letter].bit_length() - 1)
    made = at.call(copier(code, letter), [to, start, count, width, width])
    if copy.location is not None:
        made.set_metadata("dbg", copy.location)
    copy.erase()


class CopiesWithBodies(Pass):
    """Give all block copies bodies."""

    name = "copies with bodies"

    def applies(self, draft: Draft) -> bool:
        """Tell whether copies without bodies are called."""
        return bool(_declared(draft.code))

    def run(self, draft: Draft) -> None:
        """Write bodies."""
        _with_bodies(draft.code)


def _declared(code: Module) -> list[str]:
    """Return the copies that the module only declares."""
    return [one.name for one in code.declarations if copies.is_copy(one.name)]


def _fills_memory_of_a_loop(function: Function) -> bool:
    if not any(copies.is_copy(one.callee) for one in _calls(function)):
        return False
    flow = function.analysis(ControlFlow)
    made = (one for one in function.calls if one.callee in ALLOCATORS)
    return any(flow.is_repeated(one.home) for one in made)


def _calls(function: Function) -> Iterator[Call]:
    """Yield the calls of a function, if any of them may be a copy."""
    if function.is_edited or "@enzyme_py_c" in function.body_text:
        yield from function.calls


def _with_bodies(code: Module) -> None:
    called = _declared(code)
    for one in code.functions:
        if copies.is_rule(one.name):
            one.erase()
    # A registration is a global in a module as assembled, metadata in one the host has read.
    for variable in code.variables:
        if _is_registration(variable.name):
            variable.erase()
    for node in list(code.metadata.values()):
        operand = node.operands[0] if node.content.startswith("!{ptr @") else ""
        if copies.is_rule(operand.removeprefix("ptr @").strip('"')):
            code.remove(node)
    apart = [call for function in code.functions for call in _copies_of_blocks_apart(function)]
    code.add_text(copies.definitions(called, copies.LOOPS).replace("linkonce_odr", "internal"))
    for call in apart:
        call.set_callee(code.function(copies.simple(call.callee)))
    for declared in code.declarations:  # what only rules called
        if copies.is_declared(declared.name):
            declared.erase()


def _is_registration(name: str) -> bool:
    """Tell whether a global tells Enzyme of the derivatives of a copy."""
    return name.startswith(_REGISTERED) and copies.is_declared(
        name.removeprefix(_REGISTERED).partition("_")[2]
    )


def _copies_of_blocks_apart(function: Function) -> Iterator[Call]:
    """Yield the copies between blocks that cannot overlap."""
    for call in _calls(function):
        if copies.is_copy(call.callee) and len(call.arguments) > 1:
            to, source = call.arguments[:2]
            if _is_copied(to) and _is_copied(source):
                pointers = function.analysis(MergedPointers)
                if pointers.are_apart(to, source):
                    yield call


def _is_copied(value: Value) -> bool:
    """Tell whether an argument is a pointer of the function: `clear` has one pointer only, then numbers."""
    return value.type == "ptr" and isinstance(value, (Instruction, Argument))
