"""The functions of rules in a module: those that no request needs are left out, the others come first.

A rule may differentiate: half of a rule is made from the other (custom/transposes.py). The pass goes through
the functions in the order of the module. When it differentiates a rule that still holds a request of its
own, it takes that for a call of an unknown function: so rules come first, and before them the rules of what they
call. And a half that is not asked for costs time, and may be refused.
"""

from __future__ import annotations

import re

from enzyme_py.errors import DerivativeError, Where
from enzyme_py.frontend.ruled import PREFIX

_OWN = re.escape(PREFIX)
_DEFINED = re.compile(
    r'^define [^\n]*?@("[^"]*"|[-a-zA-Z$._0-9]+)\([^\n]*\{\n.*?^\}\n', re.MULTILINE | re.DOTALL
)
_NAME = re.compile(r'@("[^"]*"|[-a-zA-Z$._0-9]+)')
# In the symbol of a function whose reverse does nothing for cotangents of zero: it may call itself.
SILENT = "_silent"
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
        found = {
            kind
            for kind, request in _REQUESTS.items()
            if any(map(request.search, map(texts.__getitem__, reached & texts.keys())))
        }
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
    return {
        name for name in texts if name.startswith(PREFIX) and suffixes and name.endswith(suffixes)
    }


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
    texts = {one[1].strip('"'): one[0] for one in _DEFINED.finditer(text)}
    names = _sorted(texts)
    rest = _DEFINED.sub(lambda one: "" if one[1].strip('"') in names else one[0], text)
    place = re.search(r"^define ", rest, re.MULTILINE)
    start = place.start() if place else len(rest)
    return rest[:start] + "".join(texts[name] for name in names) + rest[start:]


def _sorted(texts: dict[str, str]) -> list[str]:
    """Return the names of the functions of rules, what they lead to in front of them."""
    rules = [name for name in texts if name.startswith(PREFIX)]
    calls = {
        name: {found.strip('"') for found in _NAME.findall(body.partition("\n")[2])}
        for name, body in texts.items()
    }
    order: list[str] = []
    seen: set[str] = set()

    def visit(name: str) -> None:
        if name in seen:
            return
        seen.add(name)
        reached = _reached(calls[name], calls)
        for other in rules:
            if other in reached or other.rpartition(".")[0] in reached:
                visit(other)
        order.append(name)

    for name in rules:
        visit(name)
    return order


def check_reverse_depth(text: str, where: Where) -> None:
    """Refuse reverse mode over reverse mode over any third derivative through rules.

    A part of the derivative is lost without a word (MEASURED: 0 of 24, and 36 where 48 is right, of x^4 in
    two factors). The other six nestings of three are right.
    """
    if PREFIX not in text:
        return
    texts = {one[1].strip('"'): one[0] for one in _DEFINED.finditer(text)}
    depths: dict[str, int] = {}

    def depth(name: str) -> int:
        if name not in depths:
            depths[name] = 0  # for recursion
            own = 0
            for line in texts[name].split("\n"):
                called = " call " in line
                is_reverse = called and bool(_REQUESTS["gradient"].search(line))
                is_request = is_reverse or (called and bool(_REQUESTS["derivative"].search(line)))
                for other in {found.strip('"') for found in _NAME.findall(line)} & texts.keys():
                    if other != name:
                        # The innermost derivative counts, and each reverse one around it.
                        below = depth(other)
                        own = max(own, below + is_reverse if below else int(is_request))
            depths[name] = own
        return depths[name]

    deepest = max((depth(name) for name in texts if PREFIX not in name), default=0)
    if deepest >= 3:
        what = "a third derivative, reverse over reverse outside, through linear algebra or a custom rule"
        remedy = "take one of the two outer ones in forward mode: grad of jvp of grad"
        raise DerivativeError(what, where=where, remedy=remedy)


def check_endless(text: str, where: Where) -> None:
    """Refuse a differentiated module in which a rule needs its own derivative."""
    if PREFIX not in text:
        return
    texts = {one[1].strip('"'): one[0] for one in _DEFINED.finditer(text)}
    calls = {
        name: {found.strip('"') for found in _CALLED.findall(body)} & texts.keys()
        for name, body in texts.items()
        if SILENT not in name
    }
    for name, called in calls.items():
        if PREFIX in name and name in _reached(called, calls):
            what = "a rule needs its own derivative: it calls its function where that is differentiated"
            remedy = "let the rule compute what it needs itself, or call its function by name in the rule"
            raise DerivativeError(what, where=where, remedy=remedy)


_CALLED = re.compile(r'\bcall\b[^@\n]*@("[^"]*"|[-a-zA-Z$._0-9]+)\(')
