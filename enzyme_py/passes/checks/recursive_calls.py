"""Reverse over reverse of what stays a call is refused, for one run of Enzyme.

Symptom: of 24 kernels that call themselves, six were refused in reverse over reverse and eleven were wrong (measured).

Cause: Enzyme hands the tape of a called function on in a struct, whose slopes it then loses (types/flat_parameters.py).

Cure: the caller takes the derivatives in steps (passes/steps.py), where all is well; where it cannot, this refusal is the
user's.
"""

from __future__ import annotations

from enzyme_py.errors import DerivativeError
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.module.requests import has_reverse, reversed_twice
from enzyme_py.symbols import is_kernel, readable


class CheckRecursiveCalls(Pass):
    """A refusal of calls of kernels that reverse over reverse would read."""

    name = "check recursive calls"

    def applies(self, draft: Draft) -> bool:
        """Tell whether a module asks for reverse mode."""
        return has_reverse(draft.code)

    def run(self, draft: Draft) -> None:
        """Raise if a kernel under reverse over reverse is called by another one there, or by itself."""
        inner = reversed_twice(draft.code)
        for function in draft.code.functions:
            for call in function.calls if function.name in inner else ():
                if call.callee in inner and is_kernel(call.callee):
                    name = readable(call.callee.split(".", 1)[-1])
                    message = f"reverse over reverse of `{name}`, which calls itself or is too large to be inlined"
                    remedy = (
                        "take forward over reverse, jvp of grad, or write the function as a loop"
                    )
                    raise DerivativeError(message, where=draft.where, remedy=remedy)
