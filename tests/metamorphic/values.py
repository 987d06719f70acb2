"""Rewrites of expressions: named, no longer named, computed by a function."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator

from tests.metamorphic.forms import Form, chosen, loaded, statements

_KINDS = (ast.Call, ast.BinOp, ast.Subscript, ast.UnaryOp)
_NO_VALUES = {
    "range",
    "prange",
    "enumerate",
    "zip",
    "reversed",
    "literal_unroll",
    "ndindex",
    "nditer",
}
_HEADS = {
    ast.Assign: "value",
    ast.AugAssign: "value",
    ast.Return: "value",
    ast.If: "test",
    ast.For: "iter",
}


def named(form: Form, drawn: random.Random) -> bool:
    """Give a part of an expression a name."""
    found = _part(form, drawn)
    if found is None:
        return False
    block, place, part = found
    name = form.fresh("part")
    block.insert(place, statements(f"{name} = {ast.unparse(part)}")[0])
    _put(block[place + 1], part, name)
    return True


def by_function(form: Form, drawn: random.Random) -> bool:
    """Compute a part of an expression by a compiled function."""
    return _by(form, drawn, inside=False)


def by_function_inside(form: Form, drawn: random.Random) -> bool:
    """Compute a part of an expression by a function that the kernel defines."""
    return _by(form, drawn, inside=True)


def _by(form: Form, drawn: random.Random, *, inside: bool) -> bool:
    found = _part(form, drawn)
    if found is None:
        return False
    block, place, part = found
    name = form.fresh("part")
    wanted = ", ".join(sorted(loaded(part) & form.locals()))
    (helper,) = statements(f"def {name}({wanted}):\n    return {ast.unparse(part)}\n")
    assert isinstance(helper, ast.FunctionDef)
    _put(block[place], part, f"{name}({wanted})")
    if inside:
        form.function.body.insert(0, helper)
    else:
        form.helpers.append(helper)
    return True


def unnamed(form: Form, drawn: random.Random) -> bool:
    """Write a value where its name stood, if that is the next statement's only."""
    places = []
    names = [one.id for one in ast.walk(form.function) if isinstance(one, ast.Name)]
    for block in form.blocks():
        for place in range(len(block) - 1):
            one, following = block[place], block[place + 1]
            if not isinstance(one, ast.Assign) or len(one.targets) != 1:
                continue
            (target,) = one.targets
            if not isinstance(target, ast.Name) or type(following) not in _HEADS:
                continue
            uses = [n for n in _unconditional(following) if isinstance(n, ast.Name)]
            same = [n for n in uses if n.id == target.id]
            is_pure = "pop(" not in ast.unparse(ast.fix_missing_locations(following))  # another rewrite may have made it
            if is_pure and names.count(target.id) == 2 and len(same) == 1:
                places.append((block, place, same[0], one.value))
    found = chosen(drawn, places)
    if found is None:
        return False
    block, place, use, value = found
    _put(block[place + 1], use, f"({ast.unparse(value)})")
    del block[place]
    return True


def _part(form: Form, drawn: random.Random) -> tuple[list[ast.stmt], int, ast.expr] | None:
    """Return a part of a statement that is evaluated once and always, and where the statement stands."""
    inside = form.functions_inside()
    variables = form.locals()
    places = [
        (block, place, part)
        for block in form.blocks()
        for place, one in enumerate(block)
        for part in _unconditional(one)
        if isinstance(part, _KINDS)
        and loaded(part) & variables
        and not loaded(part) & inside
        and not _is_no_value(part)
    ]
    return chosen(drawn, places)


def _is_no_value(part: ast.expr) -> bool:
    """Tell whether a part is a loop's own range, or something that has no place in a variable."""
    if isinstance(part, ast.Call):
        called = part.func
        name = getattr(called, "id", getattr(called, "attr", ""))
        if name in _NO_VALUES:
            return True
    return any(isinstance(one, (ast.Lambda, ast.NamedExpr, ast.Starred)) for one in ast.walk(part))


def _unconditional(statement: ast.stmt) -> Iterator[ast.expr]:
    """Yield the expressions of a statement that it always evaluates, and before it writes anything."""
    head = _HEADS.get(type(statement))
    value = getattr(statement, head) if head else None
    if value is not None:
        yield from _always(value)


def _always(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, (ast.Lambda, ast.Slice)):
        return
    if not isinstance(node, (ast.Tuple, ast.List)):
        yield node
    for part in _parts(node):
        yield from _always(part)


def _parts(node: ast.expr) -> list[ast.expr]:
    """Return the parts of an expression that are always evaluated with it, and once."""
    if isinstance(node, ast.IfExp):
        return [node.test]
    if isinstance(node, ast.BoolOp):
        return node.values[:1]
    if isinstance(node, ast.Compare):
        return [node.left]
    if isinstance(node, (ast.ListComp, ast.GeneratorExp, ast.SetComp)):
        return [node.generators[0].iter]
    if isinstance(node, ast.Call):
        owner = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        return [*owner, *node.args]
    if isinstance(node, ast.DictComp):
        return []
    return [one for one in ast.iter_child_nodes(node) if isinstance(one, ast.expr)]


def _put(statement: ast.stmt, part: ast.expr, text: str) -> None:
    """Write something in the place of a part."""
    new = ast.parse(text, mode="eval").body

    class Replace(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            return new if node is part else self.generic_visit(node)

    Replace().visit(statement)


def fast(form: Form, drawn: random.Random) -> bool:
    """Let the compiler take sums in another order: `fastmath=True`, of the kernel and of what is beside it."""
    was_fast, form.is_fast = form.is_fast, True
    return not was_fast


VALUE_REWRITES = {
    "named": named,
    "unnamed": unnamed,
    "by a function": by_function,
    "by a function inside": by_function_inside,
    "fast": fast,
}
