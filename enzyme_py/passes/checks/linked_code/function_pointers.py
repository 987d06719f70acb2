"""Calls of functions by their addresses are refused in forward mode, if they return numbers.

    static double (*const laws[])(double) = {linear, square};            total += laws[kind](x) * weight;

Symptom: wrong numbers without a word (tests/traps/called_by_address.ll), and in forward over reverse mode an end of the process.

Cause: where the value of such a call is used, Enzyme expects the function to return it beside the tangent; the one that it makes of what the
address belongs to returns the tangent alone. Reverse mode is right.

Cure: a refusal. What LLVM finds out about the address, it has made a plain call by now.
"""

from __future__ import annotations

from enzyme_py.errors import NoDerivativeError
from enzyme_py.llvm import Call, Cast, GlobalValue, GlobalVariable, Load, Value
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.module.requests import Requests

_NUMBAS = "numba_dynamic_globals"
_FLOATS = ("double", "float")


class CheckFunctionPointers(Pass):
    """A refusal of calls by address in forward mode."""

    name = "check function pointers"

    def applies(self, draft: Draft) -> bool:
        """Tell whether a function calls another one by its address."""
        return any(_is_by_address(call) for function in draft.code.functions for call in function.calls)

    def run(self, draft: Draft) -> None:
        """Raise if forward mode meets such a call."""
        requests = Requests(draft.code)
        for one in requests.all():
            reached = set[str]() if one.is_reverse else requests.reached(one.target)
            for function in draft.code.functions:
                if function.name in reached and any(map(_is_by_address, function.calls)):
                    what = "forward mode of a call by the address of a function, which returns a number"
                    remedy = "choose the function by `if` or `switch` in the linked code, or use reverse mode of first order (grad)"
                    raise NoDerivativeError(what, where=draft.where, remedy=remedy)


def _is_by_address(call: Call) -> bool:
    is_known = isinstance(call.target, GlobalValue) or "asm " in call.pieces[0] + call.pieces[-1]
    return not is_known and any(kind in call.type for kind in _FLOATS) and not call.callee and not _is_foreign(call.target)


def _is_foreign(target: Value) -> bool:
    """Tell whether an address is one that Numba keeps, or hands over as an integer: of code that is not in the module, as generators have."""
    while isinstance(target, Cast):
        if target.opcode == "inttoptr":
            return True
        target = target.operands[0]
    return isinstance(target, Load) and isinstance(target.pointer, GlobalVariable) and _NUMBAS in target.pointer.name
