"""Rules in the form of Enzyme's own, for functions that write to their arrays.

    f = enzyme.rules.ruled(f, writes=("out",))

    @enzyme.rules.augmented_primal(f)
    def augmented(config, *arguments):                          as f, and a tape for the way back:
        ...                                                     return result, tape
    @enzyme.rules.reverse(f)
    def reverse(config, cotangent, tape, arguments, shadows):   adds to the shadows of what is read, turns
        ...                                                     those of what is written into the adjoints
        return cotangents                                       before; numbers are returned, None for arrays
    @enzyme.rules.forward(f)
    def forward(config, arguments, tangents):                   as f on the arguments, and as its derivative
        ...                                                     on the tangents of what is written;
        return result, tangent                                  what f returns, and its tangent

`writes` names the arguments that f writes to. Rules see copies of all arrays, so they may overwrite them. A function that
returns nothing has the result 0.0, here and in the rules. `config` says what is asked for: `needs_primal` and `width` are
always True and 1, `overwritten` tells for each argument whether f itself writes to it.

To Enzyme it is a pure function, of the arguments before the call, that returns what the arrays hold behind it; they
are written with that afterwards. The half that is not given is the transpose of the other (transposes.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numba
import numpy as np
from numba.core import types
from numba.extending import overload

from enzyme_py.custom.door import Call, rule_kernel, with_rules
from enzyme_py.custom.fitting import (
    check_cotangents,
    check_fits,
    check_repeatable,
    check_tuple,
    holds_nothing,
    returned_by,
)
from enzyme_py.custom.heads import chosen_names, half_of_rule
from enzyme_py.custom.transposes import pull_from_push, push_from_pull
from enzyme_py.errors import RuleError
from enzyme_py.foundations.places import argument_names
from enzyme_py.frontend.functions.kernels import jitted
from enzyme_py.transforms.plans.structures import defined, listed

_RULES = "enzyme_py_rules"


class Config(NamedTuple):
    """What is asked of a rule."""

    needs_primal: bool
    width: int
    overwritten: tuple[bool, ...]


def ruled(function: Any, *, writes: Sequence[str] | str = ()) -> Any:
    """Return the function as one that takes rules; see the module's text.

    Examples:
        >>> def cube(x):
        ...     return x**3
        >>> cube = enzyme.rules.ruled(cube)
        >>> @enzyme.rules.forward(cube)
        ... def along(config, arguments, tangents):
        ...     return arguments[0] ** 3, 3 * arguments[0] ** 2 * tangents[0]
        >>> enzyme.jvp(cube, (2.0,), (1.0,))
        (8.0, 12.0)
    """
    kernel = rule_kernel(function, "the function of a rule")
    names, name = argument_names(kernel), kernel.py_func.__name__
    writes = chosen_names(kernel, writes, "writes")
    rules = _Form(name, tuple(one in writes for one in names))
    copied = [f"{one}.copy()" if one in writes else one for one in names]
    lines = [
        f"def pure({', '.join(names)}):",
        f"arguments = {listed(copied)}",
        "result = number_of(kernel(*arguments))",
        f"return result, {listed([f'arguments[{i}]' for i in rules.written])}",
    ]
    scope = {"kernel": kernel, "number_of": number_of}
    pure = with_rules(numba.njit(defined("\n    ".join(lines), "pure", scope)), rules, name)
    lines = [
        f"def {name}({', '.join(names)}):",
        f"found = pure({', '.join(names)})",
        *(f"{names[i]}[...] = found[1][{k}]" for k, i in enumerate(rules.written)),
        "return found[0]",
    ]
    made = jitted(defined("\n    ".join(lines), name, {"pure": pure}), {})
    setattr(made, _RULES, rules)
    return made


def forward(function: Any) -> Callable[[Any], Any]:
    """Give the forward rule of a function made by `ruled`; a decorator."""
    return _giver(function, "forward", 3, "config, arguments, tangents")


def augmented_primal(function: Any) -> Callable[[Any], Any]:
    """Give what runs on the way there in reverse mode; a decorator."""
    rules = _rules_of(function, "augmented_primal")
    count = len(rules.overwritten)
    return _giver(function, "augmented_primal", 1 + count, "config and the function's arguments")


def reverse(function: Any) -> Callable[[Any], Any]:
    """Give what runs on the way back in reverse mode; a decorator."""
    return _giver(function, "reverse", 5, "config, cotangent, tape, arguments, shadows")


def _rules_of(function: Any, door: str) -> _Form:
    rules = getattr(function, _RULES, None)
    if not isinstance(rules, _Form):
        message = f"rules.{door} was given {function!r}, which takes no rules"
        raise RuleError(message, remedy="make it with f = enzyme_py.rules.ruled(f) first")
    return rules


def _giver(function: Any, door: str, count: int, usual: str) -> Callable[[Any], Any]:
    rules = _rules_of(function, door)

    def give(rule: Any) -> Any:
        kernel = rule_kernel(rule, f"the {door} rule")
        code = kernel.py_func.__code__
        if code.co_argcount != count and not code.co_flags & 4:
            message = f"the {door} rule of `{rules.name}` takes {code.co_argcount} arguments"
            raise RuleError(message, remedy=f"{count} are expected: {usual}")
        if getattr(rules, door) is not None:
            message = f"`{rules.name}` has a {door} rule already"
            raise RuleError(message, remedy="make another function with the other rule")
        setattr(rules, door, kernel)
        return rule

    return give


@dataclass
class _Form:
    """The rules of one function."""

    name: str
    overwritten: tuple[bool, ...]
    forward: Any = None
    augmented_primal: Any = None
    reverse: Any = None
    skips_zeros: bool = False

    @property
    def written(self) -> list[int]:
        """The numbers of the arguments that are written."""
        return [i for i, is_written in enumerate(self.overwritten) if is_written]

    @property
    def config(self) -> Config:
        return Config(needs_primal=True, width=1, overwritten=self.overwritten)

    def check_given(self, call: Call) -> None:
        if (self.augmented_primal is None) != (self.reverse is None):
            lost = "reverse" if self.reverse is None else "augmented_primal"
            message = f"`{self.name}` has no {lost} rule"
            raise RuleError(
                message, remedy="augmented_primal and reverse belong together: give both"
            )
        if self.forward is None and self.reverse is None:
            message = f"`{self.name}` has no rule yet"
            remedy = "give rules.forward, or rules.augmented_primal and rules.reverse, before its first use"
            raise RuleError(message, remedy=remedy)
        for i in self.written:
            if not isinstance(call.arguments[i], types.Array):
                message = (
                    f"argument {i} of `{self.name}` is {call.arguments[i]}, and cannot be written"
                )
                raise RuleError(message, remedy="`writes` names arrays")

    def check(self, call: Call, target: Any) -> None:
        arguments, result = call.arguments, call.result[0]
        config = numba.typeof(self.config)
        if self.forward is not None:
            what = f"the forward rule of `{self.name}`"
            both = returned_by(self.forward, (config, arguments, arguments), what, target)
            check_tuple(both, 2, what, "the result and its tangent: return result, tangent")
            check_fits(result, both[1], f"the tangent that {what} returns")
            check_repeatable(self.forward, (config, arguments, arguments), what)
        if self.reverse is not None:
            what = f"the augmented_primal rule of `{self.name}`"
            both = returned_by(self.augmented_primal, (config, *arguments), what, target)
            check_tuple(both, 2, what, "the result and the tape: return result, tape")
            if self.written or not holds_nothing(both[1]):
                check_repeatable(self.augmented_primal, (config, *arguments), what)
            what = f"the reverse rule of `{self.name}`"
            given = (config, result, both[1], arguments, arguments)
            pulled = returned_by(self.reverse, given, what, target)
            wanted = [types.none if isinstance(kind, types.Array) else kind for kind in arguments]
            check_cotangents(wanted, pulled, what)

    def push(self, call: Call) -> Any:
        if self.forward is None:
            return push_from_pull(call.arguments, call.result, self.pull(call))
        text = [
            "def push(arguments, tangents, results):",
            f"primals = {listed(self._copies(call, 'arguments'))}",
            f"ways = {listed(self._copies(call, 'tangents'))}",
            "both = rule(config, primals, ways)",
            f"return both[1], {listed([f'ways[{i}]' for i in self.written])}",
        ]
        return half_of_rule(text, "push", {"rule": self.forward, "config": self.config})

    def pull(self, call: Call) -> Any:
        if self.reverse is None:
            return pull_from_push(call.arguments, call.result, self.push(call))
        shadows = []
        for i, kind in enumerate(call.arguments):
            if not isinstance(kind, types.Array):
                shadows.append(f"arguments[{i}]")
            elif i in self.written:
                shadows.append(f"cotangents[1][{self.written.index(i)}].copy()")
            else:
                shadows.append(f"np.zeros_like(arguments[{i}])")
        parts = [
            f"shadows[{i}]" if isinstance(kind, types.Array) else f"pulled[{i}]"
            for i, kind in enumerate(call.arguments)
        ]
        text = [
            "def pull(arguments, results, cotangents):",
            f"primals = {listed(self._copies(call, 'arguments'))}",
            f"shadows = {listed(shadows)}",
            "tape = augmented(config, *primals)[1]",
            "pulled = rule(config, cotangents[0], tape, primals, shadows)",
            f"return {listed(parts)}",
        ]
        scope = {"rule": self.reverse, "augmented": self.augmented_primal, "config": self.config}
        return half_of_rule(text, "pull", {**scope, "np": np})

    def _copies(self, call: Call, name: str) -> list[str]:
        """Return the arguments or tangents, with copies of arrays: a rule may write to them."""
        return [
            f"{name}[{i}].copy()" if isinstance(kind, types.Array) else f"{name}[{i}]"
            for i, kind in enumerate(call.arguments)
        ]


def number_of(result: Any) -> Any:
    """Return a function's result, 0.0 for nothing; only in compiled code."""
    raise RuntimeError


@overload(number_of, inline="always", strict=False)
def _number_of(result):  # type: ignore[no-untyped-def]
    if isinstance(result, types.NoneType):
        return lambda result: 0.0
    return lambda result: result
