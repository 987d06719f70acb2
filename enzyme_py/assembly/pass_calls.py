"""Calls of the pass in a module, read: of which function, and what is given for each of its parameters."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from enzyme_py.assembly.ir_text import Call, Function, bare, value_of

PRIMITIVE = "__enzyme_"
CONST = "enzyme_const"
_PLAIN = (CONST, "enzyme_out")
_WITH_SHADOW = ("enzyme_dup", "enzyme_dupnoneed")
_FORWARD = "__enzyme_fwddiff"


@dataclass(frozen=True)
class Given:
    """What a call of the pass gives for one parameter."""

    marker: str
    primal: str
    shadows: tuple[str, ...]


def is_forward(call: Call) -> bool:
    """Tell whether a call of the pass is of forward mode."""
    return call.callee.startswith(_FORWARD)


def function_of(functions: dict[str, Function], caller: Function, call: Call) -> Function | None:
    """Return the function that a call of the pass is about."""
    about = call.values[0]
    if about.startswith("%"):  # before any pass, a cast
        about = value_of(bare(caller.definitions.get(about, "")).split(" to ", 1)[0])
    return functions.get(about.lstrip("@").strip('"'))


def arguments_of(caller: Function, call: Call) -> Iterator[Given]:
    """Yield what is given for each parameter of the function that the pass is given."""
    pairs = iter(zip(call.operands[1:], call.values[1:], strict=True))
    width = 1
    for operand, value in pairs:
        name = _marker(caller, operand, value)
        if name == "enzyme_width":
            width = int(next(pairs)[1])
        elif name in _PLAIN:
            yield Given(name, next(pairs)[1], ())
        elif name in _WITH_SHADOW:
            primal = next(pairs)[1]
            yield Given(name, primal, tuple(next(pairs)[1] for _ in range(width)))


def _marker(caller: Function, operand: str, value: str) -> str:
    if not operand.startswith("i32 "):
        return ""
    found = re.match(r"load i32, ptr @(enzyme_\w+)", caller.definitions.get(value, ""))
    return found.group(1) if found else ""
