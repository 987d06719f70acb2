"""The instructions of a function that write to memory: where to, and what."""

from __future__ import annotations

from dataclasses import dataclass

from enzyme_py.llvm import Analysis, Call, Function, Store, Value
from enzyme_py.llvm.types import is_pointer
from enzyme_py.symbols import OWN

_COPIES = ("llvm.memcpy.", "llvm.memmove.", "enzyme_py_copy")


@dataclass(frozen=True)
class Write:
    """A store, or a copy from memory to memory; `is_own` if it certainly writes to nothing that is given."""

    target: Value
    source: Value
    is_copy: bool = False
    is_pointer: bool = False
    is_own: bool = False


class MemoryWrites(Analysis):
    """The direct calls of a function, and its writes: the stores, then the copies."""

    def __init__(self, function: Function) -> None:
        super().__init__(function)
        self.calls = list[Call]()
        self.writes, copies = list[Write](), list[Write]()
        for one in function.instructions:
            if isinstance(one, Store):
                self.writes.append(_stored(one))
            elif isinstance(one, Call) and one.callee:
                self.calls.append(one)
                if one.callee.startswith(_COPIES):
                    copies.append(Write(one.arguments[0], one.arguments[1], is_copy=True))
        self.writes += copies


def _stored(one: Store) -> Write:
    return Write(
        one.pointer,
        one.value,
        is_pointer=is_pointer(one.value.type),
        is_own=one.has_metadata(OWN),
    )
