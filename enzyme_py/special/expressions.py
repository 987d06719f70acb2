"""The derivative of an expression of the table, as an expression.

    derivative("0.5 * (jv(v - 1, x) - jv(v + 1, x))", "x")
    -> "0.5 * (jv__1(v - 1, x) - jv__1(v + 1, x))"

A call of a row becomes a call of its derivative: `jv__1` is that of jv by its second argument, `jv__11` the second one.
Branches are differentiated each by itself; conditions are constant.
"""

from __future__ import annotations

import ast
from typing import Any

# Elementary functions of one argument, with their derivatives by it.
ELEMENTARY = {
    "exp": "exp(x)",
    "log": "1.0 / x",
    "log1p_": "1.0 / (1.0 + x)",
    "sqrt": "0.5 / sqrt(x)",
    "sin": "cos(x)",
    "cos": "-sin(x)",
    "sinh": "cosh(x)",
    "cosh": "sinh(x)",
    "abs": "sign(x)",
    "sign": None,
    "floor": None,
}
SEPARATOR = "__"
NONE = "_none__"


def derivative(text: str, name: str) -> str:
    """Return the derivative of an expression by one of its names."""
    found = _of(ast.parse(text, mode="eval").body, name)
    return "0.0" if found is None else ast.unparse(ast.fix_missing_locations(found))


def defined(text: str, name: str, scope: dict[str, Any]) -> Any:
    """Return the function that a text defines, with names from `scope`; it counts as one of this package."""
    scope["__name__"] = __name__
    exec(text, scope)  # noqa: S102  (made of the table)
    return scope[name]


def calls(text: str) -> set[str]:
    """Return the names of the functions that an expression calls."""
    return {
        one.func.id
        for one in ast.walk(ast.parse(text))
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Name)
    }


def split(name: str) -> tuple[str, str]:
    """Return the row and the arguments of a derivative's name: ("jv", "11") of `jv__11`."""
    base, _, numbers = name.rpartition(SEPARATOR)
    return (base, numbers) if base and numbers.isdigit() else (name, "")


def joined(base: str, numbers: str) -> str:
    """Return the name of a derivative: of mixed ones, that in the order of arguments."""
    return f"{base}{SEPARATOR}{''.join(sorted(numbers))}" if numbers else base


def without_division(text: str) -> str:
    """Return an expression with calls of `divide` for divisions: complex ones by zero must not raise."""
    tree = _Divisions().visit(ast.parse(text, mode="eval"))
    return ast.unparse(ast.fix_missing_locations(tree))


class _Divisions(ast.NodeTransformer):
    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        return _call("divide", node.left, node.right) if isinstance(node.op, ast.Div) else node


def _of(node: ast.expr, name: str) -> ast.expr | None:
    """Return the derivative; None for zero."""
    match node:
        case ast.Constant():
            return None
        case ast.Name(id=found):
            return ast.Constant(1.0) if found == name else None
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _negative(_of(operand, name))
        case ast.BinOp():
            return _of_operation(node, name)
        case ast.IfExp(test=test, body=body, orelse=other):
            arms = [_of(one, name) for one in (body, other)]
            if arms == [None, None]:
                return None
            first, second = (ast.Constant(0.0) if one is None else one for one in arms)
            return ast.IfExp(test, first, second)
        case ast.Call(func=ast.Name(id=called), args=given):
            return _of_call(called, given, name)
    message = f"no derivative of {ast.unparse(node)}"
    raise NotImplementedError(message)


def _of_operation(node: ast.BinOp, name: str) -> ast.expr | None:
    left, right = node.left, node.right
    by_left, by_right = _of(left, name), _of(right, name)
    match node.op:
        case ast.Add():
            return _sum(by_left, by_right)
        case ast.Sub():
            return _sum(by_left, _negative(by_right))
        case ast.Mult():
            return _sum(_product(by_left, right), _product(by_right, left))
        case ast.Div():
            quotient = None if by_left is None else ast.BinOp(by_left, ast.Div(), right)
            square = ast.BinOp(right, ast.Mult(), right)
            rest = None if by_right is None else ast.BinOp(left, ast.Div(), square)
            return _sum(quotient, _negative(_product(by_right, rest)))
        case ast.Pow():
            if by_left is None and by_right is None:
                return None
            lower = ast.BinOp(left, ast.Pow(), ast.BinOp(right, ast.Sub(), ast.Constant(1)))
            by_base = _product(by_left, ast.BinOp(right, ast.Mult(), lower))
            return _sum(
                by_base, _product(by_right, ast.BinOp(node, ast.Mult(), _call("log", left)))
            )
    message = f"no derivative of {ast.unparse(node)}"
    raise NotImplementedError(message)


def _of_call(called: str, given: list[ast.expr], name: str) -> ast.expr | None:
    by = [_of(one, name) for one in given]
    if called in ELEMENTARY:
        text = ELEMENTARY[called]
        if by[0] is None or text is None:
            return None
        return _product(by[0], _substituted(text, given[0]))
    base, numbers = split(called)
    total: ast.expr | None = None
    for number, one in enumerate(by):
        if one is not None:
            total = _sum(total, _product(one, _call(joined(base, f"{numbers}{number}"), *given)))
    return total


def _substituted(text: str, value: ast.expr) -> ast.expr:
    class Put(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.AST:
            return value if node.id == "x" else node

    found = Put().visit(ast.parse(text, mode="eval").body)
    assert isinstance(found, ast.expr)
    return found


def _call(name: str, *given: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(name, ast.Load()), list(given), [])


def _negative(node: ast.expr | None) -> ast.expr | None:
    return None if node is None else ast.UnaryOp(ast.USub(), node)


def _sum(left: ast.expr | None, right: ast.expr | None) -> ast.expr | None:
    if left is None or right is None:
        return right if left is None else left
    return ast.BinOp(left, ast.Add(), right)


def _product(left: ast.expr | None, right: ast.expr | None) -> ast.expr | None:
    if left is None or right is None:
        return None
    if isinstance(left, ast.Constant) and left.value == 1.0:
        return right
    return ast.BinOp(left, ast.Mult(), right)
