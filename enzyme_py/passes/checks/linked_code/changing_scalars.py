"""Routines of BLAS and LAPACK that take numbers by address are refused where such a number changes, in reverse mode.

    for (k = 0; k < n; k++) { alpha = x[k]; dgemm_("N", "N", &m, &m, &m, &alpha, ...); }

Symptom: wrong gradients without a word; of a letter ('U', 'N') that lies in memory from elsewhere, an assertion of the pass ("Inserted value
must match indexed type").

Cause: in the reverse sweep Enzyme reads what the addresses lead to then, which is what another iteration has left there. What others may
write it keeps, and of a letter it takes the wrong type.

Cure: a refusal. A number that is written once, outside of loops, or that is constant, is right. Numba's products hand theirs over by value, and
the routines that need no library are loops (frontend/external/linked_blas.py).
"""

from __future__ import annotations

import re

from enzyme_py.errors import NoDerivativeError
from enzyme_py.llvm import (
    Alloca,
    Call,
    Constant,
    Function,
    GlobalVariable,
    Store,
    Value,
    types,
)
from enzyme_py.llvm.analyses.cycles import Cycles
from enzyme_py.llvm.analyses.points_to import derived, origins
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.module.requests import has_reverse

_BY_ADDRESS = re.compile(
    r"[sdcz](dot[uc]?|axpy|scal|nrm2|asum|gemm|symm|syr2k|trmv|trmm|trsm|trtrs|potr[fsi]|getr[fs]|lacpy)_(64_)?"
)
_LETTERS = {"symm": 2, "trmm": 4, "trtrs": 3, "potrf": 1, "potri": 1, "potrs": 1, "lacpy": 1}  # in front; those of gemm are right


class CheckChangingScalars(Pass):
    """A refusal of such routines with numbers that change."""

    name = "check changing scalars"

    def applies(self, draft: Draft) -> bool:
        """Tell whether a module calls any, and differentiates in reverse."""
        return any(_BY_ADDRESS.fullmatch(one.name) for one in draft.code.declarations) and has_reverse(draft.code)

    def run(self, draft: Draft) -> None:
        """Raise if one is handed a number that changes."""
        for function in draft.code.functions:
            for call in function.calls:
                if not _BY_ADDRESS.fullmatch(call.callee):
                    continue
                if any(_changes(function, one) for one in call.arguments):
                    what = f"`{call.callee}` of a number by address that changes, in a loop or from call to call"
                    remedy = "write the routine as a loop there, link its own code under another name, or give each call variables of its own outside of loops"
                    raise NoDerivativeError(what, where=draft.where, remedy=remedy)
                if not all(map(_is_own, _letters(call))):
                    what = f"`{call.callee}` of a letter that lies in memory from elsewhere"
                    remedy = "hand over letters as constants of the linked code, or as local variables"
                    raise NoDerivativeError(what, where=draft.where, remedy=remedy)


def _letters(call: Call) -> list[Value]:
    """Return the letters of a call, by address."""
    found = _BY_ADDRESS.fullmatch(call.callee)
    return list(call.arguments)[: _LETTERS.get(found[1], 0)] if found else []


def _is_own(letter: Value) -> bool:
    """Tell whether nobody else can write a letter."""
    return all(isinstance(one, (Alloca, Constant, GlobalVariable)) for one in origins(letter))


def _changes(function: Function, given: object) -> bool:
    """Tell whether an argument is a variable of one number that is written more often than once."""
    if not isinstance(given, Alloca) or types.is_array(given.allocated_type) or types.is_struct(given.allocated_type):
        return False
    users = {user for one in derived(given) for user in one.users}
    stores = [one for one in users if isinstance(one, Store)]
    if any(one.value is given for one in stores) or len(stores) > 1:
        return not _is_written_alike(stores)
    cycles = function.analysis(Cycles)
    return any(cycles.depth(one) and not isinstance(one.value, Constant) for one in stores)


def _is_written_alike(stores: list[Store]) -> bool:
    return all(isinstance(one.value, Constant) for one in stores) and len({one.value.ref for one in stores}) == 1
