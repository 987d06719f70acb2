"""Inlining what takes derivatives into what is differentiated.

A derivative that is differentiated again must stand in the function that the outer request is about.
Where a function with such a call is itself called, the pass makes an augmented copy of it and calls
that with other arguments than it has (MEASURED: "Number of arg operands != function parameters", or an
assertion, in reverse over reverse). LLVM inlines small functions by itself; here all are.

So is all that reverse over reverse differentiates twice. Behind a call, what a loop carries and what is read after
the loop came out wrong without a word: `for _ in range(n): x = sin(x)` in a function that is called
twice (tests/test_nested_calls.py).
"""

from __future__ import annotations

import re

import llvmlite.binding as llvm

from enzyme_py.assembly.nesting import reversed_twice

_DERIVATIVE = re.compile(r"\bcall\b[^\n]*@__enzyme_")
_CALLEE = re.compile(r'\bcall\b[^@\n]*@("[^"]*"|[-a-zA-Z$._0-9]+)\(')


def inline_derivatives(module: llvm.ModuleRef) -> None:
    """Mark the functions on the way to a derivative, or reversed twice, that do not call themselves."""
    texts = {one.name: str(one) for one in module.functions if not one.is_declaration}
    calls = {
        name: {found.strip('"') for found in _CALLEE.findall(text)} for name, text in texts.items()
    }
    marked = {name for name, text in texts.items() if _DERIVATIVE.search(text)}
    pending = set(marked)
    while pending:
        pending = {name for name, callees in calls.items() if callees & pending} - marked
        marked |= pending
    marked |= reversed_twice(str(module))
    for one in module.functions:
        if one.name not in marked or one.linkage == llvm.Linkage.external:
            continue
        is_kept = any(b"noinline" in one_set for one_set in one.attributes)
        if not is_kept and one.name not in _reached(one.name, calls):
            one.add_function_attribute("alwaysinline")


def _reached(name: str, calls: dict[str, set[str]]) -> set[str]:
    """Return what a function calls, directly or not."""
    seen: set[str] = set()
    pending = set(calls.get(name, ()))
    while pending:
        current = pending.pop()
        if current not in seen:
            seen.add(current)
            pending |= calls.get(current, set())
    return seen
