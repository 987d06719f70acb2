"""Keeping the numbers of captured arrays from the pass: it takes their bytes for values of any type.

A captured array is a constant of bytes, and so may a table be that LLVM made. From the bytes the pass concludes that what
is loaded there is "anything", also where the load says that it is a float, and one zero among doubles suffices. Forward mode
gives a constant that is no float its own value as tangent, so that it has one if it is a pointer: the
derivative of a gradient of `b[i] = X[i]` had X as the tangent of b, without a word (MEASURED).

So the pass sees declarations, of which the uses tell the types, and that nothing there is active. The numbers come back behind
it; what can be computed from them at compile time is, when the machine code is made.
"""

from __future__ import annotations

import re

from enzyme_py.frontend.captured_arrays import INACTIVE

_NAME = r'^(?P<name>@(?:[-\w$.]+|"[^"\n]*")) = '
_DATA = re.compile(
    _NAME + r"(?P<linkage>internal|private)(?P<words>[ \w]*) constant (?P<type>\[\d+ x \w+\])"
    r' (?P<numbers>c"[^"\n]*"|zeroinitializer|\[[^]\n]*\])(?P<rest>[^\n]*)$',
    re.MULTILINE,
)
_DECLARED = re.compile(
    _NAME + r"external(?P<words>[ \w]*) constant (?P<type>\[\d+ x \w+\])(?P<rest>[^\n]*)$",
    re.MULTILINE,
)
_FLOATS = ("x double]", "x float]")


def without_numbers(ir: str) -> tuple[str, dict[str, tuple[str, str]]]:
    """Return the text with declarations for data that hold floats, and (linkage, numbers) of each by name."""
    found: dict[str, tuple[str, str]] = {}

    def declared(data: re.Match[str]) -> str:
        is_marked = f"!{INACTIVE} " in data["rest"]
        if not is_marked and not data["type"].endswith(_FLOATS):
            return data[0]
        found[_plain(data["name"])] = data["linkage"], data["numbers"]
        mark = "" if is_marked else f", !{INACTIVE} !{{}}"
        return (
            f"{data['name']} = external{data['words']} constant {data['type']}{data['rest']}{mark}"
        )

    return _DATA.sub(declared, ir), found


def with_numbers(ir: str, numbers: dict[str, tuple[str, str]]) -> str:
    """Return the text with the data in place of their declarations."""

    def defined(data: re.Match[str]) -> str:
        name = _plain(data["name"])
        if name not in numbers:
            return data[0]
        linkage, own = numbers[name]
        return (
            f"{data['name']} = {linkage}{data['words']} constant {data['type']} {own}{data['rest']}"
        )

    return _DECLARED.sub(defined, ir) if numbers else ir


def _plain(name: str) -> str:
    """Return a name without the quotes that llvmlite gives to more names than LLVM does."""
    return name.removeprefix("@").strip('"')
