"""Functions of rules before all others in a module.

A rule may differentiate: half of a rule is made from the other (custom/transposes.py). The pass goes through
the functions in the order of the module. When it differentiates a rule that still holds a request of its
own, it takes that for a call of an unknown function: so rules come first, and before them the rules of what they
call.
"""

from __future__ import annotations

import re

from enzyme_py.frontend.ruled import PREFIX

_OWN = re.escape(PREFIX)
_DEFINED = re.compile(
    rf'^define [^\n]*@"?({_OWN}[^\s"(]*)"?\([^\n]*\{{\n.*?^\}}\n', re.MULTILINE | re.DOTALL
)
_NAMED = re.compile(rf'@"?({_OWN}[^\s"(]*?)(?:\.forward|\.reverse|\.augmented|\.body)?"?\(')
_REQUEST = re.compile(r"@__enzyme_(?:autodiff|fwddiff|augmentfwd|reverse)")
_FIRST = re.compile(r"^define ", re.MULTILINE)


def rules_first(text: str) -> str:
    """Return the module's text with rules that differentiate in front of all other functions."""
    if PREFIX not in text or not _REQUEST.search(text):
        return text
    found = {one[1]: one[0] for one in _DEFINED.finditer(text)}
    if not any(map(_REQUEST.search, found.values())):
        return text
    rest = _DEFINED.sub("", text)
    place = _FIRST.search(rest)
    start = place.start() if place else len(rest)
    return rest[:start] + "".join(found[name] for name in _sorted(found)) + rest[start:]


def _sorted(texts: dict[str, str]) -> list[str]:
    """Return the names, what a function calls in front of it."""
    order: list[str] = []
    seen: set[str] = set()

    def visit(name: str) -> None:
        if name in seen:
            return
        seen.add(name)
        called = set(_NAMED.findall(texts[name]))
        for other in texts:
            if other.rpartition(".")[0] in called or other in called:
                visit(other)
        order.append(name)

    for name in texts:
        visit(name)
    return order
