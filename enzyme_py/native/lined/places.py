"""Numbers for lines of the user's, carried by instructions through LLVM's O3 and into the table of lines.

    book = PlaceBook()
    mark(code, book)            # before `finish`, which drops debug information: metadata of our own
    as_lines(code)              # behind it: debug information, flat, whose line numbers are the places' numbers
    ... O3 ...
    numbers = flatten(code)     # of each instruction, after inlining; the code is flat again

The usual machine code is made without debug information, since LLVM fails an assertion on it now and then where it writes
code. Here the debug information is of the smallest kind (`LineTablesOnly`, one file, no inlined call), and code is written
in another process (emitting.py).
"""

from __future__ import annotations

import linecache
from collections.abc import Iterator
from pathlib import Path

import numba

from enzyme_py.llvm import Function, Instruction, MetadataNode, Module
from enzyme_py.passes.hunting.source_places import Place, SourcePlaces

_KIND = "enzyme_py.place"
_HOME = Path(__file__).parent.parent.parent
_NOT_THE_USERS = (str(_HOME), str(Path(numba.__file__).parent))


def is_users(file: str) -> bool:
    """Tell whether a file holds code of the user's: neither ours nor Numba's, nor made up."""
    return not file.startswith(_NOT_THE_USERS) and not file.endswith("<string>")


def is_users_line(place: Place) -> bool:
    """Tell whether a place is a line of the user's. Numba and LLVM write line 1 where they do not know: mostly no code."""
    file, line = place
    if not is_users(file):
        return False
    words = linecache.getline(file, 1) if line == 1 else ""
    return line > 1 or any(word in words for word in ("def ", "lambda", "@"))


class PlaceBook:
    """The user's lines by their numbers, from 1; 0 is no line. All modules of one report share one."""

    def __init__(self) -> None:
        self.places: list[Place] = [("", 0)]
        self._numbers: dict[Place, int] = {}

    def number(self, place: Place) -> int:
        """Return the number of a line."""
        if place not in self._numbers:
            self._numbers[place] = len(self.places)
            self.places.append(place)
        return self._numbers[place]

    def reader(self, code: Module) -> LineReader:
        """Return what tells the numbers of a module's instructions."""
        return LineReader(code, self)


class LineReader:
    """The lines that the instructions of one module come from, by its debug information."""

    def __init__(self, code: Module, book: PlaceBook) -> None:
        self._places = SourcePlaces(code)
        self._book = book
        self._known: dict[str | None, int] = {None: 0}

    def __call__(self, one: Instruction) -> int:
        """Return the number of the innermost line of the user's that an instruction lies in."""
        return self.at(one.location)

    def numbers(self, function: Function) -> list[tuple[Instruction, int]]:
        """Return the instructions of a function with their lines; one without has that of its neighbour in the block.

        What passes of ours wrote, and what LLVM moved, has none; most often it serves what stands behind it.
        """
        return filled(function, {one: self(one) for one in function.instructions})

    def direct(self, one: Instruction) -> int:
        """Return the line of an instruction that stands in the user's code itself, not in what that calls; else 0."""
        location = one.location
        place = None if location is None else self._places.innermost(location)
        return self._book.number(place) if place is not None and is_users_line(place) else 0

    def at(self, location: str | None) -> int:
        """Return that of a location."""
        if location not in self._known:
            assert location is not None
            own = (place for place in self._places.of([location]) if is_users_line(place))
            place = next(own, None)
            self._known[location] = 0 if place is None else self._book.number(place)
        return self._known[location]


