"""Loops with several exits get one, in reverse mode of reverse mode.

Symptom: reverse over reverse of a loop with a break, or a return inside it, gives wrong numbers without a word, crashes, or
hangs (measured). Forward over reverse and reverse over forward are right on the same kernels.

Cause: the inner reverse sweep of a loop that is left from several of its blocks has several entries, which the outer sweep
gets wrong. A raise is no exit: it does not return.

Cure: such a loop is rewritten as one would by hand, with a flag in its condition (exit_joiner.py). What cannot be rewritten is
refused (checks/nested_exits.py).
"""

from __future__ import annotations

from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.control_flow.exit_joiner import ToMemory, join_exits
from enzyme_py.passes.control_flow.exits import with_several_exits
from enzyme_py.passes.module.requests import has_reverse


class SingleExits(Pass):
    """Give loops one exit each under reverse over reverse."""

    name = "single exits"

    def __init__(self, to_memory: ToMemory) -> None:
        self._to_memory = to_memory

    def applies(self, draft: Draft) -> bool:
        """Tell whether the module asks for reverse mode."""
        return has_reverse(draft.code)

    def run(self, draft: Draft) -> None:
        """Join the exits of loops that two reverse sweeps go through."""
        join_exits(draft, with_several_exits(draft.code), self._to_memory)
