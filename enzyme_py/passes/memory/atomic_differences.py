"""Numbers that threads take away from a sum are added to it with the other sign.

    #pragma omp atomic
    rest -= x[i];                  atomicrmw fsub ptr %rest, double %x        ->        atomicrmw fadd ptr %rest, double -%x

Symptom: reverse mode has the wrong sign, without a word (tests/traps/taken_away.ll).

Cause: Enzyme has one rule for both, that of the sum.
"""

from __future__ import annotations

from enzyme_py.llvm import Builder
from enzyme_py.passes.base import Draft, Pass

_DIFFERENCE = "atomicrmw fsub "


class AtomicDifferences(Pass):
    """Atomic sums in place of atomic differences."""

    name = "atomic differences"

    def run(self, draft: Draft) -> None:
        """Turn the signs in all functions."""
        for function in draft.code.functions:
            for one in list(function.instructions) if function.mentions(_DIFFERENCE) else ():
                if one.pieces[0].startswith(_DIFFERENCE):
                    negative = Builder(one, keeps_location=True).fneg(one.operands[1], "taken")
                    one.pieces[0] = one.pieces[0].replace("fsub", "fadd", 1)
                    one.set_operand(1, negative)
