"""Calls of exp, sin, tanh and their like, so that reverse mode keeps their slopes (rules/slopes.py)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from enzyme_py.assembly.module import DiffModule
from enzyme_py.rules.slopes import FUNCTIONS, Function, undeclared

_SYMBOLS = "|".join(re.escape(symbol) for symbol in sorted(FUNCTIONS, key=len, reverse=True))
_CALL = re.compile(
    rf"^( *)(%\S+) = (?:tail )?call (?:[a-z]+ )*?(?:double|float) @({_SYMBOLS})"
    r"\((?:double|float) (?:noundef )?(%?[^,()\s]+)\)[^\n]*$",
    re.MULTILINE,
)


def with_kept_slopes(
    module: DiffModule, simplify: Callable[[DiffModule], DiffModule]
) -> DiffModule:
    """Return the module with such calls taken apart, or the module itself if it has none.

    They are opaque then, so what the pass's own O2 can do about them comes first.
    """
    if not module.keeps_slopes or _CALL.search(module.ir) is None:
        return module
    text, used = _taken_apart(simplify(module).ir)
    if not used:
        return module
    needed = dict.fromkeys(line for one in used for line in one.declarations())
    return replace(module, ir="\n".join([text, *undeclared(text, needed), ""]))


def _taken_apart(text: str) -> tuple[str, list[Function]]:
    used: dict[str, Function] = {}
    count = 0

    def parts(call: re.Match[str]) -> str:
        nonlocal count
        count += 1
        indent, result, symbol, x = call.groups()
        function = used.setdefault(symbol, FUNCTIONS[symbol])
        lines = function.call(result, x, f"%kept.slope.{count}")
        return "\n".join(indent + line for line in lines)

    return _CALL.sub(parts, text), list(used.values())
