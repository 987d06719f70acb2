"""Adds of a reverse loop to memory, behind a block of iterations.

    for i in range(1, n - 1):                       for each block of 64 iterations:
        d = dnew[i]; dnew[i] = 0                        for i: d = dnew[i]; dnew[i] = 0
        du[i - 1] += c * d                                     one[i] = c * d
        du[i] += -2 * c * d                                    two[i] = -2 * c * d
        du[i + 1] += c * d                              for i: du[i] += one[i + 1] + two[i] + one[i - 1]

Symptom: gradients of stencils took 8 to 15 times the primal, and 4 to 8 times an adjoint that gathers by hand.

Cause: where the primal reads neighbours, the reverse sweep adds to them. Each iteration reads what the one before has
written, so LLVM cannot make vectors of it, though the order of these additions is nobody's promise.

Cure: what is to be added goes to small arrays on the stack, and is added behind a block of iterations. Each of the loops
is one that LLVM makes vectors of. What is added to one number in all iterations is summed in a register. Where it is a few operations,
it is made once more for each number, without small arrays (gathers.py).

The same numbers are added, in another order. Done for innermost loops of one block in reverse sweeps (plans.py), where

* the loop counts by one, and its other loop-carried values are sums;
* all addresses step with the loop by a known number of bytes, and calls touch no memory;
* two adds go to the same array at different places, or one goes to the same place each time;
* nothing else that the loop reads or writes is where the adds go: told while running, by the ends of both (conditions.py).
  Where it is, and where there are few iterations, the loop runs as it was.

The choice of a strong zero (0 times infinity adds nothing) is left out of the blocks for factors that are the same in
all iterations: that they are finite is asked in front of the loop.
"""

from __future__ import annotations

from enzyme_py.llvm import Module
from enzyme_py.llvm.analyses.loops import Loops
from enzyme_py.native.rewrites.sums.blocks import Buffers, carry_out
from enzyme_py.native.rewrites.sums.exits import compare_counter
from enzyme_py.native.rewrites.sums.forwarded_stores import load_again
from enzyme_py.native.rewrites.sums.gathers import choose_gathers
from enzyme_py.native.rewrites.sums.plans import plan_for
from enzyme_py.native.rewrites.sums.reverse_sums import is_reverse


def separate_adds(code: Module) -> bool:
    """Rewrite all such loops of a module; tell whether there was any."""
    found = False
    for function in code.functions:
        buffers = Buffers(function)
        for block in [one for one in function.blocks if is_reverse(one) and one in one.successors]:
            loop = function.analysis(Loops).headed_by(block)
            if loop is None or len(loop.blocks) != 1:
                continue
            compare_counter(loop)
            if load_again(function, loop):
                loop = function.analysis(Loops).headed_by(block)
                assert loop is not None
            plan = plan_for(function, loop)
            if plan is not None:
                carry_out(choose_gathers(plan), buffers)
                found = True
    return found
