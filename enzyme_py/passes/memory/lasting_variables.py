"""Variables on the stack last as long as their function, in reverse mode.

Symptom: a wrong gradient without a word (`np.outer(c, v)` in a loop, with v a part of every second number, where a second
np.outer keeps LLVM from inlining the copy that it makes). Or the interpreter dies, or says MemoryError
(`np.reshape(y, (n, k, m))` in a loop; tests/traps/variable_of_a_loop.ll). All measured.

Cause: inlining tells of each variable where it begins and ends (`llvm.lifetime.start`), also inside of a loop. A variable
that begins there Enzyme takes for made anew in each iteration, and for one that the reverse sweep can fill
again: it stores again what was stored. What a call has left in the variable is not stored again: the pointer of the
last iteration's shadow served all iterations. And what is read from such a variable, Enzyme reads where it needs it, also
in front of the loop, where nothing has been stored yet. A trip count that comes from there is whatever the stack
held, and the tape is made of that size.

Cure: the marks of beginnings and ends are dropped. Then Enzyme caches what was read from the variable: one number for each
read.
"""

from __future__ import annotations

from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.module.requests import has_reverse

_BEGIN, _END = "llvm.lifetime.start.p0", "llvm.lifetime.end.p0"


class LastingVariables(Pass):
    """Drop what tells where variables begin and end."""

    name = "lasting variables"

    def applies(self, draft: Draft) -> bool:
        """Tell whether the module asks for reverse mode and has variables that begin somewhere."""
        return draft.code.get(_BEGIN) is not None and has_reverse(draft.code)

    def run(self, draft: Draft) -> None:
        """Erase all such calls."""
        for mark in draft.code.calls_of(_BEGIN, _END):
            mark.erase()
