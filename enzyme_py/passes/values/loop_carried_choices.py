"""Numbers that a loop carries by a choice or a quotient, in reverse mode.

    q = max(q, x[i])        %q = phi [ first ], [ %next ];  %next = select %c, %item, %q
    s = s / x[i]            %s = phi [ first ], [ %next ];  %next = fdiv %s, %item

Symptom: with `t += q` or `t += s` in the loop, gradients were wrong without a word (measured).

Cause: where such a phi has no other use, Enzyme gives the derivative of what the loop ends with to the item that was
chosen last, and to the first number, or divides it by the product of all items. That is right only if no iteration uses
what it made.

Cure: there the number goes into the next iteration times one, and the one is hidden from LLVM until Enzyme is through:

    %one = call double @enzyme_py_inactive.double(double 1.0)
    %next.carried = fmul double %next, %one

A choice that no iteration uses (the maximum of an array) keeps Enzyme's way, which needs no memory. Quotients never do: a
second derivative uses what the first one did not.
"""

from __future__ import annotations

from enzyme_py.llvm import Builder, Function, Instruction, Phi, Select, Value
from enzyme_py.llvm.analyses.loops import Loop
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.module.opaque import hidden
from enzyme_py.passes.module.requests import has_reverse
from enzyme_py.passes.values.live_outs import LiveOuts

_FLOATS = ("double", "float")


class LoopCarriedChoices(Pass):
    """Hand choices and quotients on as products, where Enzyme would take its short way wrongly."""

    name = "loop-carried choices"

    def applies(self, draft: Draft) -> bool:
        """Tell whether the module asks for reverse mode."""
        return has_reverse(draft.code)

    def run(self, draft: Draft) -> None:
        """Look at the phis of all loops."""
        for function in draft.code.functions:
            live_outs = function.analysis(LiveOuts)
            loops = live_outs.loops.loops if live_outs.loops is not None else []
            found = {
                phi: carried
                for loop in loops
                for phi in loop.phis
                if phi.type in _FLOATS and (carried := _wrongly_carried(phi, loop)) is not None
            }
            _multiply(function, found)


def _wrongly_carried(phi: Phi, loop: Loop) -> Instruction | None:
    """Return what goes into the next iteration by a phi, if Enzyme would take the short way wrongly."""
    carried = set(loop.carried(phi))
    value = carried.pop()
    if carried or not isinstance(value, Instruction):
        return None
    if value.opcode == "fdiv":
        return value if value.operands[0] is phi else None
    if not isinstance(value, Select) or phi not in value.arms:
        return None
    is_used = any(user in loop for user in value.users if user is not phi)
    return value if is_used else None


def _multiply(function: Function, found: dict[Phi, Instruction]) -> None:
    """Let values go into the next iteration times one."""
    ones: dict[str, Value] = {}
    start = Builder.at_start(function.entry)
    for kind in sorted({phi.type for phi in found}):
        ones[kind] = hidden(start, start.constant(kind, "1.0"), f"one.{kind}")
    for phi, value in found.items():
        product = Builder.after(value).arithmetic(
            "fmul", value, ones[phi.type], f"{value.name}.carried"
        )
        phi.replace_operand(value, product)
