"""The parameters of a function with rules, and the halves of a rule, as texts that are compiled."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numba
from numba.core import types

from enzyme_py.errors import RuleError
from enzyme_py.foundations.places import argument_names
from enzyme_py.transforms.plans.structures import defined


class Head:
    """The parameters of a function, as text; the defaults join the scope."""

    def __init__(self, function: Any, scope: dict[str, Any]) -> None:
        self.scope = scope
        self.parameters = list(inspect.signature(function).parameters.values())
        for one in self.parameters:
            if one.kind not in _KINDS:
                message = (
                    f"`{function.__name__}` has the parameter `{one}`, which a rule cannot take"
                )
                raise RuleError(message, remedy="rules are for functions of positional parameters")
            if one.default is not one.empty:
                scope[f"default_{one.name}"] = one.default

    @property
    def text(self) -> str:
        """What stands in the parentheses of a definition."""
        return ", ".join(
            f"*{one.name}"
            if one.kind is one.VAR_POSITIONAL
            else f"{one.name}=default_{one.name}"
            if one.default is not one.empty
            else one.name
            for one in self.parameters
        )

    @property
    def passed(self) -> str:
        """What stands in the parentheses of a call with the same arguments."""
        return ", ".join(
            f"*{one.name}" if one.kind is one.VAR_POSITIONAL else one.name
            for one in self.parameters
        )

    def packed(self, omitted: Sequence[str] = ()) -> str:
        """Return the expression of a tuple of the arguments, with the defaults of omitted ones."""
        return " + ".join(
            one.name
            if one.kind is one.VAR_POSITIONAL
            else f"({'default_' if one.name in omitted else ''}{one.name},)"
            for one in self.parameters
        )

    def with_defaults(self, given: Sequence[Any]) -> Given:
        """Return the types of the arguments, and the text that makes a tuple of them."""
        kinds: list[Any] = []
        omitted = []
        for number, kind in enumerate(given):
            if isinstance(kind, types.Omitted) or not isinstance(kind, types.Type):
                omitted.append(self.parameters[number].name)
                kinds.append(numba.typeof(getattr(kind, "value", kind)))
            else:
                kinds.append(kind)
        defaults = {key: value for key, value in self.scope.items() if key.startswith("default_")}
        return Given(tuple(kinds), self.text, f"arguments = {self.packed(omitted)}", defaults)


_KINDS = (
    inspect.Parameter.POSITIONAL_ONLY,
    inspect.Parameter.POSITIONAL_OR_KEYWORD,
    inspect.Parameter.VAR_POSITIONAL,
)


@dataclass(frozen=True)
class Given:
    """The arguments of one call: their types, and the text of the parameters."""

    kinds: tuple[Any, ...]
    head: str
    packing: str
    scope: dict[str, Any]


def half_of_rule(lines: Sequence[str], name: str, scope: dict[str, Any]) -> Callable[..., Any]:
    """Return the function `name` of these lines, compiled into whoever calls it."""
    made = defined("\n    ".join(lines), name, scope)
    return numba.njit(forceinline=True)(made)  # type: ignore[no-any-return]


def chosen_names(kernel: Any, given: Sequence[str] | str, parameter: str) -> tuple[str, ...]:
    """Return which of a function's arguments a parameter names, or raise `RuleError`."""
    names = argument_names(kernel)
    chosen = (given,) if isinstance(given, str) else tuple(given)
    for one in chosen:
        if one not in names:
            message = f"`{kernel.py_func.__name__}` has no argument {one!r}"
            raise RuleError(message, remedy=f"{parameter} names some of: {', '.join(names)}")
    return chosen
