"""What only reads an array: operations that neither write to it nor hand on its memory.

`Uses` looks at one function of typed Numba IR, in which phis still stand, and answers whether a use
of a variable is such a reading. Whatever it does not know is none.
"""

from __future__ import annotations

import builtins
import operator
from collections import defaultdict
from typing import Any

import numpy as np
from numba.core import ir, types

from enzyme_py.frontend.arrays.growing.liveness import used_names

_NUMBERS = frozenset({"size", "shape", "ndim", "itemsize", "nbytes", "dtype"})
_METHODS = frozenset(
    "sum mean max min prod std var argmax argmin any all copy flatten cumsum cumprod argsort".split()
)
_UNARY = (operator.neg, operator.pos, operator.not_)
_IDENTITIES = (operator.is_, operator.is_not)
JOINERS = (np.concatenate, np.hstack, np.vstack, np.column_stack, np.stack, np.dstack)
# How many of the leading arguments are only read; one behind them may be `out`.
_READERS: dict[Any, int] = {
    **dict.fromkeys((len, enumerate, builtins.iter, builtins.sum, abs), 1),
    **dict.fromkeys((np.sum, np.mean, np.prod, np.max, np.min, np.amax, np.amin), 1),
    **dict.fromkeys((np.std, np.var, np.median, np.argmax, np.argmin, np.any, np.all), 1),
    **dict.fromkeys((np.cumsum, np.cumprod, np.diff, np.sort, np.argsort, np.copy), 1),
    **dict.fromkeys((np.linalg.norm, np.shape, np.size, np.count_nonzero), 1),
    **dict.fromkeys((np.zeros_like, np.ones_like, np.empty_like, np.full_like), 1),
    **dict.fromkeys((np.nansum, np.nanmean, np.nanmax, np.nanmin, np.nanstd, np.nanvar), 1),
    **dict.fromkeys((np.dot, np.vdot, np.outer, np.kron, np.append), 2),
    **dict.fromkeys((np.allclose, np.isclose, np.array_equal, np.searchsorted), 2),
    **dict.fromkeys((np.where, np.interp), 3),
    zip: 16,
}


def callee(typemap: dict[str, Any], call: ir.Expr) -> Any:
    """Return the function of NumPy's or Python's that a call calls, or None."""
    kind = typemap[call.func.name]
    return kind.typing_key if isinstance(kind, types.Function) else None


class Uses:
    """Where each variable of a function is used, and whether that only reads it."""

    def __init__(self, blocks: dict[int, ir.Block], typemap: dict[str, Any]) -> None:
        self._typemap = typemap
        self._statements: dict[str, list[Any]] = defaultdict(list)
        for block in blocks.values():
            for statement in block.body:
                for name in used_names(statement):
                    self._statements[name].append(statement)

    def only_use(self, name: str) -> Any:
        """Return the one statement that uses a variable, or None."""
        found = [one for one in self._statements[name] if not isinstance(one, ir.Del)]
        return found[0] if len(found) == 1 else None

    def is_read_only(self, name: str) -> bool:
        """Tell whether every use of a variable only reads it."""
        return all(self._reads(statement, name) for statement in self._statements[name])

    def _reads(self, statement: Any, name: str) -> bool:
        if isinstance(statement, (ir.Del, ir.Return)):
            return True
        if isinstance(statement, (ir.SetItem, ir.StaticSetItem)):
            # The elements are copied into another array.
            is_array = isinstance(self._typemap[statement.target.name], types.Array)
            index = getattr(statement, "index_var", None) or statement.index
            return is_array and name not in (statement.target.name, getattr(index, "name", None))
        if not isinstance(statement, ir.Assign) or not isinstance(statement.value, ir.Expr):
            return False
        reads = getattr(self, f"_reads_{statement.value.op}", None)
        return reads is not None and reads(statement.value, statement.target.name, name)

    def _reads_phi(self, expression: ir.Expr, target: str, name: str) -> bool:
        return True  # the same variable of the source: its uses are asked for, too

    def _reads_getiter(self, expression: ir.Expr, target: str, name: str) -> bool:
        return True  # of numbers, in one dimension

    def _reads_cast(self, expression: ir.Expr, target: str, name: str) -> bool:
        return isinstance(self.only_use(target), ir.Return)

    def _reads_getattr(self, expression: ir.Expr, target: str, name: str) -> bool:
        if expression.attr in _NUMBERS:
            return True
        use = self.only_use(target)
        value = use.value if isinstance(use, ir.Assign) else None
        is_call = isinstance(value, ir.Expr) and value.op == "call" and value.func.name == target
        return is_call and expression.attr in _METHODS

    def _reads_static_getitem(self, expression: ir.Expr, target: str, name: str) -> bool:
        return isinstance(expression.index, int) and expression.value.name == name

    def _reads_getitem(self, expression: ir.Expr, target: str, name: str) -> bool:
        index = expression.index.name
        is_number = isinstance(self._typemap[index], types.Integer)
        return is_number and index != name and expression.value.name == name

    def _reads_binop(self, expression: ir.Expr, target: str, name: str) -> bool:
        return expression.fn not in _IDENTITIES and self._are_numeric(expression)

    def _reads_inplace_binop(self, expression: ir.Expr, target: str, name: str) -> bool:
        return expression.lhs.name != name and self._are_numeric(expression)

    def _are_numeric(self, expression: ir.Expr) -> bool:
        kinds = [self._typemap[one.name] for one in (expression.lhs, expression.rhs)]
        return all(isinstance(kind, (types.Array, types.Number, types.Boolean)) for kind in kinds)

    def _reads_unary(self, expression: ir.Expr, target: str, name: str) -> bool:
        return expression.fn in _UNARY

    def _reads_build_tuple(self, expression: ir.Expr, target: str, name: str) -> bool:
        """Tell whether the tuple is joined to a new array, or returned."""
        use = self.only_use(target)
        if isinstance(use, ir.Return):
            return True
        if not isinstance(use, ir.Assign) or not isinstance(use.value, ir.Expr):
            return False
        if use.value.op == "cast":
            return self._reads_cast(use.value, use.target.name, target)
        is_call = use.value.op == "call" and callee(self._typemap, use.value) in JOINERS
        return is_call and self._places(use.value, target) == [0]

    def _reads_call(self, expression: ir.Expr, target: str, name: str) -> bool:
        function = callee(self._typemap, expression)
        count = function.nin if isinstance(function, np.ufunc) else _READERS.get(function, 0)
        places = self._places(expression, name)
        return places is not None and all(place < count for place in places)

    def _places(self, call: ir.Expr, name: str) -> list[int] | None:
        """Return at which positions a call takes a variable; None if it takes it otherwise."""
        if any(one.name == name for _, one in call.kws) or call.vararg or call.varkwarg:
            return None
        return [place for place, one in enumerate(call.args) if one.name == name]
