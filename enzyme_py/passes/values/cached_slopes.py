"""Calls of exp, sin, tanh and their like, whose slopes are cached in reverse mode.

Symptom: reverse mode calls each of them twice or three times, which is most of the time of kernels that consist of such calls.

Cause: Enzyme knows their derivatives, and rematerialises in the reverse sweep whatever those need: the function once more
for its value where others need that, and once more for its slope.

Cure: up to Enzyme a call is two, as rules/slopes.py tells: one that makes the value, or what the slope is made of, and
has no derivative; and one that picks the value and has the derivative of x times the slope. So one number is cached.

Such calls are opaque, so what O2 can do about the functions comes first. Only for one reverse sweep: the slope has no
derivative here (`draft.keeps_slopes`).
"""

from __future__ import annotations

from enzyme_py.llvm import Builder, Call, Module, Value
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.values.picks import pick
from enzyme_py.rules.slopes import FUNCTIONS

_FLOATS = ("double", "float")


class CachedSlopes(Pass):
    """Take calls of functions apart whose slopes are worth caching."""

    name = "cached slopes"

    def applies(self, draft: Draft) -> bool:
        """Tell whether slopes may be cached, and there is a function that has one."""
        return draft.keeps_slopes and any(draft.code.get(name) is not None for name in FUNCTIONS)

    def run(self, draft: Draft) -> None:
        """Take the module's calls apart."""
        calls = _calls(draft.code)
        for name in dict.fromkeys(call.callee for call in calls):
            draft.code.add_text("\n".join([*FUNCTIONS[name].declarations(), ""]))
        for number, call in enumerate(calls, 1):
            _take_apart(call, f"cached.slope.{number}")


def _calls(code: Module) -> list[Call]:
    """Return the calls whose slopes are worth caching."""
    names = {name for name in FUNCTIONS if code.get(name) is not None}
    return [
        one
        for function in code.functions
        if function.callees() & names
        for one in function.calls_of(*names)
        if one.opcode == "call"
        and one.type in _FLOATS
        and [given.type for given in one.arguments] == [one.type]
    ]


def _take_apart(call: Call, wish: str) -> None:
    """Put in place of a call what computes its value and its slope, and one that picks the value."""
    function, home = FUNCTIONS[call.callee], call.function
    name = wish
    while home.find(f"%{name}.value") is not None:
        name += ".more"
    before = Builder(call, keeps_location=True)
    *lines, _ = function.call("%result", call.arguments[0].ref, f"%{name}")
    made: list[Value] = [before.parse(line) for line in lines]
    result = pick(before, made[-1], made[0], f"{name}.result")
    call.replace_under_its_name(result)
