"""Where a pointer of one function may begin, also if it lay in memory in between.

Memory is an allocation, or all that a parameter leads to. A pointer that is loaded begins where those begin that are stored at the
same distance from the start of the same memory, and at the parameter; a distance that only the run decides on may be any.
What callees store is not seen: a load of which no store is known begins where it is. So this tells what may be, and proves nothing.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from enzyme_py.assembly.ir_text import Function, split_operands, value_of
from enzyme_py.assembly.memory_writes import Write, writes_in
from enzyme_py.assembly.pointer_origins import pointer_sources

Place = tuple[str, int | None]  # what a pointer begins at, and how many bytes behind that it leads

_BYTES = re.compile(r"getelementptr [a-z ]*i8, ptr \S+, i64 (-?\d+)(?:,|$)")
_SEVERAL = 16  # distances from one start, beyond which they may be any: a pointer that a loop moves


class HeldPointers:
    """The pointers of a function, and those in the memory that they lead to."""

    def __init__(self, function: Function) -> None:
        self._definitions = {
            name: text
            for name, text in function.definitions.items()
            if pointer_sources(text) is not None or text.startswith("load ptr,")
        }
        self._stores = [one for one in writes_in(function) if one.is_pointer or one.is_copy]
        self._places: dict[str, set[Place]] = {name: set() for name in self._definitions}
        self._contents: defaultdict[str, set[tuple[int | None, Place]]] = defaultdict(set)
        self._given = set(function.parameters)
        self._begin_at_loads = False
        self._follow()
        self._begin_at_loads = True  # those of which no store is known by now
        self._follow()

    def origins(self, pointer: str) -> set[str]:
        """Return everything that a pointer may be an offset from."""
        return {start for start, _ in self._at(pointer)}

    def _follow(self) -> None:
        size = -1
        while size != (size := self._size()):
            for name, text in self._definitions.items():
                self._places[name] = _few(self._places[name] | set(self._led_to(name, text)))
            for store in self._stores:
                self._keep(store)

    def _size(self) -> int:
        places, contents = self._places.values(), self._contents.values()
        return sum(map(len, places)) + sum(map(len, contents))

    def _at(self, pointer: str) -> set[Place]:
        return self._places.get(pointer, {(pointer, 0)})

    def _led_to(self, name: str, text: str) -> Iterator[Place]:
        """Yield the places of a pointer, as far as those that it is made from are known."""
        sources = pointer_sources(text)
        if sources is None:
            yield from self._loaded(value_of(split_operands(text)[1]))
            if self._begin_at_loads and not self._places[name]:
                yield name, 0
            return
        is_moved = text.startswith("getelementptr ")
        bytes_on = _BYTES.match(text) if is_moved else None
        for source in sources:
            for start, distance in self._at(source):
                if not is_moved:
                    yield start, distance
                elif bytes_on is None or distance is None:
                    yield start, None
                else:
                    yield start, distance + int(bytes_on.group(1))

    def _loaded(self, pointer: str) -> Iterator[Place]:
        for start, distance in self._at(pointer):
            if start in self._given:
                yield start, None
            for where, place in self._contents[start]:
                if where == distance or None in (where, distance):
                    yield place

    def _keep(self, store: Write) -> None:
        held = set(self._loaded(store.source)) if store.is_copy else self._at(store.source)
        for start, distance in self._at(store.target):
            self._contents[start] |= {(None if store.is_copy else distance, one) for one in held}


def _few(places: set[Place]) -> set[Place]:
    """Return the places, those behind one start as one if they are many."""
    behind: defaultdict[str, set[int | None]] = defaultdict(set)
    for start, distance in places:
        behind[start].add(distance)
    return {
        (start, distance)
        for start, found in behind.items()
        for distance in ({None} if None in found or len(found) > _SEVERAL else found)
    }
