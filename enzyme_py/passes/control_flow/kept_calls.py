"""Functions that O2 has left in calls stay there in Enzyme's own run, in reverse mode.

    for i in range(n):
        t += np.sum(twice(z[:3])) + np.sum(twice(z[1:]))
        v = twice(z[:2])
    return t + np.sum(z * v)                     `twice` makes an array

Symptom: the end of the process, or a wrong gradient without a word: memory that is used behind the loop that makes it.

Cause: in front of Enzyme LLVM's O2 runs once more. What it has not inlined before, it may inline now: the code has become smaller. Whatever
our passes have found out was true of a call. They have not seen the memory that is made in the loop then, nor what is read there,
and another iteration writes over.

Cure: such functions are marked `noinline`. The native stage takes the mark away (native/rewrites/leftovers.py).
"""

from __future__ import annotations

from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.module.requests import has_reverse

_DECIDED = ("alwaysinline", "noinline")


class KeptCalls(Pass):
    """Let no function be inlined that O2 has left."""

    name = "kept calls"

    def applies(self, draft: Draft) -> bool:
        """Tell whether the module asks for reverse mode."""
        return has_reverse(draft.code)

    def run(self, draft: Draft) -> None:
        """Mark the functions that others call."""
        called = {name for function in draft.code.functions for name in function.callees()}
        for function in draft.code.functions:
            if function.name in called and not any(map(function.has_attribute, _DECIDED)):
                function.add_attribute("noinline")
