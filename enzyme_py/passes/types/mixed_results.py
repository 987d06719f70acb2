"""Variables that a called function leaves numbers of several types in have a shadow in the forward sweep, too.

    def h(a, x): ...; return x, 40        x, n = h(a, 0.1) in a function that is called itself

    %result = alloca { double, i64 }
    call void @h(ptr %result, ...)
    %x = load double, ptr %result

Symptom: reverse mode was wrong without a word, NaN, ended the process, or never ended, where neither function is inlined: `h` that
returns a number beside a count or a flag, an array beside a number, a tuple in a tuple. Forward mode was right.

Cause: what is read of the variable is a float, so Enzyme takes all of it for floats, whose shadow is of the reverse sweep
alone. In the forward sweep the called function is given none: `undef`. But it stores its integer in the shadow as well, and what
stores to nowhere never runs, to LLVM, nor does what stands in front of it.

Cure: a mark in front of the call that seems to keep the variable (memory/cache_marks.py): both sweeps have the shadow. It costs an
allocation for each call of the caller, and only where that is called itself: Enzyme differentiates others in one piece.
"""

from __future__ import annotations

from collections.abc import Iterator

from enzyme_py.llvm import Alloca, Builder, Call, Function
from enzyme_py.llvm import types as kinds
from enzyme_py.llvm.analyses.points_to import base_of
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.control_flow.exits import is_called
from enzyme_py.passes.memory.cache_marks import declared_mark
from enzyme_py.passes.module.requests import has_reverse


class MixedResults(Pass):
    """Mark variables of floats and of something else that a function of the module is given."""

    name = "mixed results"

    def applies(self, draft: Draft) -> bool:
        """Tell whether a module asks for reverse mode."""
        return has_reverse(draft.code)

    def run(self, draft: Draft) -> None:
        """Mark the variables of all functions that are called."""
        found = [
            (call, variable)
            for function in draft.code.functions
            if function.mentions("alloca") and is_called(function)
            for call in function.calls
            for variable in _mixed_variables(call)
        ]
        for call, variable in found:
            Builder(call).call(declared_mark(draft), [variable], type_="void")


def _mixed_variables(call: Call) -> Iterator[Alloca]:
    """Yield the variables of several types that a call hands to a function with a body."""
    if not isinstance(call.target, Function) or call.target.is_declaration:
        return
    for variable in dict.fromkeys(base_of(one) for one in call.arguments if one.type == "ptr"):
        if isinstance(variable, Alloca) and _is_mixed(variable.allocated_type):
            yield variable


def _is_mixed(type_: str) -> bool:
    floats = [kinds.is_float(leaf) for leaf, _ in kinds.leaves(type_)]
    return any(floats) and not all(floats)