def filled(function: Function, numbers: dict[Instruction, int]) -> list[tuple[Instruction, int]]:
    """Return the instructions of a function with numbers, also where there was none: those of their neighbours."""
    own = {block: [numbers[one] for one in block.instructions] for block in function.blocks}
    for row in own.values():
        behind = 0
        for at in range(len(row) - 1, -1, -1):
            behind = row[at] = row[at] or behind
        before = 0
        for at, number in enumerate(row):
            before = row[at] = number or before
    waiting = [block for block, row in own.items() if not any(row)]
    for follows in (True, False):  # from what comes before it, and if that has none, from what comes behind it
        is_new = True
        while is_new and waiting:
            is_new = False
            for block in list(waiting):
                near = block.predecessors if follows else block.successors
                number = next((own[one][-1 if follows else 0] for one in near if any(own[one])), 0)
                if number:
                    own[block] = [number] * len(own[block])
                    waiting.remove(block)
                    is_new = True
    return [pair for block, row in own.items() for pair in zip(block.instructions, row, strict=True)]


def mark(code: Module, book: PlaceBook) -> None:
    """Let each instruction carry the number of its line as metadata of its own."""
    reader, nodes = book.reader(code), dict[int, MetadataNode]()
    for function in code.functions:
        for one, number in reader.numbers(function) if function.mentions("!dbg ") else ():
            if number:
                node = nodes.get(number) or code.add_node(f"!{{i32 {number}}}")
                nodes[number] = node
                one.set_metadata(_KIND, node)


def as_lines(code: Module) -> None:
    """Put debug information in the place of the numbers."""
    writer = _Writer(code)
    for function in code.functions:
        writer.write(function, [(one, _carried(code, one)) for one in function.instructions])


def _carried(code: Module, one: Instruction) -> int:
    node = code.metadata.get(one.metadata.get(_KIND, "")) if one.has_metadata(_KIND) else None
    one.remove_metadata(_KIND)
    return 0 if node is None else int(node.operands[0].removeprefix("i32 "))


def flatten(code: Module) -> Iterator[tuple[Instruction, int]]:
    """Yield each instruction of code behind O3 with its number, and leave it as its only line."""
    found = [
        (function, filled(function, {one: _line(code, one.location) for one in function.instructions}))
        for function in code.functions
    ]
    code.drop_debug_information()
    writer = _Writer(code)
    for function, numbered in found:
        writer.write(function, numbered)
        yield from numbered


def _line(code: Module, location: str | None) -> int:
    """Return the innermost number along the calls that were inlined."""
    while location is not None:
        fields = code.metadata[location].fields
        number = int(fields.get("line", 0))
        if number:
            return number
        location = fields.get("inlinedAt")
    return 0


class _Writer:
    """Writes flat debug information into one module."""

    def __init__(self, code: Module) -> None:
        self._code = code
        self._file = code.add_node('!DIFile(filename: "lines", directory: "")')
        self._unit = code.add_node(
            f"distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: {self._file}, isOptimized: true, "
            "runtimeVersion: 0, emissionKind: LineTablesOnly)"
        )
        self._type = code.add_node("!DISubroutineType(types: !{})")
        self._flag("Debug Info Version", 3)
        self._flag("Dwarf Version", 4)
        code.name_node("llvm.dbg.cu", self._unit)

    def _flag(self, name: str, value: int) -> None:
        """Set a flag of the module."""
        flags = self._code.named.get("llvm.module.flags")
        known = [self._code.metadata[ref] for ref in flags.operands] if flags is not None else []
        if not any(f'"{name}"' in one.content for one in known):
            self._code.name_node("llvm.module.flags", self._code.add_node(f'!{{i32 2, !"{name}", i32 {value}}}'))

    def write(self, function: Function, numbered: list[tuple[Instruction, int]]) -> None:
        """Give a function and its instructions their lines."""
        scope = self._code.add_node(
            f'distinct !DISubprogram(name: "f", scope: {self._file}, file: {self._file}, line: 1, type: {self._type}, '
            f"unit: {self._unit}, spFlags: DISPFlagDefinition)"
        )
        function.set_metadata("dbg", scope)
        nodes = dict[int, MetadataNode]()
        for one, number in numbered:
            if number not in nodes:
                nodes[number] = self._code.add_node(f"!DILocation(line: {number}, column: 0, scope: {scope})")
            one.set_metadata("dbg", nodes[number])
