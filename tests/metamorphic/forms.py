"""A kernel that is being rewritten: its syntax tree, its arguments, and the way back to the arguments it had."""

from __future__ import annotations

import ast
import contextlib
import copy
import functools
import inspect
import itertools
import random
import textwrap
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numba
import numpy as np

from tests.metamorphic import texts
from tests.numba_suite.recording import copied
from tests.numba_suite.trees import same
from tests.scenarios import SCENARIOS
from tests.textbook import TURNS, kernels

_files = itertools.count()
Arguments = tuple[Any, ...]
Way = Callable[[Arguments], Arguments]
LOOPS = (ast.For, ast.While)
SCOPES = (ast.FunctionDef, ast.Lambda, ast.ClassDef)


@dataclass(frozen=True, eq=False)
class Origin:
    """A kernel as the tests have it."""

    name: str
    kernel: Callable[..., Any] = field(repr=False)
    arguments: Arguments = field(repr=False)


@functools.cache
def origins() -> tuple[Origin, ...]:
    """Return all kernels whose source text says all: without captured variables, defaults, or calls of themselves."""
    found = [
        Origin(f"textbook.{name}", kernel, (x, c, TURNS))
        for name, (kernel, x, c) in kernels().items()
    ]
    found += [Origin(f"scenarios.{one.name}", one.kernel, one.args) for one in SCENARIOS]
    return tuple(one for one in found if _is_told(one.kernel))


def _is_told(kernel: Any) -> bool:
    calls_itself = kernel.__name__ in kernel.__code__.co_names
    return not (kernel.__closure__ or kernel.__defaults__ or calls_itself)


@functools.cache
def written(origin: Origin) -> tuple[int, ...]:
    """Return the places of the arguments that a kernel writes, as a call of Python shows them."""
    given = tuple(map(copied, origin.arguments))
    with contextlib.suppress(Exception):  # what only Numba can run
        origin.kernel(*given)
    pairs = zip(given, origin.arguments, strict=True)
    return tuple(n for n, pair in enumerate(pairs) if not same(*pair))


class Form:
    """What a kernel has become. Rewrites change the tree; those of arguments add a way there and a way back."""

    def __init__(self, origin: Origin) -> None:
        text = textwrap.dedent(inspect.getsource(origin.kernel))
        (self.function,) = ast.parse(text).body
        assert isinstance(self.function, ast.FunctionDef)
        self.function.decorator_list = []
        self.origin = origin
        self.helpers: list[ast.FunctionDef] = []  # compiled functions beside it
        self.there: list[Way] = []  # from the arguments of the origin to its own
        self.back: list[Way] = []  # from its gradients to those of the origin
        self.is_single = False
        self.is_fast = False
        self._written = {self.parameters[n] for n in written(origin)}
        self._names = {one.id for one in ast.walk(self.function) if isinstance(one, ast.Name)}
        self._names |= {one.arg for one in ast.walk(self.function) if isinstance(one, ast.arg)}
        self._numbers = itertools.count()

    # -- names

    def fresh(self, name: str) -> str:
        """Return a name that nothing has."""
        while True:
            made = f"{name}_{next(self._numbers)}"
            if made not in self._names:
                self._names.add(made)
                return made

    @property
    def parameters(self) -> list[str]:
        """The names of the arguments, in order."""
        return [one.arg for one in self.function.args.args]

    def write(self, name: str) -> None:
        """Say that the kernel writes an argument now, if the name is one's."""
        self._written.add(name)

    def written(self) -> tuple[int, ...]:
        """Return the places of the arguments that the kernel writes."""
        return tuple(n for n, name in enumerate(self.parameters) if name in self._written)

    def locals(self) -> set[str]:
        """Return the names of arguments and variables."""
        return set(self.parameters) | set(stored(self.function))

    def functions_inside(self) -> set[str]:
        """Return the names of functions that the kernel defines or has in variables."""
        found = {
            one.name
            for one in ast.walk(self.function)
            if isinstance(one, ast.FunctionDef) and one is not self.function
        }
        called = {
            one.func.id
            for one in ast.walk(self.function)
            if isinstance(one, ast.Call) and isinstance(one.func, ast.Name)
        }
        return found | (called & self.locals())

    # -- places

    def blocks(self) -> Iterator[list[ast.stmt]]:
        """Yield each list of statements, without those of functions inside."""
        yield from _blocks(self.function)

    # -- results

    def source(self) -> str:
        """Return the text of a module."""
        parts = []
        for one in (*self.helpers, self.function):
            mark = f"@numba.njit(fastmath={self.is_fast})\n" if one is not self.function else ""
            parts.append(mark + ast.unparse(ast.fix_missing_locations(copy.deepcopy(one))))
        return "\n\n\n".join(parts) + "\n"

    def compiled(self) -> Any:
        """Return the rewritten kernel, by Numba."""
        scope = {**self.origin.kernel.__globals__, "numba": numba, "np": np}
        return numba.njit(executed(self.source(), scope)[self.function.name], fastmath=self.is_fast)

    def plain(self) -> Callable[..., Any]:
        """Return the rewritten kernel as Python runs it, with what it calls in the same way."""
        scope = {**self.origin.kernel.__globals__, "np": np}
        scope["numba"] = types.SimpleNamespace(njit=lambda **_: lambda function: function)
        made: Callable[..., Any] = executed(self.source(), scope)[self.function.name]
        return made

    def arguments(self, given: Arguments) -> Arguments:
        """Return the arguments of the rewritten kernel for those of the origin."""
        for way in self.there:
            given = way(given)
        return given

    def gradients(self, found: Arguments) -> Arguments:
        """Return the gradients by the arguments of the origin for those by its own."""
        for way in reversed(self.back):
            found = way(found)
        return found


