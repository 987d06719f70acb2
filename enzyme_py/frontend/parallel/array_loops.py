"""Array expressions and sums as parallel loops, in functions with `parallel=True` and without `prange`.

    y = np.exp(x) * np.sin(x)        a loop over the elements of y, on threads where there are many
    np.sum, np.mean, np.var, np.std  a reduction; also as methods

Loops over the same elements become one, by Numba's own means. The rest of Numba's list is as in serial code: random numbers (each thread
would have its own), np.dot (BLAS has threads), the minimum and the like (which of several equal elements has the derivative would
depend on the threads), results in Fortran order, and expressions that are known to be small.

Only functions that write to no array, but by making new ones, have such loops. Numba's analysis of aliases misses some, and its own parallel code
is wrong then, without a word: `[y, z][0][0] = 5.0` is lost behind `y = np.cos(x) * 1.0`, `u[1:] += u[:-1]` reads what it has written
(tests/threads/parts/test_array_loops.py shows both). Without writes there is nothing to miss.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba.core import ir, types
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.ir_utils import find_callname, guard
from numba.core.typed_passes import ParforFusionPass, ParforPass, ParforPreLoweringPass
from numba.parfors import parfor

from enzyme_py.frontend.parallel import drivers
from enzyme_py.frontend.parallel.rows import numbas

# NumPy's functions that write to arrays, of those that Numba knows; methods that write to none.
_WRITERS = frozenset("copyto fill_diagonal place put putmask seed shuffle".split())
_READERS = frozenset(
    "all any argmax argmin argsort astype conj conjugate copy cumsum dot flatten item max mean min nonzero prod ravel repeat reshape "
    "std sum take transpose var view".split()
)
_BUILTINS = frozenset("abs bool complex enumerate float int len max min range round slice sum tuple zip".split())
_STATEMENTS = (ir.Assign, ir.Del, ir.Jump, ir.Branch, ir.Return, ir.Raise, ir.StaticRaise)

_SUMS = {key: parfor.swap_functions_map[key, "numpy"] for key in ("sum", "mean", "var", "std")}


@register_pass(mutates_CFG=True, analysis_only=False)
class SumsAsLoops(FunctionPass):  # type: ignore[misc]
    """Puts Numba's parallel loops in the place of sums. Comes first: decides whether the function has any."""

    _name = "enzyme_py_sums_as_loops"

    def __init__(self) -> None:
        FunctionPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        """Do what Numba's PreParforPass does, of sums alone."""
        state.line_of_write = _line_of_write(state)
        if state.line_of_write is not None:
            return False
        loops = {(name, "numpy"): make for name, make in _SUMS.items()}
        parfor.PreParforPass(
            state.func_ir,
            state.typemap,
            state.calltypes,
            state.typingctx,
            state.targetctx,
            state.flags.auto_parallel,
            replace_functions_map=loops,
        ).run()
        return True


@register_pass(mutates_CFG=True, analysis_only=False)
class ArrayLoops(ParforPass):  # type: ignore[misc]
    """Makes loops of array expressions, and of nothing else."""

    _name = "enzyme_py_array_loops"

    def run_pass(self, state: Any) -> bool:
        """Run Numba's pass with our choice."""
        if state.line_of_write is not None:
            return False
        with numbas(parfor, "ConvertNumpyPass", _Converted):
            return bool(super().run_pass(state))


@register_pass(mutates_CFG=True, analysis_only=False)
class FusedLoops(ParforFusionPass):  # type: ignore[misc]
    """Makes one loop of several."""

    _name = "enzyme_py_fused_loops"

    def run_pass(self, state: Any) -> bool:
        """Run Numba's pass where there are loops."""
        return state.line_of_write is None and bool(super().run_pass(state))


@register_pass(mutates_CFG=True, analysis_only=False)
class PreparedLoops(ParforPreLoweringPass):  # type: ignore[misc]
    """Prepares loops for their lowering."""

    _name = "enzyme_py_prepared_loops"

    def run_pass(self, state: Any) -> bool:
        """Run Numba's pass where there are loops."""
        return state.line_of_write is None and bool(super().run_pass(state))


class _Converted(parfor.ConvertNumpyPass):  # type: ignore[misc]
    def _is_supported_npycall(self, expr: Any) -> bool:
        return False

    def _is_C_or_F_order(self, arr_name: Any) -> bool:  # noqa: N802  (Numba's name)
        return bool(self._is_C_order(arr_name))

    def _arrayexpr_to_parfor(self, equiv_set: Any, lhs: Any, arrayexpr: Any, avail_vars: Any) -> Any:
        sizes = equiv_set.get_shape(lhs)
        if sizes is None or _are_few(equiv_set, sizes):
            return ir.Assign(arrayexpr, lhs, lhs.loc)
        return super()._arrayexpr_to_parfor(equiv_set, lhs, arrayexpr, avail_vars)


def _are_few(equiv_set: Any, sizes: Any) -> bool:
    """Tell whether it is known that an array has too few elements for threads."""
    known = [one if isinstance(one, int) else equiv_set.get_equiv_const(one) for one in sizes]
    return None not in known and math.prod(known) < 2 * drivers.LIGHT


def slices_in(state: Any) -> set[str]:
    """Return the names of the arrays that a function has by slicing others."""
    return {
        one.target.name
        for block in state.func_ir.blocks.values()
        for one in block.find_insts(ir.Assign)
        if isinstance(one.value, ir.Expr)
        and one.value.op in ("getitem", "static_getitem")
        and isinstance(state.typemap.get(one.target.name), types.Array)
    }


# -- whether a function writes to arrays


def _line_of_write(state: Any) -> int | None:
    """Return the first line that may write to an array which was there before; None if there is none."""
    lines = [
        one.loc.line
        for block in state.func_ir.blocks.values()
        for one in block.body
        if not isinstance(one, _STATEMENTS) or (isinstance(one, ir.Assign) and _may_write(one.value, state))
    ]
    return min(lines, default=None)


def _may_write(value: Any, state: Any) -> bool:
    if not isinstance(value, ir.Expr):
        return False
    if value.op == "inplace_binop":
        return isinstance(state.typemap[value.lhs.name], types.Array)
    return value.op == "call" and not _only_reads(value, state)


def _only_reads(call: Any, state: Any) -> bool:
    """Tell whether a call writes to none of its arguments: one of numbers, of a ufunc without a result to fill, or one that is known."""
    given = [state.typemap[one.name] for one in (*call.args, *(one for _, one in call.kws))]
    if call.vararg is None and all(isinstance(one, types.Number | types.Boolean) for one in given):
        return True
    function = getattr(state.typemap[call.func.name], "typing_key", None)
    if isinstance(function, np.ufunc):
        return len(given) == function.nin
    name, owner = guard(find_callname, state.func_ir, call) or ("", "")
    if isinstance(owner, ir.Var):
        return name in _READERS and isinstance(state.typemap[owner.name], types.Array)
    if owner == "builtins":
        return name in _BUILTINS
    return owner.split(".", 1)[0] == "numpy" and name not in _WRITERS and all(key != "out" for key, _ in call.kws)
