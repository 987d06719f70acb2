"""Quotients, roots, logarithms and powers stay in their loop where derivatives are nested, also in Enzyme's own run.

    for i in range(n):                           %none = call double @enzyme_py_inactive.double(double -0.0)
        if b != 0.0:                             %b.held = fadd double %b, %none
            s[i] += a / b                        %q = fdiv double %a, %b.held

Symptom: second derivatives were NaN where a branch is not taken whose quotient divides by zero, in a loop, with reverse mode inside.

Cause: that of held_operations.py: what is the same in all iterations is computed in front of the loop, asked for or not. There O2 is kept
from it. Enzyme lets LLVM prepare the code once more, before it differentiates, and that moves it, too.

Cure: the number of which the slope is steep gets -0.0 added, which changes none, and which LLVM does not see: the call that hides it may not be
made unasked. The native stage takes it away (native/rewrites/leftovers.py). Only for what stands behind a question in a loop, and is
the same in all of its iterations.
"""

from __future__ import annotations

from enzyme_py.llvm import Arithmetic, Builder, Call, Cast, Compare, Instruction, Select, Value
from enzyme_py.llvm.analyses.dominators import Dominators
from enzyme_py.llvm.analyses.loops import Loop, Loops
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.module.opaque import hidden
from enzyme_py.passes.module.requests import nests_derivatives
from enzyme_py.passes.values.held_operations import STEEP, is_steep

_NOTHING = "-0.000000e+00"


class HeldInLoops(Pass):
    """Keep what has an infinite slope somewhere in the loop in which it is asked for."""

    name = "held in loops"

    def applies(self, draft: Draft) -> bool:
        """Tell whether the module nests derivatives."""
        return nests_derivatives(draft.code)

    def run(self, draft: Draft) -> None:
        """Add nothing to the operands of such operations, in all functions."""
        for function in draft.code.functions:
            loops = function.analysis(Loops)
            steep = [one for one in function.instructions if is_steep(one)] if loops.loops else []
            for one in [one for one in steep if _may_be_moved(one, loops)]:
                at, value = Builder(one, keeps_location=True), one.operands[STEEP]
                nothing = hidden(at, at.constant(value.type, _NOTHING), "nothing")
                one.set_operand(STEEP, at.arithmetic("fadd", value, nothing, f"{value.name}.held"))


def _may_be_moved(one: Instruction, loops: Loops) -> bool:
    """Tell whether some loop has an operation in some iterations, and the same in all of them."""
    loop = loops.around(one)
    while loop is not None:
        if _is_conditional(one, loop) and _is_same(one, loop, set()):
            return True
        loop = loop.parent
    return False


def _is_conditional(one: Instruction, loop: Loop) -> bool:
    dominators = one.function.analysis(Dominators)
    return not all(dominators.dominates(one.home, latch) for latch in loop.latches)


def _is_same(value: Value, loop: Loop, seen: set[Value]) -> bool:
    """Tell whether a value may be computed in front of a loop: from what is made there, by what LLVM may do unasked."""
    if loop.is_invariant(value) or value in seen:
        return True
    seen.add(value)
    is_moved = isinstance(value, (Arithmetic, Cast, Compare, Select)) or (isinstance(value, Call) and value.callee.startswith("llvm."))
    return is_moved and isinstance(value, Instruction) and all(_is_same(one, loop, seen) for one in value.operands)
