"""Loops that end nobody knows when, and in which nothing is differentiated, are gone through in reverse, too, if they hold memory.

    for name in NAMES:
        if len(name) == len(word):
            k = 0
            while k < len(word) and name[k] == word[k]:
                k += 1
            if k == len(word):
                break

Symptom: the process ends, or memory of others is freed: Enzyme frees what the inner loop has cached in the first iteration of the outer
one, which may not have come to the inner loop (fluids' `roughness_Farshad`: a tuple of strings is searched; tests/traps/searched_words.ll). So
it does with an array that some iterations make.

Cause: of a loop without a known number of iterations in which nothing is active Enzyme's reverse sweep goes through the first iteration only
("inactive dynamic"): there is nothing to add up. But what an iteration has allocated, or its inner loops have cached, is freed there, by an
address that the first one must have stored.

Cure: all iterations are gone through, by Enzyme's own option. Only in modules with such a loop: the number of iterations is cached for it, and loops
that search alone, as bisection does, would pay for nothing.
"""

from __future__ import annotations

from enzyme_py.llvm.analyses.iterations import usual_end
from enzyme_py.llvm.analyses.loops import Loop, Loops
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.memory.merged_pointers import ALLOCATORS
from enzyme_py.passes.module.requests import has_reverse

_ENDLESS = ("sle", "sge", "ule", "uge")  # where the bound is the last number that there is: LLVM may not know the count
_ALL_ITERATIONS = "--enzyme-inactive-dynamic=0"


class SearchingLoops(Pass):
    """An option for modules with loops whose number of iterations is not known, around loops or allocations."""

    name = "searching loops"

    def applies(self, draft: Draft) -> bool:
        """Tell whether the module asks for reverse mode."""
        return has_reverse(draft.code)

    def run(self, draft: Draft) -> None:
        """Give the option, if need be."""
        for function in draft.code.functions:
            made = [call.home for call in function.calls if call.callee in ALLOCATORS]
            for loop in function.analysis(Loops).loops:
                if (loop.children or any(one in loop for one in made)) and not _is_counted(loop):
                    draft.add_option(_ALL_ITERATIONS)
                    return


def _is_counted(loop: Loop) -> bool:
    """Tell whether LLVM surely knows how often a loop runs, when it is entered."""
    end = usual_end(loop)
    return end is not None and abs(end.counter.step) == 1 and end.predicate not in _ENDLESS
