"""Where a pointer of one function may begin, also if it lay in memory in between.

Memory is an allocation, or all that a parameter leads to. A pointer that is loaded begins where those begin that are stored at
the same offset from the start of the same memory, and at the parameter; an offset that only the run decides on may be any.
What callees store is not seen: a load of which no store is known begins where it is. So this tells what may be, and proves
nothing. `PointsTo` takes all bytes of one memory together: of a list of arrays it would tell each as any other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from enzyme_py.llvm import (
    Analysis,
    Argument,
    Constant,
    Function,
    GetElementPtr,
    Instruction,
    Load,
    Value,
)
from enzyme_py.llvm.analyses.points_to import sources
from enzyme_py.llvm.types import is_pointer
from enzyme_py.passes.checks.memory_writes import MemoryWrites, Write

Place = tuple[
    Value, int | None
]  # what a pointer begins at, and how many bytes behind that it leads

_SEVERAL = 16  # offsets from one start, beyond which they may be any: a pointer that a loop moves


class HeldPointers(Analysis):
    """The pointers of a function, and those in the memory that they lead to."""

    def __init__(self, function: Function) -> None:
        super().__init__(function)
        found = (one for one in function.instructions if is_pointer(one.type))
        self._sources = {
            one: steps
            for one in found
            if (steps := sources(one)) is not None or isinstance(one, Load)
        }
        writes = function.analysis(MemoryWrites).writes
        self._stores = [one for one in writes if one.is_pointer or one.is_copy]
        self._places: dict[Value, set[Place]] = {one: set() for one in self._sources}
        self._contents = defaultdict[Value, set[tuple[int | None, Place]]](set)
        self._begin_at_loads = False
        self._follow()
        self._begin_at_loads = True  # those of which no store is known by now
        self._follow()

    def origins(self, pointer: Value) -> set[Value]:
        """Return everything that a pointer may be an offset from."""
        return {start for start, _ in self._at(pointer)}

    def _follow(self) -> None:
        size = -1
        while size != (size := self._size()):
            for one, steps in self._sources.items():
                self._places[one] = _few(self._places[one] | set(self._led_to(one, steps)))
            for store in self._stores:
                self._keep(store)

    def _size(self) -> int:
        places, contents = self._places.values(), self._contents.values()
        return sum(map(len, places)) + sum(map(len, contents))

    def _at(self, pointer: Value) -> set[Place]:
        return self._places.get(pointer, {(pointer, 0)})

    def _led_to(self, one: Instruction, steps: list[Value] | None) -> Iterator[Place]:
        """Yield the places of a pointer, as far as those that it is made from are known."""
        if steps is None:
            yield from self._loaded(one.operands[0])
            if self._begin_at_loads and not self._places[one]:
                yield one, 0
            return
        moved = _bytes(one) if isinstance(one, GetElementPtr) else 0
        for step in steps:
            for start, offset in self._at(step):
                yield start, None if moved is None or offset is None else offset + moved

    def _loaded(self, pointer: Value) -> Iterator[Place]:
        for start, offset in self._at(pointer):
            if isinstance(start, Argument):
                yield start, None
            for where, place in self._contents[start]:
                if where == offset or None in (where, offset):
                    yield place

    def _keep(self, store: Write) -> None:
        held = set(self._loaded(store.source)) if store.is_copy else self._at(store.source)
        for start, offset in self._at(store.target):
            self._contents[start] |= {(None if store.is_copy else offset, one) for one in held}


def _bytes(one: GetElementPtr) -> int | None:
    """Return by how many bytes a pointer is moved, None if only the run decides."""
    index = one.indices[0]
    if one.source_type != "i8" or len(one.indices) > 1 or not isinstance(index, Constant):
        return None
    return index.integer


def _few(places: set[Place]) -> set[Place]:
    """Return the places, those behind one start as one if they are many."""
    behind = defaultdict[Value, set[int | None]](set)
    for start, offset in places:
        behind[start].add(offset)
    return {
        (start, offset)
        for start, found in behind.items()
        for offset in ({None} if None in found or len(found) > _SEVERAL else found)
    }
