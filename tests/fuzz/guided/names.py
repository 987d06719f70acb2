"""Statements and names of a kernel's syntax tree: what it assigns to, what it reads, what holds the same."""

from __future__ import annotations

import ast
import copy
import random
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

Block = list[ast.stmt]
ARGUMENTS = ("x", "a", "s", "c", "n", "sizes")
BLOCKS = ("body", "orelse", "finalbody")
LOOPS = (ast.For, ast.While)


@dataclass(frozen=True)
class Known:
    """A kernel as the corpus has it: its text, and what its variables hold."""

    source: str
    kinds: Mapping[str, str] = field(default_factory=dict)


def function_of(source: str) -> ast.FunctionDef:
    """Return the syntax tree of a kernel."""
    (found,) = ast.parse(source).body
    assert isinstance(found, ast.FunctionDef)
    return found


def text_of(function: ast.FunctionDef) -> str:
    """Return the text of a kernel."""
    return ast.unparse(ast.fix_missing_locations(function)) + "\n"


def blocks(node: ast.AST) -> Iterator[Block]:
    """Yield each list of statements; without those of loops on threads, whose iterations must stay apart."""
    if is_prange(node):
        return
    for name in BLOCKS:
        block = getattr(node, name, None)
        if isinstance(block, list) and block:
            yield block
            for one in block:
                yield from blocks(one)
    for one in getattr(node, "handlers", ()):
        yield from blocks(one)


def is_prange(node: ast.AST) -> bool:
    """Tell whether this is a loop on threads."""
    return (
        isinstance(node, ast.For)
        and isinstance(node.iter, ast.Call)
        and isinstance(node.iter.func, ast.Name)
        and node.iter.func.id == "prange"
    )


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """Yield a node and all in it, without loops on threads."""
    if not is_prange(node):
        yield node
        for one in ast.iter_child_nodes(node):
            yield from walk(one)


def size(node: ast.AST) -> int:
    """Return the number of statements in a node."""
    return sum(isinstance(one, ast.stmt) for one in ast.walk(node))


def stored(*nodes: ast.AST) -> list[str]:
    """Return the names that are assigned to, in order."""
    found = [
        one.id
        for node in nodes
        for one in ast.walk(node)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    ]
    return list(dict.fromkeys(found))


def read(*nodes: ast.AST) -> list[str]:
    """Return the names that are read."""
    found = [
        one.id
        for node in nodes
        for one in ast.walk(node)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)
    ]
    return list(dict.fromkeys(found))


def leaves_its_loop(node: ast.AST) -> bool:
    """Tell whether a statement has a break or a continue of a loop around it."""
    if isinstance(node, (ast.Break, ast.Continue)):
        return True
    if isinstance(node, LOOPS):
        return any(map(leaves_its_loop, node.orelse))
    return any(leaves_its_loop(one) for one in ast.iter_child_nodes(node))


def renamed(nodes: list[ast.stmt], names: Mapping[str, str]) -> list[ast.stmt]:
    """Return copies of statements with other names."""
    made = copy.deepcopy(nodes)
    for node in made:
        for one in ast.walk(node):
            if isinstance(one, ast.Name):
                one.id = names.get(one.id, one.id)
    return made


def matched(
    wanted: Collection[str], donor: Known, host: Known, drawn: random.Random
) -> dict[str, str]:
    """Return for each variable of one kernel one of another that holds the same kind of thing, where there is one."""
    by_kind: dict[str, list[str]] = {}
    for name, kind in sorted(host.kinds.items()):
        by_kind.setdefault(kind, []).append(name)
    found = {}
    for name in wanted:
        alike = by_kind.get(donor.kinds.get(name, ""), [])
        is_same = name in alike and (name in ARGUMENTS or drawn.random() < 0.4)
        if alike:
            found[name] = name if is_same else drawn.choice(alike)
    return found


def fresh(function: ast.AST, name: str) -> str:
    """Return a name of this letter that the kernel does not have."""
    used = {one.id for one in ast.walk(function) if isinstance(one, ast.Name)} | {*ARGUMENTS}
    return next(f"{name}{number}" for number in range(1, 10_000) if f"{name}{number}" not in used)
