"""Pointers that are kept in memory which the function has made, and loaded from there, in reverse mode.

    %data = call ptr @malloc(i64 %bytes)
    store ptr %data, ptr %header                ; of a list: %header = call ptr @malloc(i64 8)
    %v = load double, ptr %data                 ; LLVM has forwarded the pointer here
    %again = load ptr, ptr %header              ; but not past what may have written the header
    store double %w, ptr %again                 ; views[0] = x[1:]

Symptom: a wrong gradient without a word: `views[i][2]` is read in a loop, an array is written that has been chosen, and then views[0] is exchanged.

Cause: of a pointer that is loaded from memory which is new, Enzyme takes for granted that it leads to no other new memory, unless the new memory is
written between the load and the other allocation, in this order (`arePointersGuaranteedNoAlias`). So it read %v, or a pointer, again in the reverse sweep, from memory that
had been written over. Trap: tests/traps/kept_in_made.ll.

Cure: what is stored into such memory once, in front of the load, is what is loaded. Other such loads get an address of which nothing is known
(later_iterations.py), if the memory that they may lead to is also read, or written behind, by its own name.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection

from enzyme_py.llvm import Argument, Block, Call, Function, Instruction, Load, Store, Value
from enzyme_py.llvm.analyses.addresses import Addresses
from enzyme_py.llvm.analyses.allocations import may_allocate
from enzyme_py.llvm.analyses.call_effects import CallEffects
from enzyme_py.llvm.analyses.control_flow import ControlFlow
from enzyme_py.llvm.analyses.dominators import Dominators
from enzyme_py.llvm.analyses.points_to import PointsTo
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.memory.overwriting.later_iterations import hide
from enzyme_py.passes.module.requests import has_reverse
from enzyme_py.symbols import HINT


class LoadedPointers(Pass):
    """Let nobody take a pointer that is loaded from new memory for one that leads elsewhere than what was stored there."""

    name = "loaded pointers"

    def applies(self, draft: Draft) -> bool:
        """Tell whether the module asks for reverse mode, and makes memory."""
        return has_reverse(draft.code) and may_allocate(draft.code)

    def run(self, draft: Draft) -> None:
        """Forward what is stored, and hide what may be stored, in all functions."""
        for function in draft.code.functions:
            if function.is_edited or " = load ptr, " in function.body_text:
                left = [load for load in _loads(function) if not _forward(load)]
                found = _confused(function, left) if left else []
                if found:
                    hide(function, found)


def _loads(function: Function) -> list[Load]:
    """Return the loads of pointers from where memory that the function makes begins."""
    return [one for one in function.instructions if isinstance(one, Load) and one.type == "ptr" and _is_made(one.pointer)]


def _is_made(value: Value) -> bool:
    return isinstance(value, Call) and CallEffects(value).is_allocation


def _forward(load: Load) -> bool:
    """Put in place of a load the pointer that has been stored, if there is one store and nobody else may write there; tell whether that was done."""
    users = [one for one in load.pointer.users if not isinstance(one, Load)]
    stores = [one for one in users if isinstance(one, Store) and one.pointer is load.pointer and one.value is not load.pointer]
    others = (one for one in users if one not in stores)
    if len(stores) != 1 or not all(isinstance(one, Call) and one.callee.startswith(HINT) for one in others):
        return False
    (store,) = stores
    if store.value.type != "ptr" or load.is_volatile or load.is_atomic:
        return False
    if not load.function.analysis(Dominators).is_available(store, load):
        return False
    load.replace_with(store.value)
    return True


def _confused(function: Function, loads: list[Load]) -> list[Load]:
    """Return the loads of pointers to what is read by its own name, or written by it behind the load."""
    memory, addresses, flow = PointsTo(function), function.analysis(Addresses), function.analysis(ControlFlow)
    read, written = set[Value](), defaultdict[Value, list[Instruction]](list)
    for one in function.instructions:
        if isinstance(one, Load):
            read.add(addresses.of(one.pointer).base)
        elif isinstance(one, Store):
            written[addresses.of(one.pointer).base].append(one)

    def is_confused(load: Load) -> bool:
        behind = flow.reached_again(load.home)
        for target in memory.targets(load):
            is_known = isinstance(target, (Argument, Call))
            if is_known and (target in read or any(_is_behind(one, load, behind) for one in written.get(target, ()))):
                return True
        return False

    return [load for load in loads if is_confused(load)]


def _is_behind(one: Instruction, load: Load, behind: Collection[Block]) -> bool:
    return one.home in behind or (one.home is load.home and load.comes_before(one))
