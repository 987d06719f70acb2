"""Variables that get a new value between the making of a closure and its use.

In Python a closure sees the new value: it captures the variable. A lifted one (captures.py) has
captured the value. Where the two differ the closure is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from numba.core import ir
from numba.core.analysis import compute_cfg_from_blocks

from enzyme_py.errors import UnsupportedTypeError, Where

_HOLDING = ("build_tuple", "build_list", "cast", "getitem", "static_getitem", "exhaust_iter")


def check_not_rebound(func_ir: Any, statement: ir.Assign, captured: set[str]) -> None:
    """Raise if a captured variable is assigned after `statement` and the closure used then."""
    holders = _holders(func_ir, statement)
    after_rebinding: set[tuple[int, str]] = set()
    before_rebinding: set[int] = set()
    graph = compute_cfg_from_blocks(func_ir.blocks)
    start = next(label for label, block in func_ir.blocks.items() if statement in block.body)
    rest = func_ir.blocks[start].body
    pending = [(start, rest[rest.index(statement) + 1 :], "")]
    while pending:
        label, body, rebound = pending.pop()
        for one in body:
            if one is statement:
                break
            if rebound and not isinstance(one, ir.Del) and _names(one) & holders:
                raise _refusal(statement, rebound, one.loc)
            if isinstance(one, ir.Assign) and one.target.name in captured:
                rebound = one.target.name
        else:
            for following, _ in graph.successors(label):
                is_known = (following, rebound) in after_rebinding
                if is_known or (not rebound and following in before_rebinding):
                    continue
                if rebound:
                    after_rebinding.add((following, rebound))
                else:
                    before_rebinding.add(following)
                pending.append((following, func_ir.blocks[following].body, rebound))


def _holders(func_ir: Any, statement: ir.Assign) -> set[str]:
    """Return the variables that can hold the closure, or a transform of it."""
    holders = {statement.target.name}
    while True:
        more = {
            one.target.name
            for one in _assignments(func_ir)
            if _holds(func_ir, one.value, holders) and one.target.name not in holders
        }
        if not more:
            return holders
        holders |= more


def _holds(func_ir: Any, value: Any, holders: set[str]) -> bool:
    if isinstance(value, ir.Var):
        return value.name in holders
    if not isinstance(value, ir.Expr):
        return False
    if value.op == "make_function":
        given = value.closure
        return isinstance(given, ir.Var) and given.name in holders
    if value.op == "call":
        return bool({one.name for one in value.args} & holders) and _makes_function(func_ir, value)
    return value.op in _HOLDING and bool({one.name for one in value.list_vars()} & holders)


def _makes_function(func_ir: Any, call: ir.Expr) -> bool:
    """Tell whether a call is one of a transform, whose result calls the function later."""
    value = _value_of(func_ir, call.func)
    module = getattr(value, "__module__", None) or ""
    if module.startswith(("enzyme_py", "functools")):
        return getattr(value, "__name__", "") in _TRANSFORMS or hasattr(value, "kernel")
    return False


_TRANSFORMS = ("grad", "value_and_grad", "jacfwd", "jacrev", "hessian", "partial")


def _value_of(func_ir: Any, variable: ir.Var) -> Any:
    """Return the value of a global, or of an attribute of a module; None for anything else."""
    try:
        definition = func_ir.get_definition(variable)
    except KeyError:
        return None
    if isinstance(definition, (ir.Global, ir.FreeVar)):
        return definition.value
    if isinstance(definition, ir.Expr) and definition.op == "getattr":
        return getattr(_value_of(func_ir, definition.value), definition.attr, None)
    return None


def _assignments(func_ir: Any) -> Iterator[ir.Assign]:
    for block in func_ir.blocks.values():
        yield from block.find_insts(ir.Assign)


def _names(statement: Any) -> set[str]:
    return {one.name for one in statement.list_vars()} - (
        {statement.target.name} if isinstance(statement, ir.Assign) else set()
    )


def _refusal(statement: ir.Assign, name: str, loc: Any) -> UnsupportedTypeError:
    name = name.split(".", 1)[0]
    code = statement.value.code
    message = (
        f"`{code.co_name}` captures `{name}`, which gets another value before line {loc.line} "
        "uses the function"
    )
    remedy = f"make the function after `{name}` has its last value, or pass `{name}` to it"
    where = Where(code.co_name, statement.loc.filename, statement.loc.line, None)
    return UnsupportedTypeError(message, where=where, remedy=remedy)
