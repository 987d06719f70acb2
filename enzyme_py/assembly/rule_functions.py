"""The functions of rules in a module: those that no request needs are left out, the others come first.

A rule may differentiate: half of a rule is made from the other (custom/transposes.py). The pass goes through
the functions in the order of the module. When it differentiates a rule that still holds a request of its
own, it takes that for a call of an unknown function: so rules come first, and before them the rules of what they
call. And a half that is not asked for costs time, and may be refused.
"""

from __future__ import annotations

import re

from enzyme_py.frontend.ruled import PREFIX

_OWN = re.escape(PREFIX)
_DEFINED = re.compile(
    r'^define [^\n]*?@("[^"]*"|[-a-zA-Z$._0-9]+)\([^\n]*\{\n.*?^\}\n', re.MULTILINE | re.DOTALL
)
_NAME = re.compile(r'@("[^"]*"|[-a-zA-Z$._0-9]+)')
_PARTS = {"derivative": (".forward",), "gradient": (".augmented", ".reverse")}


def with_needed_rules(text: str) -> str:
    """Return the module's text without the rules of a direction that no reachable request takes."""
    if PREFIX not in text:
        return text
    texts = {one[1].strip('"'): one[0] for one in _DEFINED.finditer(text)}
    calls = {
        name: {found.strip('"') for found in _NAME.findall(body)} for name, body in texts.items()
    }
    roots = {name for name, body in texts.items() if _is_root(body) and PREFIX not in name}
    needed: set[str] = set()
    while True:
        reached = _reached(roots | _halves(texts, needed), calls)
        found = {kind for kind, request in _REQUESTS.items() if any(map(request.search, map(texts.__getitem__, reached & texts.keys())))}
        if found <= needed:
            break
        needed |= found
    for kind in _PARTS.keys() - needed:
        table = rf'^@"?__enzyme_register_{kind}_{_OWN}[^\n]*\n'
        text = re.sub(table, "", text, flags=re.MULTILINE)
    return text


_REQUESTS = {
    "derivative": re.compile(r"@__enzyme_fwd"),
    "gradient": re.compile(r"@__enzyme_(?:autodiff|augmentfwd|reverse)"),
}


def _is_root(body: str) -> bool:
    head = body[: body.index("\n")]
    return not re.match(r"define (?:linkonce_odr|internal|private)\b", head)


def _halves(texts: dict[str, str], needed: set[str]) -> set[str]:
    suffixes = tuple(part for kind in needed for part in _PARTS[kind])
    return {name for name in texts if name.startswith(PREFIX) and suffixes and name.endswith(suffixes)}


def _reached(roots: set[str], calls: dict[str, set[str]]) -> set[str]:
    seen: set[str] = set()
    pending = set(roots)
    while pending:
        current = pending.pop()
        if current not in seen:
            seen.add(current)
            pending |= calls.get(current, set())
    return seen


def rules_first(text: str) -> str:
    """Return the module's text with the functions of rules in front of all others."""
    if PREFIX not in text or "@__enzyme_" not in text:
        return text
    found = {
        one[1].strip('"'): one[0]
        for one in _DEFINED.finditer(text)
        if one[1].strip('"').startswith(PREFIX)
    }
    rest = _DEFINED.sub(lambda one: "" if one[1].strip('"') in found else one[0], text)
    place = re.search(r"^define ", rest, re.MULTILINE)
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
        called = {found.strip('"') for found in _NAME.findall(texts[name])}
        for other in texts:
            if other in called or other.rpartition(".")[0] in called:
                visit(other)
        order.append(name)

    for name in texts:
        visit(name)
    return order
