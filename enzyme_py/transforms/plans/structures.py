"""Functions over tuples whose structure is known from their types, written out for each structure.

Numba compiles a function for one structure at a time, but has no loop over the parts of a tuple with
parts of different types. What is done to each part is therefore written as an expression. The texts
are made here from types and places alone, never from anything a user gives.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from typing import Any

from numba.core import types

from enzyme_py.errors import ShadowError
from enzyme_py.foundations.trees import structure_behind

# What is no code of the user's says so; of functions of no module Numba's tables hold the scope.
_MODULE = "enzyme_py.written"


def written(parameters: str, expression: str, scope: dict[str, Any]) -> Callable[..., Any]:
    """Return the function `lambda parameters: expression` with names from `scope`."""
    scope.setdefault("__name__", _MODULE)
    return eval(f"lambda {parameters}: {expression}", scope)  # type: ignore[no-any-return]  # noqa: S307


def defined(text: str, name: str, scope: dict[str, Any]) -> Callable[..., Any]:
    """Return the function `name` that the text defines, with names from `scope`."""
    scope.setdefault("__name__", _MODULE)
    exec(textwrap.dedent(text), scope)  # noqa: S102
    return scope[name]  # type: ignore[no-any-return]


def check_structure(own: Any, given: Any, what: str) -> None:
    """Raise if a direction stands for another dict, list or dataclass than the value that it belongs to: parts go by their places."""
    if not isinstance(own, types.BaseTuple) or not isinstance(given, types.BaseTuple):
        return
    first, second = (structure_behind(one) for one in (own, given))
    if first is not None and second is not None and (first.kind, first.keys) != (second.kind, second.keys):
        message = f"{what} is {second}, where {first} belongs"
        raise ShadowError(message, remedy="give it the same keys in the same order, or an object of the same class")
    for one, other in zip(own, given, strict=False):
        check_structure(one, other, what)


def listed(expressions: Sequence[str]) -> str:
    """Return the expression of a plain tuple."""
    return f"({''.join(f'{one}, ' for one in expressions)})"


def built(kind: Any, parts: Sequence[str], scope: dict[str, Any]) -> str:
    """Return the expression that builds a tuple like `kind`; a named tuple's class joins the scope."""
    if not isinstance(kind, types.BaseNamedTuple):
        return listed(parts)
    name = f"class_{len(scope)}"
    scope[name] = kind.instance_class
    return f"{name}{listed(parts)}"


def each(kind: Any, parameters: str, of_part: str, scope: dict[str, Any]) -> Callable[..., Any]:
    """Return a function that builds a tuple like `kind`; `of_part` names a part's place `{i}`."""
    own = dict(scope)
    parts = [of_part.format(i=i) for i in range(len(kind))]
    return written(parameters, built(kind, parts, own), own)


def of_lanes(width: int, of_lane: str) -> list[str]:
    """Return a text for each vector that a run takes at once; `of_lane` names its number `{lane}`.

    Compiled functions that work through tuples of them are compiled anew for each length.
    """
    return [of_lane.format(lane=lane) for lane in range(width)]


Path = tuple[int, ...]


def paths(kind: Any) -> list[Path]:
    """Return the places of all that is no tuple in a type, in order."""
    if not isinstance(kind, types.BaseTuple):
        return [()]
    return [(i, *path) for i, part in enumerate(kind) for path in paths(part)]


def at(path: Path) -> str:
    """Return the subscripts of a path: `[0][2]`."""
    return "".join(f"[{place}]" for place in path)


def kind_at(kind: Any, path: Path) -> Any:
    """Return the type at a path."""
    for place in path:
        kind = kind[place]
    return types.unliteral(kind)


def regrouped(kind: Any, leaf: Callable[[Path], str], scope: dict[str, Any]) -> str:
    """Return the expression of a value of the structure `kind`, its leaves by path."""

    def expression(part: Any, path: Path) -> str:
        if not isinstance(part, types.BaseTuple):
            return leaf(path)
        return built(part, [expression(one, (*path, i)) for i, one in enumerate(part)], scope)

    return expression(kind, ())
