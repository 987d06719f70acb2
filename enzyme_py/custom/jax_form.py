"""custom_vjp and custom_jvp, in JAX's form.

    @enzyme.custom_vjp                          @enzyme.custom_jvp
    def f(x, y): ...                            def f(x, y): ...

    def fwd(x, y):                              def rule(primals, tangents):
        return f(x, y), (x, y)                      x, y = primals
    def bwd(residuals, cotangent):                  dx, dy = tangents
        ...                                         ...
        return cotangent_of_x, cotangent_of_y       return result, tangent_of_result
    f.defvjp(fwd, bwd)                          f.defjvp(rule)

Differences from JAX: both work in every mode, because the missing half is the transpose of the given one
(transposes.py). The residuals are not stored: the reverse sweep runs `fwd` again, and `bwd` right after
it. So they may be anything, and a second derivative differentiates both. The cotangent of an integer is
zeros of its own type. Complex numbers count as pairs of reals: of a holomorphic function the cotangent
is conj(f'(z)) times that of the result.
"""

from __future__ import annotations

import functools
import types as pytypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from numba.core import types

from enzyme_py.custom.door import Call, rule_kernel, with_rules
from enzyme_py.custom.fitting import (
    check_cotangents,
    check_fits,
    check_repeatable,
    check_tuple,
    holds_nothing,
    returned_by,
)
from enzyme_py.custom.heads import half_of_rule
from enzyme_py.custom.transposes import pull_from_push, push_from_pull
from enzyme_py.errors import RuleError
from enzyme_py.foundations.places import argument_names, python_function
from enzyme_py.foundations.quick.made import value_at
from enzyme_py.frontend.functions.result_kernels import result_kernel
from enzyme_py.symbols import SILENT
from enzyme_py.transforms.plans.structures import listed


def custom_vjp(function: Any = None, *, nondiff_argnums: Sequence[int] = ()) -> Any:
    """Return the function with derivatives from `defvjp(fwd, bwd)`, to be given before its first use.

    The arguments `nondiff_argnums` are constant, and come first in the call of `bwd`.

    Examples:
        >>> @enzyme.custom_vjp
        ... def cube(x):
        ...     return x**3
        >>> cube.defvjp(lambda x: (x**3, x), lambda x, cotangent: (3 * x**2 * cotangent,))
        >>> enzyme.grad(cube)(2.0)
        12.0
    """
    if function is None:
        return lambda function: custom_vjp(function, nondiff_argnums=nondiff_argnums)
    rules = _Vjp(_positions(function, nondiff_argnums))
    made = with_rules(function, rules)

    def defvjp(fwd: Any, bwd: Any) -> None:
        """Give the derivative; see `custom_vjp`."""
        _check_undefined(rules.fwd, "defvjp")
        given = rule_kernel(fwd, "fwd"), result_kernel(rule_kernel(bwd, "bwd"))
        _check_count(
            given[1], len(rules.constant) + 2, "bwd", "residuals, cotangent", rules.constant
        )
        rules.fwd, rules.bwd = given

    made.defvjp = defvjp
    return made


def custom_jvp(function: Any = None, *, nondiff_argnums: Sequence[int] = ()) -> Any:
    """Return the function with derivatives from `defjvp(rule)`, to be given before its first use.

    The arguments `nondiff_argnums` are constant, and come first in the call of the rule.

    Examples:
        >>> @enzyme.custom_jvp
        ... def cube(x):
        ...     return x**3
        >>> @cube.defjvp
        ... def rule(primals, tangents):
        ...     return primals[0] ** 3, 3 * primals[0] ** 2 * tangents[0]
        >>> enzyme.grad(cube)(2.0)
        12.0
    """
    if function is None:
        return lambda function: custom_jvp(function, nondiff_argnums=nondiff_argnums)
    rules = _Jvp(_positions(function, nondiff_argnums))
    made = with_rules(function, rules)

    def defjvp(rule: Any) -> Any:
        """Give the derivative; see `custom_jvp`. Returns the rule, so that it is a decorator too."""
        _check_undefined(rules.rule, "defjvp")
        given = rule_kernel(rule, "the rule")
        _check_count(
            given, len(rules.constant) + 2, "the rule", "primals, tangents", rules.constant
        )
        inner = _Jvp(rules.constant, skips_zeros=True)
        itself = with_rules(function, inner, f"{made.py_func.__name__}{SILENT}")
        inner.rule = inner.transposed = rule_kernel(_with_other(rule, made, itself), "the rule")
        rules.transposed = inner.rule
        rules.rule = given
        return rule

    made.defjvp = defjvp
    return made


def _positions(function: Any, numbers: Sequence[int]) -> tuple[int, ...]:
    numbers = (numbers,) if isinstance(numbers, int) else tuple(numbers)
    count = len(argument_names(rule_kernel(function, "the function of a rule")))
    for number in numbers:
        if isinstance(number, bool) or not isinstance(number, int) or not -count <= number < count:
            message = f"nondiff_argnums has {number!r}, but the function has {count} arguments"
            raise RuleError(message, remedy=f"give numbers from 0 to {count - 1}")
    return tuple(sorted({number % count for number in numbers}))


