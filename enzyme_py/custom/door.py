"""A function with rules, as all who call it see it: Python, jitted code, and kernels.

    f = with_rules(primal, rules)

is a Numba dispatcher with the parameters of `primal`. Python and jitted code get what `primal` computes. In a
kernel a call becomes (frontend/external/ruled.py, frontend/external/opaque.py):

    work = [sizes | arguments | results]      results by the opaque primal
    ruled(work)                               which does nothing but to have derivatives
    return the results in work

The primal is run before, by an opaque function, since only then the sizes of the results are known. What
`forward` and `reverse` of a work array do is written out for the types of each call, around the functions that
a `Ruleset` makes for them:

    push(arguments, tangents, results)    -> the tangents of the results
    pull(arguments, results, cotangents)  -> the cotangents of the arguments, None where there are none

These are plain code of kernels, so they are differentiated in turn: second orders come from them.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numba
import numpy as np
from numba.core import types
from numba.core.target_extension import current_target
from numba.extending import overload, register_jitable

from enzyme_py.custom.heads import Given, Head
from enzyme_py.custom.packing import Packing, packed_type, part_of
from enzyme_py.errors import AnnotationError, RuleError
from enzyme_py.foundations.places import where_is
from enzyme_py.frontend.external.opaque import opaque
from enzyme_py.frontend.external.ruled import new_work, ruled, size_in
from enzyme_py.frontend.functions.bound import captures_values
from enzyme_py.frontend.functions.bound_types import is_function
from enzyme_py.frontend.functions.content import RULE
from enzyme_py.frontend.functions.kernels import as_kernel, jitted
from enzyme_py.frontend.target.lower import compile_kernel
from enzyme_py.frontend.target.target import CATCHING, KERNEL, SHADOWING, SHADOWING_CATCHING
from enzyme_py.symbols import DOOR, plain_name, plain_symbol
from enzyme_py.transforms.plans.structures import at, defined, listed
from enzyme_py.transforms.values.stop import stop_gradient

_numbers = itertools.count()
KERNEL_TARGETS = frozenset(one.name for one in (KERNEL, CATCHING, SHADOWING, SHADOWING_CATCHING))


@dataclass(frozen=True)
class Call:
    """The types of one call of a function with rules, as the functions of its rules see them."""

    name: str
    kernel: Any
    arguments: Any  # a tuple type
    result: Any


class Ruleset(Protocol):
    """What makes the derivatives of a function for the types of a call."""

    @property
    def skips_zeros(self) -> bool:
        """Whether the reverse of a call is left out where all cotangents are zero."""

    def check_given(self, call: Call) -> None:
        """Raise `RuleError` if there is no rule."""

    def check(self, call: Call, target: Any) -> None:
        """Raise `RuleError` if the rule does not fit; its functions are compiled for a target."""

    def push(self, call: Call) -> Callable[..., Any] | None:
        """Return the function of arguments, tangents and results; None if the result is constant."""

    def pull(self, call: Call) -> Callable[..., Any] | None:
        """Return the function of arguments, results and cotangents."""


def rule_kernel(function: Any, what: str) -> Any:
    """Return the kernel of a function that takes part in a rule, or raise `RuleError`."""
    if not callable(function):
        message = f"{what} is {function!r}: a function was expected"
        raise RuleError(message, remedy="pass a Python function or one made by njit")
    if captures_values(function):
        message = f"{what} captures values that may change"
        raise RuleError(message, remedy="pass what it captures as an argument")
    # A dispatcher of its own: what the user calls by this name may be in the middle of compilation.
    return numba.njit(forceinline=True)(as_kernel(function).py_func)


def with_rules(function: Any, rules: Ruleset, name: str = "") -> Any:
    """Return the dispatcher of a function with rules; `rules` may be filled in later."""
    kernel = rule_kernel(function, "the function of a rule")
    name = name or kernel.py_func.__name__
    codes: dict[Call, Any] = {}

    scope: dict[str, Any] = {"kernel": kernel}
    head = Head(kernel.py_func, scope)

    def resolve(given: Sequence[Any]) -> Any:
        # Without a word Numba would fall back to plain code where it cannot type that of the rule.
        if current_target() in KERNEL_TARGETS:
            return _kernel_code(name, kernel, head.with_defaults(given), rules, codes)
        return plain

    shown = plain_name(name)
    call = f"kernel({head.passed})"
    plain = defined(f"def plain({head.text}):\n    return {call}", "plain", scope)
    door = defined(f"def door({head.text}):\n    return {call}", "door", scope)
    scope.update(resolve=resolve, door=door)
    typed = defined(f"def typed({head.text}):\n    return resolve({head.packed()})", "typed", scope)
    overload(door, strict=False)(typed)
    made = defined(f"def {shown}({head.text}):\n    return door({head.passed})", shown, scope)
    made.__doc__ = kernel.py_func.__doc__
    made.__module__ = kernel.py_func.__module__
    dispatcher = jitted(made, {})
    setattr(dispatcher, DOOR, door)
    setattr(dispatcher, RULE, (name, kernel, rules))
    return dispatcher


def _kernel_code(
    name: str, kernel: Any, given: Given, rules: Ruleset, codes: dict[Any, Any]
) -> Any:
    """Return the code of a call from a kernel, for arguments of the given types."""
    kinds = [packed_type(kind, f"argument {i} of `{name}`") for i, kind in enumerate(given.kinds)]
    returned = compile_kernel(kernel, tuple(kinds)).return_type
    result = packed_type(returned, f"the result of `{name}`")
    call = Call(name, kernel, types.Tuple(kinds), result)
    if sum(map(is_function, kinds)) > 1:  # Numba would take them for pointers, and forget which
        message = f"`{name}` is called with {sum(map(is_function, kinds))} functions as arguments"
        raise RuleError(message, remedy="a function with a rule takes one function at most")
    # Of other layouts and with other defaults the arguments are the same to the rule.
    key = call, given.packing
    found = codes.get(key)
    if found is None:
        rules.check_given(call)
        found = codes[key] = _Texts(call, given, rules).code()
    return found


class _Texts:
    """The text of all functions for one call's types."""

    def __init__(self, call: Call, given: Given, rules: Ruleset) -> None:
        self.call = call
        self.given = given
        self.symbol = f"{plain_symbol(call.name)}.{next(_numbers)}"
        self.scope: dict[str, Any] = {
            "np": np,
            "new_work": new_work,
            "size_in": size_in,
            "stop_gradient": stop_gradient,
            "kernel": call.kernel,
            **given.scope,
        }
        is_complex = any(
            isinstance(part.dtype, types.Complex)
            for kind in (call.arguments, call.result)
            for part in Packing(kind, {}, is_complex=False).parts
        )
        self.scope["dtype"] = np.complex128 if is_complex else np.float64
        self.operands = Packing(call.arguments, self.scope, is_complex, 1)
        self.results = Packing(call.result, self.scope, is_complex, 1 + self.operands.sizes)
        self.alone = Packing(call.result, self.scope, is_complex, 1)  # in an array without operands
        self.rules = rules
        self.push, self.pull = rules.push(call), rules.pull(call)

    def code(self) -> Callable[..., Any]:
        """Return the code of a call."""
        shapes = self.operands.shapes("arguments")
        count = self.operands.count(shapes)
        self.scope["run"] = opaque(self.symbol, self._body())
        is_constant = self.push is None
        if not is_constant:
            codes = _nothing, self._forward(), self._reverse()
            self.scope["ruled"] = ruled(self.symbol, *codes, self._check)
        start = 2 * (2 + len(shapes))
        lines = [
            self.given.packing,
            f"given = new_work({_sizes(shapes)}, {count}, dtype)",
            *self.operands.places("o", str(start), "given"),
            *self.operands.writes("o", "given", "arguments"),
            "made = run(given)",
        ]
        if is_constant:
            lines += [
                "known = np.empty(made.size, dtype)",
                "for i in range(made.size):",
                "    known[i] = stop_gradient(made[i])",
                *self.alone.places("r", str(2 * (2 + self.results.sizes)), "known"),
                *self.alone.reads("r", "known", "found"),
            ]
            return self._defined("call", self.given.head, [*lines, "return found"])
        sizes = [f"size_in(made, {i + 2})" for i in range(self.results.sizes)]
        both = [*shapes, *sizes]
        length = f"{count} + {self.results.count(sizes)}"
        start += 2 * len(sizes)
        lines += [
            f"work = new_work({_sizes(both)}, {length}, dtype)",
            *self._places(),
            *self.operands.writes("o", "work", "arguments"),
            f"for i in range(r{self.results.end} - r0):",
            f"    work[r0 + i] = stop_gradient(made[{2 * (2 + len(sizes))} + i])",
            "ruled(work)",
            *self.results.reads("r", "work", "found"),
            "return found",
        ]
        return self._defined("call", self.given.head, lines)

    def _check(self, target: Any) -> None:
        try:
            self.rules.check(self.call, target)
        except RuleError as error:
            error.where = error.where if error.knows_kernel else where_is(self.call.kernel)
            raise

    def _places(self) -> list[str]:
        start = 2 * (2 + self.operands.sizes + self.results.sizes)
        return [
            *self.operands.places("o", str(start), "work"),
            *self.results.places("r", f"o{self.operands.end}", "work"),
        ]

    def _body(self) -> Callable[..., Any]:
        """Return what runs the primal: from the arguments in a work array to one of the results."""
        shapes = self.alone.shapes("found")
        lines = [
            *self.operands.places("o", str(2 * (2 + self.operands.sizes)), "work"),
            *self.operands.reads("o", "work", "arguments"),
            "found = kernel(*arguments)",
            *self._unwritten(),
            f"made = new_work({_sizes(shapes)}, {self.alone.count(shapes)}, dtype)",
            *self.alone.places("r", str(2 * (2 + len(shapes))), "made"),
            *self.alone.writes("r", "made", "found"),
            "return made",
        ]
        return self._defined("body", "work", lines)

    def _unwritten(self) -> list[str]:
        """Return lines that raise if the primal wrote to an argument: it has copies, so that were lost."""
        arrays = [i for i, part in enumerate(self.operands.parts) if part.is_array]
        if not arrays:
            return []
        lines = self.operands.reads("o", "work", "before")
        for i in arrays:
            number = self.operands.parts[i].path[0]
            self.scope[f"written_{i}"] = (
                f"`{self.call.name}` writes to its argument {number}, which a function with a rule "
                "cannot do: return the result, and write it outside of the function"
            )
            lines += [
                f"if not is_same(arguments_{i}, before_{i}):",
                f"    raise ValueError(written_{i})",
            ]
        self.scope["is_same"] = _is_same
        return lines

    def _forward(self) -> Callable[..., Any]:
        self.scope["push"] = self.push
        lines = [
            *self._places(),
            *self.operands.reads("o", "work", "arguments"),
            *self.results.reads("r", "work", "results"),
            *self.operands.reads("o", "shadow", "tangents", tangents=True),
            "pushed = push(arguments, tangents, results)",
        ]
        what = "the tangent of the result"
        for i, part in enumerate(self.results.parts):
            if part.is_float:
                value = f"pushed{at(part.path)}"
                lines += self._shape_check(part, f"r{i}", value, what)
                kind = "array" if part.is_array else "number"
                lines.append(f"write_{kind}(shadow, r{i}, {value})")
        return self._defined("forward", "work, shadow", lines)

    def _reverse(self) -> Callable[..., Any]:
        self.scope["pull"] = self.pull
        lines = [
            *self._places(),
            *self.operands.reads("o", "work", "arguments"),
            *self.results.reads("r", "work", "results"),
            *self.results.reads("r", "shadow", "cotangents", tangents=True),
            "pulled = pull(arguments, results, cotangents)",
        ]
        if self.rules.skips_zeros:
            end = self.results.end
            check = [
                "is_zero = True",
                f"for i in range(r0, r{end}):",
                "    is_zero = is_zero and shadow[i] == 0.0",
                "if is_zero:",
                "    return",
            ]
            lines = [*self._places(), *check, *lines[len(self._places()) :]]
        self.scope["add_cotangent"] = add_cotangent
        for i, part in enumerate(self.operands.parts):
            if part.is_float:
                number = part.path[0]
                what = f"the cotangent of argument {number}"
                message = f"`{self.call.name}`: {what} has not the shape of the argument"
                self.scope[f"message_{i}"] = message
                shape = "()"
                if part.is_array:
                    shape = listed([f"o{i}_{j}" for j in range(part.sizes)])
                value = self._pulled(part.path)
                lines.append(f"add_cotangent(shadow, o{i}, {shape}, {value}, message_{i})")
        lines += [
            f"for i in range(r0, r{self.results.end}):",
            "    shadow[i] = 0.0",
        ]
        return self._defined("reverse", "work, shadow", lines)

    def _pulled(self, path: tuple[int, ...]) -> str:
        value = "pulled"
        self.scope["part_of"] = part_of
        for place in path:
            self.scope[f"place_{place}"] = place
            value = f"part_of({value}, {place})"
        return value

    def _shape_check(self, part: Any, place: str, value: str, what: str) -> list[str]:
        if not part.is_array:
            return []
        self.scope["message"] = f"`{self.call.name}`: {what} has not the result's shape"
        shape = listed([f"{place}_{j}" for j in range(part.sizes)])
        return [f"if {value}.shape != {shape}:", "    raise ValueError(message)"]

    def _defined(self, name: str, parameters: str, lines: list[str]) -> Callable[..., Any]:
        text = "\n    ".join([f"def {name}({parameters}):", *lines])
        return defined(text, name, self.scope)


