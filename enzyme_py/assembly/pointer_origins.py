"""Where a pointer begins: what it can be an offset from, within one function."""

from __future__ import annotations

import re
from collections.abc import Iterator

from enzyme_py.assembly.ir_text import Function, bare, split_operands, value_of

PHI_VALUE = re.compile(r"\[ (.+?), %")
_THROUGH = ("bitcast", "addrspacecast", "freeze")


def origins(function: Function, pointer: str) -> Iterator[str]:
    """Follow a pointer back to where it begins."""
    seen, pending = set[str](), [pointer]
    while pending:
        current = pending.pop()
        if current in seen:
            continue
        seen.add(current)
        steps = pointer_sources(function.definitions.get(current, ""))
        if steps is None:
            yield current
        else:
            pending += steps


def pointer_sources(definition: str) -> list[str] | None:
    """Return what a pointer is made from, or None where it begins."""
    if definition.startswith("getelementptr "):
        return [value_of(split_operands(definition)[1])]
    if definition.startswith("phi ptr"):
        return [value_of(one) for one in PHI_VALUE.findall(definition)]
    if definition.startswith("select "):
        return [value_of(one) for one in split_operands(bare(definition))[1:3]]
    if definition.startswith(_THROUGH):
        return [value_of(bare(definition).split(" to ", 1)[0])]
    return None
