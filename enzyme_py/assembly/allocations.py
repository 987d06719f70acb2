"""Keeping Enzyme from recomputing allocations that outlive one turn of their loop.

Enzyme rematerialises allocations: instead of keeping a temporary for the reverse sweep it allocates
and computes it again there, which is most of the speed of loops with array temporaries (DESIGN 5).
It does so too where the pointer is carried into the next turn of the loop,

    v = x.copy()
    for _ in range(n):
        v = np.sin(v) * x

and then the adjoint of one turn never reaches the one before: a wrong gradient without a word
(MEASURED on v0.0.238, also without jump threading and with noreturn raises).

So allocations whose pointer merges with another at a phi or select, or leaves its loop through one,
are marked: a call that seems to keep the pointer makes Enzyme store it. That can be seen only in
the code that the pass really gets, after O2, whose text is what this file reads and writes. The
native stage drops the marks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from enzyme_py.frontend.type_hints import HINT, HINT_ATTRIBUTES

KEPT = f"{HINT}.kept"

_VALUE = r'%(?:"[^"]+"|[-a-zA-Z$._0-9]+)'
_ALLOCATION = re.compile(rf"^ *({_VALUE}) = .*\bcall\b.* ptr @(?:malloc|calloc|realloc)\(")
_OFFSET = re.compile(rf"^ *({_VALUE}) = getelementptr [^,]*, ptr ({_VALUE})")
_PHI = re.compile(rf"^ *({_VALUE}) = phi ptr (.*)$")
_INCOMING = re.compile(r"\[ ([^,]+), ")
_SELECT = re.compile(rf"^ *({_VALUE}) = select i1 [^,]+, ptr ([^,]+), ptr ([^,]+)")


def allocates(ir: str) -> bool:
    """Tell whether a module can contain an allocation at all."""
    return "@malloc(" in ir


def protect_carried(ir: str) -> str:
    """Return the module's text with every allocation marked that must not be recomputed."""
    lines = ir.split("\n")
    found = False
    result: list[str] = []
    for function in _pieces(lines):
        carried = _carried(function)
        found = found or bool(carried)
        for line in function:
            result.append(line)
            match = _ALLOCATION.match(line)
            if match and match.group(1) in carried:
                result.append(f"  call void @{KEPT}(ptr {match.group(1)})")
    if found:
        result.append(f"declare void @{KEPT}(ptr) {HINT_ATTRIBUTES}\n")
    return "\n".join(result)


def _pieces(lines: list[str]) -> Iterator[list[str]]:
    """Split a module at the ends of its functions."""
    piece: list[str] = []
    for line in lines:
        piece.append(line)
        if line == "}":
            yield piece
            piece = []
    yield piece


def _carried(function: list[str]) -> set[str]:
    """Return the allocations of one function whose pointers merge with others."""
    roots = {match.group(1) for line in function if (match := _ALLOCATION.match(line))}
    if not roots:
        return set()
    sources = dict(_sources(function))
    origins = _origins(roots, sources)
    carried: set[str] = set()
    for name, (is_merge, given) in sources.items():
        own = origins.get(name, set())
        merges = len(own) > 1 or len(given) == 1  # a phi of one value stands behind a loop
        if is_merge and merges:
            carried |= own & roots
    return carried


def _sources(function: list[str]) -> Iterator[tuple[str, tuple[bool, list[str]]]]:
    """Yield each pointer made from others: whether it chooses between them, and what they are."""
    for line in function:
        if match := _OFFSET.match(line):
            yield match.group(1), (False, [match.group(2)])
        elif match := _PHI.match(line):
            yield match.group(1), (True, _INCOMING.findall(match.group(2)))
        elif match := _SELECT.match(line):
            yield match.group(1), (True, [match.group(2), match.group(3)])


def _origins(
    roots: set[str], sources: dict[str, tuple[bool, list[str]]]
) -> dict[str, set[str]]:
    """Return, for each pointer, the allocations and other pointers from which it can come."""
    origins: dict[str, set[str]] = {root: {root} for root in roots}
    changed = True
    while changed:
        changed = False
        for name, (_, given) in sources.items():
            own = origins.setdefault(name, set())
            before = len(own)
            for one in given:
                own |= origins.get(one, set()) if one in sources or one in roots else {one}
            changed = changed or len(own) != before
    return origins