def _sizes(expressions: list[str]) -> str:
    """Return the expression of the sizes of a work array; the first one is there for empty tuples."""
    return listed(["0", *expressions])


def _nothing(work):  # type: ignore[no-untyped-def]  # the opaque primal has filled the work array
    pass


@register_jitable
def _is_same(array, other):  # type: ignore[no-untyped-def]
    left, right = array.reshape(array.size), other.reshape(other.size)
    for i in range(left.size):
        if left[i] != right[i] and (left[i] == left[i] or right[i] == right[i]):
            return False
    return True


def add_cotangent(shadow: Any, place: Any, shape: Any, value: Any, message: Any) -> None:
    """Add one cotangent to its place in the shadow of a work array."""
    raise RuntimeError


@overload(add_cotangent, inline="always", strict=False)
def _add_cotangent(shadow, place, shape, value, message):  # type: ignore[no-untyped-def]
    if isinstance(value, types.NoneType):
        return lambda shadow, place, shape, value, message: None
    return _add_array if isinstance(value, types.Array) else _add_number


def _add_number(shadow, place, shape, value, message):  # type: ignore[no-untyped-def]
    shadow[place] += value


def _add_array(shadow, place, shape, value, message):  # type: ignore[no-untyped-def]
    if value.shape != shape:
        raise ValueError(message)
    flat = np.ascontiguousarray(value).reshape(value.size)
    for i in range(value.size):
        shadow[place + i] += flat[i]


__all__ = [
    "AnnotationError",
    "Call",
    "Ruleset",
    "add_cotangent",
    "rule_kernel",
    "with_rules",
]
