"""The user's functions that a derivative goes through: their lines of source, found from the lines that code comes from."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

Place = tuple[str, int]


@dataclass(frozen=True)
class SourceFunction:
    """One function, or, where there is no source to read, the lines that are known."""

    name: str
    file: str
    first: int
    last: int
    heads: frozenset[int] = frozenset()  # lines where loops begin
    loops: tuple[tuple[int, int], ...] = ()  # first and last line of each loop


def functions_of(places: Iterable[Place], kernel: Place) -> list[SourceFunction]:
    """Return the functions that lines lie in, the kernel's first."""
    by_file: dict[str, set[int]] = {}
    for file, line in (kernel, *places):
        if file and line:
            by_file.setdefault(file, set()).add(line)
    found = [one for file, lines in by_file.items() for one in _in_file(file, lines)]
    return sorted(found, key=lambda one: (not (one.file == kernel[0] and one.first <= kernel[1] <= one.last), one.file, one.first))


def _in_file(file: str, lines: set[int]) -> Iterator[SourceFunction]:
    text = "".join(linecache.getlines(file))
    try:
        known = [node for node in ast.walk(ast.parse(text)) if isinstance(node, _FUNCTIONS)] if text else []
    except SyntaxError:  # a notebook's cell with magic words
        known = []
    seen: dict[tuple[int, int], SourceFunction] = {}
    alone = set[int]()
    for line in sorted(lines):
        around = [node for node in known if _first(node) <= line <= (node.end_lineno or node.lineno)]
        if not around:
            alone.add(line)
            continue
        inner = max(around, key=_first)
        one = _function(file, inner)
        seen.setdefault((one.first, one.last), one)
    yield from seen.values()
    if alone:
        yield SourceFunction("(no function)", file, min(alone), max(alone))


_FUNCTIONS = (ast.FunctionDef, ast.Lambda)
_LOOPS = (ast.For, ast.While)


def _first(node: ast.AST) -> int:
    decorators = getattr(node, "decorator_list", [])
    lines: list[int] = [getattr(one, "lineno", 1) for one in (node, *decorators)]
    return min(lines)


def _function(file: str, node: ast.AST) -> SourceFunction:
    loops = [one for one in ast.walk(node) if isinstance(one, _LOOPS)]
    parts = [one for one in ast.walk(node) if isinstance(one, ast.comprehension)]
    heads = frozenset(one.lineno for one in loops) | frozenset(one.target.lineno for one in parts)
    spans = tuple((one.lineno, one.end_lineno or one.lineno) for one in loops)
    name = getattr(node, "name", "lambda")
    return SourceFunction(name, file, _first(node), node.end_lineno or node.lineno, heads, spans)  # type: ignore[attr-defined]


def text_of(place: Place) -> str:
    """Return a line of source, without its end."""
    return linecache.getline(*place).rstrip()