def _check_undefined(rule: Any, name: str) -> None:
    if rule is not None:
        message = f"{name} was called before: a function has one rule"
        raise RuleError(message, remedy="make another function with the other rule")


def _check_count(kernel: Any, count: int, what: str, usual: str, constant: Sequence[int]) -> None:
    code = kernel.py_func.__code__
    required = code.co_argcount - len(kernel.py_func.__defaults__ or ())
    if (required <= count <= code.co_argcount) or code.co_flags & 4:
        return
    expected = ", ".join([*(f"argument {number}" for number in constant), usual])
    message = f"{what} takes {code.co_argcount} arguments ({', '.join(argument_names(kernel))})"
    raise RuleError(message, remedy=f"{count} are expected: {expected}")


@dataclass
class _Vjp:
    """The rules of `custom_vjp`."""

    constant: tuple[int, ...]
    fwd: Any = None
    bwd: Any = None
    skips_zeros: bool = False

    def check_given(self, call: Call) -> None:
        if self.fwd is None:
            message = f"`{call.name}` has no rule yet"
            raise RuleError(
                message, remedy=f"call {call.name}.defvjp(fwd, bwd) before its first use"
            )

    def check(self, call: Call, target: Any) -> None:
        fwd = f"fwd of `{call.name}`"
        both = returned_by(self.fwd, tuple(call.arguments), fwd, target)
        check_tuple(both, 2, fwd, "the result and the residuals: return result, residuals")
        check_fits(call.result, both[0], f"the result that {fwd} returns")
        if not holds_nothing(both[1]):
            check_repeatable(self.fwd, tuple(call.arguments), fwd)
        bwd = f"bwd of `{call.name}`"
        constant = [call.arguments[i] for i in self.constant]
        pulled = returned_by(self.bwd, (*constant, both[1], call.result), bwd, target)
        wanted = [kind for i, kind in enumerate(call.arguments) if i not in self.constant]
        check_cotangents(wanted, pulled, bwd)

    def pull(self, call: Call) -> Any:
        count = len(call.arguments)
        constant = "".join(f"arguments[{i}], " for i in self.constant)
        places = iter(range(count))
        parts = ["None" if i in self.constant else f"pulled[{next(places)}]" for i in range(count)]
        text = [
            "def pull(arguments, results, cotangents):",
            f"pulled = bwd({constant}fwd(*arguments)[1], cotangents)",
            f"return {listed(parts)}",
        ]
        return half_of_rule(text, "pull", {"fwd": self.fwd, "bwd": self.bwd})

    def push(self, call: Call) -> Any:
        return push_from_pull(call.arguments, call.result, self.pull(call))


@dataclass
class _Jvp:
    """The rules of `custom_jvp`."""

    constant: tuple[int, ...]
    rule: Any = None
    # The same rule with another version of its function, for reverse mode. The rule may call the
    # function, and Enzyme differentiates that call, although with zeros for cotangents: without an end,
    # if the reverse of that version did not look for zeros.
    transposed: Any = None
    skips_zeros: bool = False

    def check_given(self, call: Call) -> None:
        if self.rule is None:
            message = f"`{call.name}` has no rule yet"
            raise RuleError(message, remedy=f"call {call.name}.defjvp(rule) before its first use")

    def check(self, call: Call, target: Any) -> None:
        what = f"the jvp rule of `{call.name}`"
        constant = [call.arguments[i] for i in self.constant]
        moving = [kind for i, kind in enumerate(call.arguments) if i not in self.constant]
        primals = types.Tuple(moving)
        both = returned_by(self.rule, (*constant, primals, primals), what, target)
        check_tuple(both, 2, what, "the result and its tangent: return result, tangent")
        check_fits(call.result, both[0], f"the result that {what} returns")
        check_fits(call.result, both[1], f"the tangent that {what} returns")
        check_repeatable(self.rule, (*constant, primals, primals), what)

    def push(self, call: Call) -> Any:
        return self._push(call, self.rule)

    def _push(self, call: Call, rule: Any) -> Any:
        moving = [i for i in range(len(call.arguments)) if i not in self.constant]
        given = "".join(f"arguments[{i}], " for i in self.constant)
        primals = listed([f"arguments[{i}]" for i in moving])
        directions = listed([f"tangents[{i}]" for i in moving])
        text = [
            "def push(arguments, tangents, results):",
            f"return rule({given}{primals}, {directions})[1]",
        ]
        return half_of_rule(text, "push", {"rule": rule})

    def pull(self, call: Call) -> Any:
        return pull_from_push(call.arguments, call.result, self._push(call, self.transposed))


def _with_other(function: Any, one: Any, other: Any) -> Any:
    """Return a copy of a function in which what it names is another function."""
    function = python_function(function)
    scope = {name: other if value is one else value for name, value in function.__globals__.items()}
    cells = function.__closure__ or ()
    closure = tuple(pytypes.CellType(other) if value_at(cell, "cell_contents") is one else cell for cell in cells)
    copy = pytypes.FunctionType(
        function.__code__, scope, function.__name__, function.__defaults__, closure or None
    )
    return functools.update_wrapper(copy, function)
