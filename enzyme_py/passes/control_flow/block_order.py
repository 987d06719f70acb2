"""Blocks in the order in which they run: for a crash of forward mode, and for what is known of memory.

    %3 = call { i64, i1 } @llvm.smul.with.overflow.i64(i64 %rows, i64 %columns)
    %size = extractvalue { i64, i1 } %3, 0
    store i64 %size, ptr %field       ; of a result that stays a call's: in a block further up in the text

Symptom: Assertion `found == gutils->invertedPointers.end()' failed (np.tile in a function that LLVM does not inline).

Cause: Enzyme goes through the blocks as they stand. For the store it notes a shadow of the number, and does not expect one
where it comes to the number itself, which has none.

Cure: reverse postorder: whatever is used has been come to before.

    loop:
      %place = call i64 @enzyme_py_scan.max.float64(ptr nonnull captures(none) %a, i64 %n)
    made:                             ; further down in the text, and run before
      %a = call ptr @calloc(i64 1, i64 %bytes)
      call void @enzyme_py_hint.kept(ptr %a)
    merge:
      %b = phi ptr [ %a, %made ], [ %rest, %loop ]

Symptom: a wrong gradient without a word: `np.max(a)` in a loop that is left early, then `if ...: a = a[1:]` and `a[0] = 0.5`.

Cause: whether `%b` may lead into the memory of `%a` Enzyme decides by who has kept that pointer before. It looks at the users as they
stand in the text, and at the first call that does not keep it, it stops: nobody has (`notCapturedBefore`). So a write
through `%b` overwrites nothing that is read through `%a`, and what is read there is read again in the reverse sweep.
What keeps the pointer stands behind the allocation, a mark (memory/cache_marks.py) or a store to the array's header, and
comes too late.
Trap: tests/traps/kept_below.ll.

Cure: the same order. Who keeps memory is the first of its users.
"""

from __future__ import annotations

from itertools import pairwise

from enzyme_py.llvm import Function
from enzyme_py.llvm.analyses.control_flow import ControlFlow
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.memory.merged_pointers import may_allocate
from enzyme_py.passes.module.requests import has_reverse

USED_BEFORE = "found == gutils->invertedPointers.end()"  # words of the crash


class BlockOrder(Pass):
    """Put each block in front of its successors, but for loops."""

    name = "blocks in order"

    def run(self, draft: Draft) -> None:
        """Sort the blocks of all functions."""
        for function in draft.code.functions:
            _sort(function)


class AllocationsFirst(Pass):
    """The same, of functions that allocate."""

    name = "allocations first"

    def applies(self, draft: Draft) -> bool:
        """Tell whether the module asks for reverse mode."""
        return has_reverse(draft.code)

    def run(self, draft: Draft) -> None:
        """Sort the blocks of these functions."""
        for function in draft.code.functions:
            if may_allocate(function):
                _sort(function)


def _sort(function: Function) -> None:
    """Put blocks in reverse postorder; those that are never reached stay behind."""
    order = function.analysis(ControlFlow).order
    if function.blocks[: len(order)] != order:
        for before, block in pairwise(order):
            block.move_after(before)
