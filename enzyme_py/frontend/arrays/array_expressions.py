"""Array expressions with one parameter for each array, in the order of the names.

    y / (1.5 + y * y)

Numba makes a function of numbers from that, and calls it for each element. It means to give each variable one parameter
but compares objects: here are three. Their order is that of a set, by the addresses of these objects, so the
same kernel becomes another module from one compilation to the next: what is kept on disk is not found again. And each
parameter is a load of its own, which Enzyme looks at three times.
"""

from __future__ import annotations

from typing import Any

from numba.core import ir
from numba.np.ufunc.array_exprs import _lower_array_expr


def lower_array_expression(lowerer: Any, expression: Any) -> Any:
    """Lower an array expression as Numba does, with one object for each variable."""
    one_each = _with_one_each(expression.expr, {})
    own = ir.Expr("arrayexpr", expression.loc, expr=one_each, ty=expression.ty)
    return _lower_array_expr(lowerer, own)


def _with_one_each(part: Any, variables: dict[str, Any]) -> Any:
    if isinstance(part, ir.Var):
        return variables.setdefault(part.name, part)
    if isinstance(part, (tuple, list)):
        return type(part)(_with_one_each(one, variables) for one in part)
    return part
