"""Calls that make new memory, by malloc or calloc, and how many bytes it has."""

from __future__ import annotations

from enzyme_py.llvm.instructions import Call
from enzyme_py.llvm.module import Module
from enzyme_py.llvm.values import Constant, Value

ALLOCATORS = ("malloc", "calloc")


def may_allocate(code: Module) -> bool:
    """Tell whether a module knows a function that makes memory."""
    return any(code.get(name) is not None for name in ALLOCATORS)


def allocated_bytes(call: Call) -> Value | None:
    """Return how many bytes an allocation has; None where that takes a product, or the call makes no memory."""
    if call.callee not in ALLOCATORS:
        return None
    *counts, size = call.arguments
    is_one = all(isinstance(one, Constant) and one.integer == 1 for one in counts)
    return size if is_one else None
