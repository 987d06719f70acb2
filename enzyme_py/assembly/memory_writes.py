"""The lines of a function that write to memory: where to, and what."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from enzyme_py.assembly.ir_text import Function, split_operands, value_of
from enzyme_py.frontend.grown_arrays import OWN

_COPIES = ("llvm.memcpy.", "llvm.memmove.", "enzyme_py_copy")


@dataclass(frozen=True)
class Write:
    """A store, or a copy from memory to memory; `is_own` if it certainly writes to nothing that is given."""

    target: str
    source: str
    is_copy: bool = False
    is_pointer: bool = False
    is_own: bool = False


@functools.lru_cache(maxsize=256)
def writes_in(function: Function) -> list[Write]:
    """List the stores and the copies of a function."""
    found = []
    for line in function.lines:
        text = line.lstrip()
        if text.startswith("store "):
            value, target = split_operands(text.removeprefix("store "))[:2]
            is_pointer, is_own = value.startswith("ptr "), f"!{OWN} " in text
            write = Write(value_of(target), value_of(value), is_pointer=is_pointer, is_own=is_own)
            found.append(write)
    for _, call in function.calls:
        if call.callee.startswith(_COPIES):
            found.append(Write(call.values[0], call.values[1], is_copy=True))
    return found
