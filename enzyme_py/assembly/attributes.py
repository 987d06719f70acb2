"""Attributes on the functions that a module only declares, from the rule tables."""

from __future__ import annotations

import re

from enzyme_py.frontend import ruled
from enzyme_py.frontend.type_hints import BARRIER, BARRIER_ATTRIBUTES, HINT, HINT_ATTRIBUTES
from enzyme_py.rules import copies, orders
from enzyme_py.rules.inactive import INACTIVE

_DECLARATION = re.compile(r'^declare\b.*@"?([-a-zA-Z$._0-9]+)"?\(.*\).*$', re.MULTILINE)
# A barrier of floats: what it passes on must be known for a float. Reverse over forward takes a constant of
# unknown type for a pointer, and stores it as its own shadow (MEASURED).
_FLOAT = re.compile(r"^declare (double|float) (@[^(]*)\(\1[^)]*\)")
_POINTER = re.compile(r"\bptr\b")
_INTEGERS = 'ptr "enzyme_type"="{[-1]:Pointer, [-1,-1]:Integer}"'


def _with_tree(found: re.Match[str]) -> str:
    tree = f'"enzyme_type"="{{[-1]:Float@{found[1]}}}"'
    return f"declare {tree} {found[1]} {found[2]}({found[1]} {tree})"


def with_attributes(ir: str) -> str:
    """Return the module's text with the table's attributes on its declarations."""

    def annotate(found: re.Match[str]) -> str:
        if found.group(1).startswith(HINT):
            return f"{found.group(0)} {HINT_ATTRIBUTES}"
        if found.group(1).startswith(BARRIER):
            return f"{_FLOAT.sub(_with_tree, found.group(0))} {BARRIER_ATTRIBUTES}"
        if found.group(1).startswith(ruled.PREFIX):
            return ruled.declaration(found.group(1))
        if copies.is_declared(found.group(1)):
            return copies.declaration(found.group(1))
        if orders.is_order(found.group(1)):
            return orders.declaration(found.group(1))
        row = INACTIVE.get(found.group(1))
        if row is None:
            return found.group(0)
        declaration = _POINTER.sub(_INTEGERS, found.group(0)) if row.is_integral else found.group(0)
        if row.reads:
            declaration = _POINTER.sub("ptr readonly nocapture", declaration, count=row.reads)
        return f"{declaration} {row.attributes}"

    return _DECLARATION.sub(annotate, ir)
