"""How often a loop of a called function runs is cached as it is, if it is computed from what the function reads, in reverse mode.

    n = size[0]                       %n = load i64, ptr %size
    for j in range(n - 1 - i):  -->   %count = ...
        data[j] = data[j + 1]         %count.read = call i64 @enzyme_py_inactive.left_i64(i64 %count)
    size[0] = n - 1

Symptom: a wrong gradient without a word, or the end of the process: two `pop(i)` of one typed list.

Cause: a function that is called has a tape of its own. Enzyme writes down which of the numbers between `n` and `count` is on it by what the
reverse sweep asks for; how often the loop runs it then computes from `n` all the same, and reads it again, where another number may be by then.
Trap: tests/traps/read_bound.ll.

Cure: the number goes through a function that Enzyme cannot run twice (opaque.py), and everybody takes it from there: so it is on the tape itself.
"""

from __future__ import annotations

from collections.abc import Iterator

from enzyme_py.llvm import Call, Function, Instruction, Load, Phi, Value
from enzyme_py.llvm.analyses.loops import Loop, Loops
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.control_flow.exits import is_called, is_plain
from enzyme_py.passes.control_flow.places import Places
from enzyme_py.passes.module.opaque import cached_copy
from enzyme_py.passes.module.requests import has_reverse

_COMPUTED = frozenset("add sub mul shl lshr ashr sdiv udiv and or xor select freeze sext zext trunc".split())
_INTRINSICS = ("llvm.smin.", "llvm.smax.", "llvm.umin.", "llvm.umax.")


class ReadBounds(Pass):
    """Cache the bounds of loops of called functions."""

    name = "read bounds"

    def applies(self, draft: Draft) -> bool:
        """Tell whether the module asks for reverse mode."""
        return has_reverse(draft.code)

    def run(self, draft: Draft) -> None:
        """Cache them in all functions that are called."""
        for function in draft.code.functions:
            if is_called(function) and len(function.blocks) > 2 and is_plain(function):
                places = Places(function)
                for bound in dict.fromkeys(_bounds(function)):
                    users = list(bound.users)
                    copy = cached_copy(places.behind(bound), bound, f"{bound.name}.read")
                    for user in users:
                        user.replace_operand(bound, copy)


def _bounds(function: Function) -> Iterator[Instruction]:
    """Yield where counters begin and end, if that is computed from what is read outside of the loop."""
    for loop in function.analysis(Loops).loops:
        for value in _ends(loop):
            if isinstance(value, Instruction) and loop.is_invariant(value) and _is_read(value, set()):
                yield value


def _ends(loop: Loop) -> Iterator[Value]:
    for block in loop.exiting:
        count = loop.trip_count(block)
        if count is not None:
            yield from (count.bound, count.counter.start)


def _is_read(value: Value, seen: set[Value]) -> bool:
    if isinstance(value, Load):
        return True
    if not isinstance(value, Instruction) or isinstance(value, Phi) or value in seen:
        return False
    seen.add(value)
    is_intrinsic = isinstance(value, Call) and value.callee.startswith(_INTRINSICS)
    return (is_intrinsic or value.opcode in _COMPUTED) and any(_is_read(one, seen) for one in value.operands)
