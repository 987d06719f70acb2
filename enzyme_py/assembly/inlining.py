"""Inlining what takes derivatives into what is differentiated.

A derivative that is differentiated again must stand in the function that the outer request is about.
Where a function with such a call is itself called, Enzyme makes an augmented copy of it and calls
that with other arguments than it has (measured: "Number of arg operands != function parameters", or an
assertion, in reverse over reverse). LLVM inlines small functions by itself; here all are.

So is all that reverse over reverse differentiates twice. Behind a call, what a loop carries and what is read after
the loop came out wrong without a word: `for _ in range(n): x = sin(x)` in a function that is called
twice (tests/whole/loops/test_nested_calls.py).

With run-time activity everything is inlined: Enzyme takes the place in which a called function leaves its result
for constant there, and the gradient of what comes out was zero without a word (measured; the fuzzer found it in a
function that calls itself; any that LLVM leaves alone does the same). What calls itself cannot be.

So it is where forward mode was refused, since constant memory meets active memory. A function that is called for an argument's
array and for one of the kernel's is given null as the owner of the first, and stores that beside active memory: inside of
the function Enzyme sees a constant pointer, and not that it is null (`np.reshape` of both, tests/tensors/test_tensors.py).
"""

from __future__ import annotations

import llvmlite.binding as llvm

from enzyme_py.errors import DerivativeError
from enzyme_py.llvm import Module
from enzyme_py.passes.module.requests import reversed_twice
from enzyme_py.symbols import REQUEST


class CallsItselfError(DerivativeError):
    """Run-time activity was asked for, and something cannot be inlined."""


def inline_derivatives(module: llvm.ModuleRef) -> None:
    """Mark the functions on the way to a derivative, or reversed twice, that do not call themselves."""
    code = Module(str(module))
    calls = _calls(code)
    marked = {one.name for one in code.functions if one.mentions(f"@{REQUEST}")}
    pending = set(marked)
    while pending:
        pending = {name for name, callees in calls.items() if callees & pending} - marked
        marked |= pending
    _mark(module, marked | reversed_twice(code), calls)


def inline_all(module: llvm.ModuleRef) -> list[str]:
    """Mark all functions that do not call themselves; returns those that do."""
    calls = _calls(Module(str(module)))
    return _mark(module, set(calls), calls)


def _calls(code: Module) -> dict[str, set[str]]:
    """Return what each function of a module calls."""
    return {one.name: one.callees() for one in code.functions}


def _mark(module: llvm.ModuleRef, names: set[str], calls: dict[str, set[str]]) -> list[str]:
    endless = []
    for one in module.functions:
        if one.name not in names or one.linkage == llvm.Linkage.external:
            continue
        is_kept = any(b"noinline" in one_set for one_set in one.attributes)
        if one.name in _reached(one.name, calls):
            endless.append(one.name)
        elif not is_kept:
            one.add_function_attribute("alwaysinline")
    return endless


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
