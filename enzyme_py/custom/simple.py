"""Rules in one line: a function of numbers by its partial derivatives, and functions without any.

    sinc = enzyme.rules.partials(sinc, slope_of_sinc)
    norm = enzyme.rules.partials(norm, lambda x, y: x / norm(x, y), lambda x, y: y / norm(x, y))
    nearest = enzyme.rules.inactive(nearest)
    smooth = enzyme.rules.inactive(smooth, arguments="window")
    enzyme.rules.inactive_type(Settings)

Partials are plain functions, differentiated for second orders. None for one says that the function does not
depend on that argument, or is to be taken so. Of complex arguments they are complex derivatives: the function is
holomorphic in them.

Enzyme does not look into an inactive function, so it may call what has no derivative, C functions by their
address included. Its result is constant. With `arguments` only those are taken for constant, and the function is
differentiated by the others. An inactive type is a class of named tuples that never has a derivative: gradients by such
an argument are None.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from numba.core import types

from enzyme_py.custom.door import Call, rule_kernel, with_rules
from enzyme_py.custom.fitting import check_fits, check_repeatable, returned_by
from enzyme_py.custom.heads import chosen_names, half_of_rule
from enzyme_py.errors import RuleError
from enzyme_py.foundations.places import argument_names
from enzyme_py.frontend.functions.kernels import jitted
from enzyme_py.rules.inactive import INACTIVE_CLASSES
from enzyme_py.transforms.plans.structures import defined, listed
from enzyme_py.transforms.values.stop import stop_gradient


def partials(function: Any, *slopes: Any) -> Any:
    """Return the function of numbers with its partial derivatives: functions of the same arguments, or None.

    Examples:
        >>> cube = enzyme.rules.partials(lambda x: x**3, lambda x: 3 * x**2)
        >>> enzyme.grad(cube)(2.0)
        12.0
    """
    kernel = rule_kernel(function, "the function of a rule")
    names = argument_names(kernel)
    if len(slopes) != len(names):
        message = f"`{kernel.py_func.__name__}` takes {len(names)} arguments ({', '.join(names)})"
        message = f"{message}: {len(slopes)} partials given"
        raise RuleError(message, remedy="give one for each argument, None where there is none")
    given = []
    for name, slope in zip(names, slopes, strict=True):
        own = None if slope is None else rule_kernel(slope, f"the partial by `{name}`")
        if own is not None and len(argument_names(own)) != len(names):
            message = f"the partial by `{name}` takes {len(argument_names(own))} arguments"
            raise RuleError(message, remedy=f"it takes those of the function: {', '.join(names)}")
        given.append(own)
    return with_rules(function, _Partials(tuple(names), tuple(given)))


def inactive(function: Any, *, arguments: Sequence[str] | str = ()) -> Any:
    """Return the function as one that is constant, or constant in some of its arguments."""
    if not arguments:
        return with_rules(function, _Inactive())
    kernel = rule_kernel(function, "the function of a rule")
    names, name = argument_names(kernel), kernel.py_func.__name__
    name = name if name.isidentifier() else "inactive"  # a lambda
    stopped = chosen_names(kernel, arguments, "arguments")
    given = [f"stop_gradient({one})" if one in stopped else one for one in names]
    text = f"def {name}({', '.join(names)}):\n    return kernel({', '.join(given)})"
    scope = {"kernel": kernel, "stop_gradient": stop_gradient}
    scope["__name__"] = kernel.py_func.__module__  # the user asked for the stop
    return jitted(defined(text, name, scope), {})


def inactive_type(kind: type) -> type:
    """Let no derivative be taken by arguments of a class of named tuples; returns it, as a decorator."""
    if not (isinstance(kind, type) and issubclass(kind, tuple) and hasattr(kind, "_fields")):
        message = f"{kind!r} is no class of named tuples"
        remedy = "integers, strings and flags are inactive as they are; pass other things as Const"
        raise RuleError(message, remedy=remedy)
    INACTIVE_CLASSES.add(kind)
    return kind


@dataclass(frozen=True)
class _Partials:
    """The rules of `partials`."""

    names: tuple[str, ...]
    slopes: tuple[Any, ...]
    skips_zeros: bool = False

    def check_given(self, call: Call) -> None:
        for name, kind in zip(self.names, call.arguments, strict=False):
            if not isinstance(kind, types.Number | types.Boolean):
                message = f"argument `{name}` of `{call.name}` is {kind}; partials are for numbers"
                remedy = "call it for each element of an array, or use enzyme.custom_jvp"
                raise RuleError(message, remedy=remedy)
        if not isinstance(call.result, types.Float | types.Complex):
            message = (
                f"`{call.name}` returns {call.result}: partials are for a float or complex number"
            )
            raise RuleError(message, remedy="return one number, or use enzyme.custom_jvp")

    def check(self, call: Call, target: Any) -> None:
        for i, slope in self._active(call):
            what = f"the partial of `{call.name}` by `{self.names[i]}`"
            kind = returned_by(slope, tuple(call.arguments), what, target)
            wanted = call.result
            if isinstance(call.arguments[i], types.Complex):
                wanted = types.complex128
            check_fits(wanted, kind, what)
            check_repeatable(slope, tuple(call.arguments), what)

    def _active(self, call: Call) -> list[tuple[int, Any]]:
        return [
            (i, slope)
            for i, slope in enumerate(self.slopes[: len(call.arguments)])
            if slope is not None and isinstance(call.arguments[i], types.Float | types.Complex)
        ]

    def push(self, call: Call) -> Callable[..., Any]:
        active = self._active(call)
        scope = {f"slope_{i}": slope for i, slope in active}
        terms = [f"slope_{i}(*arguments) * tangents[{i}]" for i, _ in active]
        text = f"return {' + '.join(terms) or '0.0'}"
        return half_of_rule(["def push(arguments, tangents, results):", text], "push", scope)

    def pull(self, call: Call) -> Callable[..., Any]:
        active = dict(self._active(call))
        scope: dict[str, Any] = {f"slope_{i}": slope for i, slope in active.items()}
        parts = []
        for i, kind in enumerate(call.arguments):
            if i not in active:
                parts.append("None")
                continue
            product = f"slope_{i}(*arguments).conjugate() * cotangents"
            parts.append(product if isinstance(kind, types.Complex) else f"({product}).real")
        lines = ["def pull(arguments, results, cotangents):", f"return {listed(parts)}"]
        return half_of_rule(lines, "pull", scope)


@dataclass(frozen=True)
class _Inactive:
    """No rules at all."""

    skips_zeros: bool = False

    def check_given(self, call: Call) -> None:
        """Nothing can be wrong."""

    def check(self, call: Call, target: Any) -> None:
        """Nothing can be wrong."""

    def push(self, call: Call) -> None:
        return None

    def pull(self, call: Call) -> None:
        return None
