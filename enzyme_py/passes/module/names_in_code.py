"""Which functions of a module lead to which: read from names alone, so that no body need be looked into."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from enzyme_py.llvm import Module
from enzyme_py.symbols import RULED

RULE_PARTS = {"derivative": (".forward",), "gradient": (".augmented", ".reverse")}  # how the functions of a rule end, by direction


def has_rules(code: Module) -> bool:
    """Tell whether a module has functions with derivatives that we tell Enzyme."""
    return any(RULED in ref for ref in code.symbols)


def mentions(code: Module) -> dict[str, set[str]]:
    """Return for each function of a module the global names that stand in its body."""
    return {one.name: one.global_names() for one in code.functions}


def reached(roots: Iterable[str], led_to: Mapping[str, Collection[str]]) -> set[str]:
    """Return some names, and all that they lead to."""
    seen, pending = set[str](), list(roots)
    while pending:
        name = pending.pop()
        if name not in seen:
            seen.add(name)
            pending += led_to.get(name, ())
    return seen
