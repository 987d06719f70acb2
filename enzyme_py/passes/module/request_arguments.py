"""What a request gives for each parameter of the function that it is about."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from enzyme_py.llvm import Call, Constant, GlobalVariable, Load, Value

CONST = "enzyme_const"
_WIDTH = "enzyme_width"
_PLAIN = (CONST, "enzyme_out")
_WITH_SHADOW = ("enzyme_dup", "enzyme_dupnoneed")
_FORWARD = "__enzyme_fwddiff"


@dataclass(frozen=True)
class Given:
    """What is given for one parameter: the marker's name, the primal value and its shadows."""

    marker: str
    primal: Value
    shadows: tuple[Value, ...]


def is_forward(call: Call) -> bool:
    """Tell whether a request is of forward mode."""
    return call.callee.startswith(_FORWARD)


def given_by(call: Call) -> Iterator[Given]:
    """Yield what is given for each parameter of the function that a request is about."""
    values = iter(call.arguments[1:])
    width = 1
    for value in values:
        name = _marker(value)
        if name == _WIDTH:
            number = next(values)
            width = (number.integer if isinstance(number, Constant) else None) or 1
        elif name in _PLAIN:
            yield Given(name, next(values), ())
        elif name in _WITH_SHADOW:
            primal = next(values)
            yield Given(name, primal, tuple(next(values) for _ in range(width)))


def _marker(value: Value) -> str:
    """Return the name of the global that a value is loaded from, which says what comes behind it."""
    if (
        isinstance(value, Load)
        and value.type == "i32"
        and isinstance(value.pointer, GlobalVariable)
    ):
        return value.pointer.name
    return ""
