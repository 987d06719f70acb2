"""A block that is moved over itself goes through memory of its own, where something is differentiated in reverse.

    memmove(x, x + 1, 8 * (n - 1));        C++'s `std::move`, `erase` of a vector

Symptom: a wrong gradient without a word, where the block moves down: tests/traps/moved_down.ll. In C++ that is linked in
(`link_ir`); Numba writes no such moves, and ours have derivatives of their own (rules/copies.py).

Cause: Enzyme's adjoint of a move goes up through the numbers, adds each to its source and clears it. Of a block that moves down the
source of one number is the place of the next, which then hands on what it has just been given.

Cure: `memcpy` to new memory, and from there. Behind the last O2, which would make one move of both.
"""

from __future__ import annotations

from enzyme_py.llvm import Argument, Builder, Call, Instruction
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.memory.merged_pointers import MergedPointers
from enzyme_py.passes.module.requests import has_reverse

_MOVE = "llvm.memmove."
_COPY = "llvm.memcpy.p0.p0.i64"


class OverlappingMoves(Pass):
    """New memory between the two ends of a move that may overlap."""

    name = "overlapping moves"

    def applies(self, draft: Draft) -> bool:
        """Tell whether blocks are moved, and something is differentiated in reverse."""
        moves = any(one.name.startswith(_MOVE) for one in draft.code.declarations)
        return moves and has_reverse(draft.code)

    def run(self, draft: Draft) -> None:
        """Exchange the moves of all functions."""
        for function in draft.code.functions:
            for call in [one for one in function.calls if one.callee.startswith(_MOVE)]:
                if call.arguments[3].ref == "false" and not _is_apart(call):
                    _through_new_memory(call)


def _is_apart(move: Call) -> bool:
    to, source = move.arguments[:2]
    if not all(isinstance(one, (Instruction, Argument)) for one in (to, source)):
        return True  # a global: constants are not written, and variables are not differentiated (checks/linked_code/variables.py)
    return bool(move.function.analysis(MergedPointers).are_apart(to, source))


def _through_new_memory(move: Call) -> None:
    to, source, size, volatile = move.arguments
    code, at = move.module, Builder(move, keeps_location=True)
    copy = code.declare(_COPY, "void", ["ptr", "ptr", "i64", "i1 immarg"])
    between = at.call(code.declare("malloc", "noalias ptr", ["i64"]), [size])
    at.call(copy, [between, source, size, volatile])
    at.call(copy, [to, between, size, volatile])
    at.call(code.declare("free", "void", ["ptr"]), [between])
    move.erase()
