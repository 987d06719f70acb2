"""Variables that linked code writes numbers to are refused.

    static double work[4];
    double f(double x) { for (int i = 0; i < 4; i++) work[i] = x * i; return sum(work); }

Symptom: the pass crashed ("cast<Ty>() argument of incompatible type"), or said "doesn't have marked shadow global".

Cause: what is stored in a variable has a derivative, for which nobody has memory. A shadow beside the variable would have to be
zero whenever a call begins, and of each thread its own.

Cure: a refusal with the variable's name. What LLVM takes out (a variable that only one function uses, and writes first) is no
variable any more here.
"""

from __future__ import annotations

from enzyme_py.errors import NoDerivativeError
from enzyme_py.llvm import (
    Call,
    Constant,
    Function,
    GlobalVariable,
    Instruction,
    Store,
    Value,
    types,
)
from enzyme_py.llvm.analyses.points_to import origins
from enzyme_py.llvm.naming import global_names
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.symbols import INACTIVE, readable, without_number

_COPIES = ("llvm.memcpy.", "llvm.memmove.")


class CheckVariables(Pass):
    """A refusal of code that writes floats to variables."""

    name = "check variables"

    def run(self, draft: Draft) -> None:
        """Raise if a variable is written to."""
        code = draft.code
        variables = [one for one in code.variables if _may_be_written(one)]
        for function in code.functions if variables else ():
            written = _written(function)
            for one in variables:
                if one.name in written:
                    name = readable(without_number(one.name))
                    what = f"linked code keeps numbers in its variable `{name}`, which has no derivative"
                    remedy = "hand the memory to the function as an argument (a float64[::1]), which has a shadow"
                    raise NoDerivativeError(what, where=draft.where, remedy=remedy)


def _may_be_written(variable: GlobalVariable) -> bool:
    is_plain = variable.kind == "global" and "common" not in variable.words  # those are Numba's environments
    return is_plain and "enzyme_" not in variable.name and INACTIVE not in variable.metadata


def _written(function: Function) -> set[str]:
    """Return the names that stand in the addresses to which a function writes floats."""
    found = set[str]()
    if any(map(function.mentions, ("store ", *_COPIES))):
        for one in function.instructions:
            place = _target(one)
            for start in origins(place) if place is not None else ():
                if isinstance(start, (Constant, GlobalVariable)):
                    found |= global_names(start.ref)
    return found


def _target(one: Instruction) -> Value | None:
    if isinstance(one, Store):
        return one.pointer if any(kind in one.value.type for kind in types.FLOATS) else None
    is_copy = isinstance(one, Call) and one.callee.startswith(_COPIES)
    return one.operands[0] if is_copy else None
