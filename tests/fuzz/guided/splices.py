"""Mutations that take something from another kernel: a statement, an expression, or all of it."""

from __future__ import annotations

import ast
import copy
from typing import TYPE_CHECKING

from tests.fuzz.guided.names import (
    ARGUMENTS,
    blocks,
    fresh,
    function_of,
    leaves_its_loop,
    matched,
    read,
    renamed,
    size,
    stored,
    walk,
)

if TYPE_CHECKING:
    from tests.fuzz.guided.mutations import Host

TRIES = 5
LARGEST = 9  # statements that are taken at once
AGAIN = 0.6  # of the variables that are assigned to are one that is there
TOGETHER = 40  # statements of two kernels
SHORT = 60  # characters of an expression


def inserted(host: Host) -> bool:
    """Take a statement from another kernel."""
    found, made = host.place(), _taken(host)
    if found is None or not made:
        return False
    block, place = found
    block[place:place] = made
    return True


def replaced(host: Host) -> bool:
    """Put a statement of another kernel in the place of one."""
    found, made = host.place(), _taken(host)
    if found is None or not made:
        return False
    block, place = found
    block[place : place + 1] = made
    return True


def _taken(host: Host) -> list[ast.stmt]:
    """Return a statement of another kernel, in names of this one."""
    for _ in range(TRIES):
        donor = host.donors()
        function = function_of(donor.source)
        every = [one for block in blocks(function) for one in block]
        every = [one for one in every if size(one) <= LARGEST and not leaves_its_loop(one)]
        every = [one for one in every if not isinstance(one, (ast.Return, ast.Pass))]
        if not every:
            continue
        one = host.drawn.choice(every)
        writes = stored(one)
        reads = [name for name in read(one) if name in donor.kinds and name not in writes]
        names = matched([*reads, *writes], donor, host.known, host.drawn)
        if any(name not in names for name in reads):
            continue
        for name in writes:
            if name not in names or names[name] in ARGUMENTS[2:] or host.drawn.random() > AGAIN:
                names[name] = fresh(host.function, "d")
        return renamed([one], _apart(names, writes, host))
    return []


def _apart(names: dict[str, str], writes: list[str], host: Host) -> dict[str, str]:
    """Give new variables names that differ from each other."""
    used: set[str] = set()
    for name in writes:
        while names[name] in used:
            letter = names[name].rstrip("0123456789")
            number = int(names[name][len(letter) :] or 0) + 1
            names[name] = f"{letter}{number}"
        used.add(names[name])
    return names


def swapped_for_other(host: Host) -> bool:
    """Put an expression, of this or another kernel, in the place of one."""
    donor = host.known if host.drawn.random() < 0.5 else host.donors()
    offered = [one for one in _expressions(function_of(donor.source)) if len(ast.unparse(one)) < SHORT]
    wanted = [one for one, _ in host_expressions(host)]
    if not offered or not wanted:
        return False
    target, made = host.drawn.choice(wanted), copy.deepcopy(host.drawn.choice(offered))
    names = matched(read(made), donor, host.known, host.drawn)
    if donor is not host.known:
        if any(name in donor.kinds and name not in names for name in read(made)):
            return False
        made = renamed([ast.Expr(made)], names)[0].value  # type: ignore[attr-defined]

    class Replace(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            return made if node is target else self.generic_visit(node)

    Replace().visit(host.function)
    return True


def host_expressions(host: Host) -> list[tuple[ast.expr, ast.stmt]]:
    """Return the expressions that may be exchanged, each with its statement."""
    return [(one, block[place]) for block, place in host.places() for one in _expressions(block[place])]


def _expressions(node: ast.AST) -> list[ast.expr]:
    """Return what is computed in a node: no functions, slices, or what is assigned to."""
    apart = {id(one.func) for one in walk(node) if isinstance(one, ast.Call)}
    apart |= {id(one.value) for one in walk(node) if isinstance(one, ast.Attribute)}
    kinds = (ast.BinOp, ast.Call, ast.Subscript, ast.Name, ast.IfExp)
    return [
        one
        for one in walk(node)
        if isinstance(one, kinds)
        and id(one) not in apart
        and not isinstance(getattr(one, "ctx", None), (ast.Store, ast.Del))
    ]


def spliced(host: Host) -> bool:
    """Run another kernel in the middle of this one, with variables of its own, and add its result."""
    function, last = function_of(host.donors().source), host.function.body[-1]
    end = function.body[-1]
    if not (isinstance(last, ast.Return) and isinstance(end, ast.Return) and last.value and end.value):
        return False
    if size(function) + size(host.function) > TOGETHER:
        return False
    if ast.dump(function.args) != ast.dump(host.function.args):
        return False
    used, mark = set(stored(host.function)), "_d"
    while any(f"{name}{mark}" in used for name in stored(function)):
        mark += "d"
    names = {name: f"{name}{mark}" for name in stored(function)}
    given = [one.arg for one in function.args.args if one.arg in names]  # which it gives other values
    body = ast.parse("".join(f"{names[one]} = {one}\n" for one in given)).body
    body += renamed(function.body[:-1], names)
    place = host.drawn.randint(min(3, len(host.function.body) - 1), len(host.function.body) - 1)
    host.function.body[place:place] = body
    if not isinstance(last.value, ast.Tuple) and not isinstance(end.value, ast.Tuple):
        (more,) = renamed([ast.Expr(end.value)], names)
        last.value = ast.BinOp(last.value, ast.Add(), more.value)  # type: ignore[attr-defined]
    return True
