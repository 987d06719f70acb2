"""What a loop makes by `np.zeros`, or copies, is handed to nobody by the hint that says what is in it.

Symptom: `new = np.zeros(n)` in a loop kept all memory of all iterations, and its shadows: 64 MB for 2,000 steps of 2,000 numbers that
are linear, in place of 64 kB; and the time that it takes to write and read that.

Cause: a block that is filled or copied has a hint in front (frontend/codegen/type_hints.py), a call that takes the pointer. For Enzyme
the memory is handed out by that, and it never makes such memory again in the reverse sweep.

Cure: a hint that says of its parameter that it is neither kept nor read. It is exchanged here, where it is known what is made in a
loop, and not where reverse mode differentiates another derivative: there Enzyme fails an assertion on some code without such memory
that it can do otherwise (tests/passes/memory/test_snapshots.py, second orders of `triangle`).
"""

from __future__ import annotations

from enzyme_py.llvm import Call, Function, Module
from enzyme_py.llvm.analyses.allocations import ALLOCATORS
from enzyme_py.llvm.analyses.loops import Loops
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.symbols import HINT

_HINTS = tuple(f"{HINT}.Float.{kind}" for kind in ("double", "float"))
_OWN = ".unescaped"


class UnescapedBlocks(Pass):
    """Exchange the hints of what loops make."""

    name = "unescaped blocks"

    def applies(self, draft: Draft) -> bool:
        """Tell whether there are such hints."""
        return any(one.name in _HINTS for one in draft.code.declarations)

    def run(self, draft: Draft) -> None:
        """Exchange those of all functions."""
        for function in draft.code.functions:
            for call in [one for one in function.calls if one.callee in _HINTS]:
                if is_made_in_a_loop(call, function.analysis(Loops)):
                    call.set_callee(_unescaped(draft.code, call.callee))


def is_made_in_a_loop(call: Call, loops: Loops) -> bool:
    """Tell whether the first argument of a call is what a loop allocates."""
    target = call.arguments[0]
    return isinstance(target, Call) and target.callee in ALLOCATORS and loops.around(target) is not None


def _unescaped(code: Module, name: str) -> Function:
    """Return the function that says the same, and to which nothing escapes."""
    if code.get(name + _OWN) is None:
        (declared,) = (one for one in code.declarations if one.name == name)
        text = declared.text.replace(f"@{name}(ptr ", f"@{name}{_OWN}(ptr readnone captures(none) ")
        code.add_text(text)
    return code.function(name + _OWN)
