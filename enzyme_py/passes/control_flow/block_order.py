"""Blocks in the order in which they run, for a crash of forward mode.

    %3 = call { i64, i1 } @llvm.smul.with.overflow.i64(i64 %rows, i64 %columns)
    %size = extractvalue { i64, i1 } %3, 0
    store i64 %size, ptr %field       ; of a result that stays a call's: in a block further up in the text

Symptom: Assertion `found == gutils->invertedPointers.end()' failed (np.tile in a function that LLVM does not inline).

Cause: Enzyme goes through the blocks as they stand. For the store it notes a shadow of the number, and does not expect one
where it comes to the number itself, which has none.

Cure: reverse postorder: whatever is used has been come to before.
"""

from __future__ import annotations

from itertools import pairwise

from enzyme_py.llvm.analyses.control_flow import ControlFlow
from enzyme_py.passes.base import Draft, Pass

USED_BEFORE = "found == gutils->invertedPointers.end()"  # words of the crash


class BlockOrder(Pass):
    """Put each block in front of its successors, but for loops."""

    name = "blocks in order"

    def run(self, draft: Draft) -> None:
        """Sort the blocks of all functions; those that are never reached stay behind."""
        for function in draft.code.functions:
            order = function.analysis(ControlFlow).order
            if function.blocks[: len(order)] == order:
                continue
            for before, block in pairwise(order):
                block.move_after(before)
