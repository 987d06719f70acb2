"""Making a failing kernel small: leave out and simplify as long as it fails in the same way.

Works on the syntax tree of any kernel, so that it knows nothing of the grammar. What is tried: to leave
out a run of statements, to put a body in the place of its head, to put a part of an expression in the place of
the whole, or a plain argument or number. Whether what comes out still means something is asked of Numba.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator

LEAVES = ("s", "x", "a", "0.5", "n", "0")


def shrunk(source: str, fails: Callable[[str], bool], attempts: int = 300) -> str:
    """Return a smaller kernel for which `fails(source)` still holds."""
    best, left, seen = ast.unparse(ast.parse(source)), attempts, {source}
    is_smaller = True
    while is_smaller and left > 0:
        is_smaller = False
        for candidate in smaller(best):
            if candidate in seen or not _is_complete(candidate):
                continue
            seen.add(candidate)
            left -= 1
            if left < 0:
                break
            if fails(candidate):
                best, is_smaller = candidate, True
                break
    return best + "\n"


def smaller(source: str) -> Iterator[str]:
    """Yield kernels that are smaller than this one, those with the most left out first."""
    tree = ast.parse(source)
    yield from _fewer_statements(tree)
    yield from _simpler_expressions(tree)


def _fewer_statements(tree: ast.Module) -> Iterator[str]:
    blocks = [
        (number, name)
        for number, node in enumerate(ast.walk(tree))
        for name in ("body", "orelse")
        if isinstance(getattr(node, name, None), list) and not isinstance(node, ast.Module)
    ]
    for size in (8, 4, 2, 1):
        for number, name in blocks:
            count = len(_block(tree, number, name))
            for start in range(count - size, -1, -max(1, size // 2)):
                made = copy.deepcopy(tree)
                block = _block(made, number, name)
                del block[start : start + size]
                if block or name == "orelse":
                    yield ast.unparse(made)
    for number, name in blocks:
        for place, one in enumerate(_block(tree, number, name)):
            if getattr(one, "body", None):
                made = copy.deepcopy(tree)
                block = _block(made, number, name)
                block[place : place + 1] = block[place].body  # type: ignore[attr-defined]
                yield ast.unparse(made)


def _block(tree: ast.Module, number: int, name: str) -> list[ast.stmt]:
    """Return the statements under this name of the node of this number."""
    found: list[ast.stmt] = getattr(list(ast.walk(tree))[number], name)
    return found


def _simpler_expressions(tree: ast.Module) -> Iterator[str]:
    """Yield kernels with one expression replaced by a part of it, or by a leaf."""
    for number, node in enumerate(ast.walk(tree)):
        if not isinstance(node, ast.expr) or isinstance(node, (ast.Name, ast.Constant)):
            continue
        if _slices(node):
            continue
        if isinstance(getattr(node, "ctx", None), ast.Store):
            continue
        parts = [one for one in ast.walk(node) if isinstance(one, ast.expr) and not _slices(one)]
        texts = dict.fromkeys([*LEAVES, *(ast.unparse(one) for one in parts)])
        whole = ast.unparse(node)
        for text in texts:
            if len(text) < len(whole):
                yield _replaced(tree, number, text)


def _slices(node: ast.expr) -> bool:
    """Tell whether this stands only in brackets: `1:`, or a tuple with such."""
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    return any(isinstance(one, ast.Slice) for one in parts)


def _replaced(tree: ast.Module, number: int, text: str) -> str:
    made = copy.deepcopy(tree)
    target = list(ast.walk(made))[number]
    new = ast.parse(text, mode="eval").body

    class Replace(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            return new if node is target else self.generic_visit(node)

    return ast.unparse(ast.fix_missing_locations(Replace().visit(made)))


def _ends(loop: ast.While) -> list[ast.expr]:
    """Return what is asked to end a loop: its condition, or that of a break in `while True`."""
    if not isinstance(loop.test, ast.Constant):
        return [loop.test]
    return [one.test for one in loop.body if isinstance(one, ast.If) and isinstance(one.body[-1], ast.Break)]


def _is_complete(source: str) -> bool:
    """Tell whether it is Python, and a loop of `while` still counts: else it would not end."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return False
    for node in ast.walk(tree):
        if isinstance(node, ast.While):
            asked = {one.id for test in _ends(node) for one in ast.walk(test) if isinstance(one, ast.Name)}
            changed = {
                one.target.id
                for one in ast.walk(node)
                if isinstance(one, ast.AugAssign) and isinstance(one.target, ast.Name)
            }
            if not asked & changed:
                return False
    return True
