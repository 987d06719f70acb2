"""In nested derivatives what a `pick` gives is a constant wherever Enzyme meets it.

    %y = call double @enzyme_py_slope.pick.double(double %smooth, double %value)

Symptom: third derivatives were NaN at zero of functions whose derivatives we write (tanh, sinh, erf), in loops whose number of
iterations is not known (found by the fuzzer).

Cause: to Enzyme `pick` is fmod, whose derivative by the value is minus the whole part of the quotient: NaN of zero by zero. The value
is a constant. But the inner derivative keeps it, or what it is computed from, in a cache, and what is read from a cache is no constant to the
outer derivatives, though its tangent is zero. One of two outer forward modes has no strong zero, and there NaN times zero is NaN.

Cure: the value goes through a function without a derivative that is called again wherever its result is needed, so also behind the cache:

    %y.again = call double @enzyme_py_inactive.again_double(double %value)
    %y = call double @enzyme_py_slope.pick.double(double %smooth, double %y.again)

A single derivative never asks for that slope.
"""

from __future__ import annotations

from enzyme_py.llvm import Builder, Constant
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.values.picks import as_constant_again, is_pick

_VALUE = 2  # of the operands, of which the first is the callee


class PickedConstants(Pass):
    """Let the values of picks go through a barrier that is passed again behind a cache."""

    name = "picked constants"

    def run(self, draft: Draft) -> None:
        """Put a barrier in front of each value that is no number."""
        picks = [one for function in draft.code.functions for one in function.calls if is_pick(one)]
        for one in picks:
            value = one.arguments[1]
            if not isinstance(value, Constant):
                again = as_constant_again(Builder(one, keeps_location=True), value, f"{one.name}.again")
                one.set_operand(_VALUE, again)
