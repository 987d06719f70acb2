"""Indices that LLVM is not shown, for a module on which Enzyme fails an assertion.

Symptom: Enzyme dies of "No dominance between recurrences used by one SCEV", an assertion of LLVM's.

Cause: to see whether a loop writes what another one has read, Enzyme compares the two addresses as LLVM writes them down: so
much for each iteration. Where an index may wrap around (`i + size` for a negative one), and neither loop lies before the
other on all paths, that comparison fails.

Cure: such indices pass through a function that LLVM cannot look into (opaque.py). There is nothing to compare then, and Enzyme
caches what was read. That costs memory, so it is done only for a module that failed.

Where that is not enough, it is done for `every` index that is no number. Then pointers that walk by such indices are nothing
that Enzyme can count either, and of memory that it makes again it would want the pointers before there are any
(measured: it freed what nobody had made). So it makes no memory again then.
"""

from __future__ import annotations

from collections.abc import Iterator

from enzyme_py.llvm import Argument, Builder, Function, GetElementPtr, Instruction, Select, Value
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.control_flow.exits import is_plain
from enzyme_py.passes.memory.cache_marks import without_recomputing
from enzyme_py.passes.module.opaque import cached_copy

ASSERTION = "No dominance between recurrences"


class HiddenIndices(Pass):
    """Let addresses not say where they move from iteration to iteration: those that may wrap around, or `every` one."""

    name = "hidden indices"

    def __init__(self, *, every: bool) -> None:
        self._every = every

    def run(self, draft: Draft) -> None:
        """Hide the indices in every function."""
        hidden = [one for function in draft.code.functions for one in self._in(function)]
        for one in hidden:
            index = one.indices[0]
            one.set_operand(1, cached_copy(Builder(one), index, f"{index.name}.hidden"))
        if hidden and self._every:
            without_recomputing(draft)

    def _in(self, function: Function) -> list[GetElementPtr]:
        moving = list(_moving(function))
        if self._every:
            return moving
        if not moving or not is_plain(function):
            return []
        chosen = (one for one in moving if isinstance(one.indices[0], Select))
        bases = dict.fromkeys(_base(one.pointer) for one in chosen)
        return [one for one in moving if one in bases]


def _moving(function: Function) -> Iterator[GetElementPtr]:
    for one in function.instructions:
        if isinstance(one, GetElementPtr) and _moves(one):
            yield one


def _moves(one: Value) -> bool:
    """Tell whether a value is a pointer moved by an index that is no number."""
    return (
        isinstance(one, GetElementPtr)
        and isinstance(one.pointer, (Argument, Instruction))
        and one.indices[0].type == "i64"
        and isinstance(one.indices[0], (Argument, Instruction))
    )


def _base(pointer: Value) -> Value:
    """Return a pointer, or the one that it lies a number of bytes behind."""
    while isinstance(pointer, GetElementPtr) and not _moves(pointer) and _is_local(pointer):
        pointer = pointer.pointer
    return pointer


def _is_local(pointer: GetElementPtr) -> bool:
    return isinstance(pointer.pointer, (Argument, Instruction))
