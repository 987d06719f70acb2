"""Making a failing kernel small: leave out statements as long as it fails in the same way."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator

from tests.fuzz.grammar import Kernel, Statement


def shrunk(kernel: Kernel, fails: Callable[[str], bool], attempts: int = 60) -> Kernel:
    """Return a smaller kernel for which `fails(source)` still holds."""
    best, left = kernel, attempts
    is_smaller = True
    while is_smaller and left > 0:
        is_smaller = False
        for candidate in smaller(best):
            left -= 1
            if left < 0:
                break
            if fails(candidate.source):
                best, is_smaller = candidate, True
                break
    return best


def smaller(kernel: Kernel) -> Iterator[Kernel]:
    """Yield kernels with one statement less, or one whose body stands in its place."""
    places = list(_places(kernel.statements))
    for path in reversed(places):
        for with_body in (False, True):
            made = copy.deepcopy(kernel)
            holder = made.statements
            for number in path[:-1]:
                holder = holder[number].body
            statement = holder[path[-1]]
            if with_body and not statement.body:
                continue
            holder[path[-1] : path[-1] + 1] = statement.body if with_body else []
            if _is_valid(made.statements):
                yield made
    for piece in kernel.result.split(" + "):
        if piece != kernel.result and piece.count("(") == piece.count(")"):
            made = copy.deepcopy(kernel)
            made.result = piece
            yield made


def _places(statements: list[Statement], before: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    for number, statement in enumerate(statements):
        yield (*before, number)
        yield from _places(statement.body, (*before, number))


def _is_valid(statements: list[Statement]) -> bool:
    """Tell whether no head has lost its body, as far as that can be seen; Numba sees the rest."""
    return all(
        bool(one.body) == one.head.endswith(":") and _is_valid(one.body) for one in statements
    )