def executed(source: str, scope: dict[str, Any]) -> dict[str, Any]:
    """Run a module's text, whose lines error messages can show."""
    return texts.executed(source, f"<metamorphic {next(_files)}>", scope)


def _blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
            yield block
            for one in block:
                if not isinstance(one, SCOPES):
                    yield from _blocks(one)
    for one in getattr(node, "handlers", ()):
        yield from _blocks(one)


def stored(*nodes: ast.AST) -> list[str]:
    """Return the names of variables that are assigned to, without those of functions and comprehensions inside."""
    found: list[str] = []
    waiting = list(nodes)
    tops = {id(one) for one in nodes}
    while waiting:
        one = waiting.pop()
        if isinstance(one, ast.Name) and isinstance(one.ctx, (ast.Store, ast.Del)):
            found.append(one.id)
        if isinstance(one, SCOPES) and id(one) not in tops:
            found += [one.name] if isinstance(one, ast.FunctionDef) else []
            continue
        if isinstance(one, ast.comprehension):
            waiting.append(one.iter)
            continue
        waiting += ast.iter_child_nodes(one)
    return found


def loaded(*nodes: ast.AST) -> set[str]:
    """Return the names that are read, without those that comprehensions bind."""
    found: set[str] = set()
    bound: set[str] = set()
    for node in nodes:
        for one in ast.walk(node):
            if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load):
                found.add(one.id)
            if isinstance(one, ast.AugAssign) and isinstance(one.target, ast.Name):
                found.add(one.target.id)
            if isinstance(one, ast.comprehension):
                bound |= {n.id for n in ast.walk(one.target) if isinstance(n, ast.Name)}
    return found - bound


def leaves_its_loop(body: list[ast.stmt], kinds: tuple[type[ast.stmt], ...]) -> bool:
    """Tell whether statements have a break, or a continue, of the loop around them, or a return."""
    for one in body:
        if isinstance(one, kinds):
            return True
        if isinstance(one, SCOPES):
            continue
        inner = tuple(k for k in kinds if k is ast.Return) if isinstance(one, LOOPS) else kinds
        parts = [getattr(one, name, []) for name in ("body", "finalbody")]
        parts += [handler.body for handler in getattr(one, "handlers", ())]
        if any(leaves_its_loop(part, inner) for part in parts):
            return True
        if leaves_its_loop(getattr(one, "orelse", []), kinds):
            return True
    return False


def statements(text: str) -> list[ast.stmt]:
    """Return the statements of a text."""
    return ast.parse(textwrap.dedent(text)).body


def chosen(drawn: random.Random, places: list[Any]) -> Any:
    """Return one of some places, or None."""
    return drawn.choice(places) if places else None
