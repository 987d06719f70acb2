"""Derivatives of derivatives in steps: the innermost first, the others in a run of Enzyme of their own.

Symptom: second derivatives are refused as arithmetic with a float's bits. LLVM fails an assertion ("ClobberMA") where a
cache is cached. Reverse over reverse of what stays a call is wrong (checks/recursive_calls.py).

Cause: in one run Enzyme differentiates what it has just made, as it made it. There its own caches are loads of
unknown type: an index that it cached (`while`, the minimum of an array in Fortran's order) could be a float's bits.

Cure: two runs. Between them the code is ours: what is loaded and then multiplied, or added to an index, gets a tag that says
that it is an integer; tapes are handed on, and copied, field by field; marks are set anew.

    call void @__enzyme_fwddiff(ptr @along, ...)      ->   call void @enzyme_py_later.fwddiff(ptr @along, ...)

`Postpone` leaves a module as it is that has no derivative of a derivative: there are no steps then. All second
orders that way from the start would take a run more of each. What Enzyme knows of ruled functions does not outlast a run.
"""

from __future__ import annotations

from collections.abc import Iterator

from enzyme_py.llvm import Call, Function, GlobalValue, Instruction, Module, Value
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.module.requests import Requests, request_in
from enzyme_py.passes.types.flat_parameters import FlatParameters
from enzyme_py.passes.types.flat_results import FlatResults
from enzyme_py.passes.types.grown_caches import GrownCaches, define_growth
from enzyme_py.passes.types.integers.loads import is_untagged_integer
from enzyme_py.passes.types.tags import Tags
from enzyme_py.symbols import CACHED, REQUEST, WRITTEN

LATER = "enzyme_py_later."
_MARKS = (CACHED, WRITTEN)
# Only a count or an index is multiplied or indexes memory: what is added may be an address.
_COUNTS = frozenset(("mul", "shl", "sdiv", "srem", "getelementptr"))
_PASSES_ON = frozenset("phi select freeze sext zext trunc add sub".split())
# Allocations that were variables: the next run cannot make variables of what it cached itself.
_STACK_NOTES = ("enzyme_fromstack", "enzyme_zerostack", "enzyme_caststack")


class Postpone(Pass):
    """Requests of the innermost derivatives only; the others wait under another name."""

    name = "outer derivatives postponed"

    def run(self, draft: Draft) -> None:
        """Rename the requests that differentiate other requests."""
        code = draft.code
        requests = Requests(code)
        outer = {one.target for one in requests.all() if requests.inside(one)}
        if outer:
            define_growth(code)
        for function in code.functions if outer else ():
            for call in function.calls if function.mentions(REQUEST) else ():
                request = request_in(call)
                if request is not None and request.target in outer:
                    call.set_callee(_later(code, call))


def _later(code: Module, call: Call) -> Value:
    """Return the function that stands for a request until the next run."""
    asked = call.target
    assert isinstance(asked, Function)
    name = f"{LATER}{asked.name.removeprefix(REQUEST)}"
    known = code.get(name)
    if known is None:
        known = code.add_function(
            f"@{name}", asked.head.replace(f"{asked.ref}(", f"@{name}(") + "\n"
        )
    return known


class Resume(Pass):
    """The requests that waited, and what the next run must be told of what the first one made."""

    name = "outer derivatives resumed"

    def run(self, draft: Draft) -> None:
        """Ask for what was postponed, and say which loads are integers."""
        code = draft.code
        _remove_marks(code)
        for function in code.functions:
            function.drop_metadata(*_STACK_NOTES)
        for waiting in code.declarations:
            if waiting.name.startswith(LATER):
                _resume(code, waiting)
        FlatParameters().run(draft)
        FlatResults().run(draft)
        _tag_counts(code)
        if GrownCaches().applies(draft):
            GrownCaches().run(draft)


def _resume(code: Module, waiting: Function) -> None:
    name = f"{REQUEST}{waiting.name.removeprefix(LATER)}"
    known = code.get(name)
    if known is None:
        code.rename(waiting, name)
    else:
        waiting.replace_all_uses_with(known)
        waiting.erase()


def _remove_marks(code: Module) -> None:
    """Remove the marks of the first run: the next one sets its own."""
    marks = {one.name: one for one in _marks(code)}
    if not marks:
        return
    for function in code.functions:
        if function.name not in marks and any(map(function.mentions, _MARKS)):
            for call in function.calls:
                if call.callee in marks:
                    call.erase()
    for node in list(code.metadata.values()):
        if any(f"{{ptr {one.ref}}}" in node.content for one in marks.values()):
            code.remove(node)
    for one in marks.values():
        one.erase()


def _marks(code: Module) -> Iterator[GlobalValue]:
    """Yield the marks, their rules, and what Enzyme made of these."""
    for one in (*code.functions, *code.declarations):
        if any(mark in one.name for mark in _MARKS):
            yield one


def _tag_counts(code: Module) -> None:
    """Say of loads that they are integers where they come to be counts or indices."""
    tags = Tags(code)
    for function in code.functions:
        if not function.mentions("load i"):
            continue
        seen, pending = set[Value](), list[Value]()
        for one in function.instructions:
            if one.opcode in _COUNTS:
                pending += one.operands
        while pending:
            value = pending.pop()
            if isinstance(value, Instruction) and value not in seen:
                seen.add(value)
                if value.opcode in _PASSES_ON:
                    pending += value.operands
        for one in function.instructions:
            if one in seen and is_untagged_integer(one):
                tags.put(one, "long")
