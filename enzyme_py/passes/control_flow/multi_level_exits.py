"""Loops that one edge leaves together with the loop around them (a return in the inner loop) get one exit each.

Symptom: reverse mode gives wrong numbers without a word, or crashes (measured), for a return or a break of the outer loop
in an inner one. Reverse mode of a derivative goes wrong as well where a break of the inner loop decides one of the outer loop.

Cause: behind such an exit Enzyme has to find values of the inner loop again. What it cached it finds, such as a sum. What it
rematerialises from the loop's counter, it computes as if the inner loop had run to its end. Memory of that loop it frees
twice.

Cure: one exit for each loop (exit_joiner.py), with which all of it is right. Telling apart which functions would be right
as they are was tried, and missed one in twenty random kernels (tests/fuzz/scalars.py). A raise is no exit: it
does not return. A loop that is entered at several blocks cannot be rewritten: such functions are refused.
"""

from __future__ import annotations

from enzyme_py.errors import DerivativeError
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.control_flow.exit_joiner import ToMemory, join_exits
from enzyme_py.passes.control_flow.exits import may_have_multi_level_exits, with_multi_level_exits
from enzyme_py.passes.module.requests import has_reverse
from enzyme_py.symbols import readable


class MultiLevelExits(Pass):
    """Give loops one exit each where one edge leaves several of them."""

    name = "multi-level exits"

    def __init__(self, to_memory: ToMemory) -> None:
        self._to_memory = to_memory

    def applies(self, draft: Draft) -> bool:
        """Tell whether a loop is left by several edges in a module that asks for reverse mode; also before O2."""
        return _applies(draft)

    def run(self, draft: Draft) -> None:
        """Join the exits of the functions that reverse mode would get wrong."""
        join_exits(draft, with_multi_level_exits(draft.code), self._to_memory)


class CheckMultiLevelExits(Pass):
    """A refusal of the multi-level exits that could not be rewritten."""

    name = "check multi-level exits"

    def applies(self, draft: Draft) -> bool:
        """Tell whether a loop is left by several edges in a module that asks for reverse mode."""
        return _applies(draft)

    def run(self, draft: Draft) -> None:
        """Raise if a function still leaves nested loops at once: one with loops that are entered at several blocks."""
        for name in sorted(one.name for one in with_multi_level_exits(draft.code)):
            message = (
                f"reverse mode of `{readable(name.split('.', 1)[-1])}`, which leaves nested loops at once (a "
                "return or a break) and enters one of them at several places"
            )
            remedy = (
                "Enzyme would get this wrong. Keep the place in a variable, with a flag in the conditions "
                "of both loops, and use it behind them, or take forward mode outermost"
            )
            raise DerivativeError(message, where=draft.where, remedy=remedy)


def _applies(draft: Draft) -> bool:
    return has_reverse(draft.code) and may_have_multi_level_exits(draft.code)
