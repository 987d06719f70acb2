"""The tangents of a batch side by side: arrays of lanes in place of an array for each lane.

The pass makes one shadow for each lane of a batch, in memory of its own. What is computed is the same for all
lanes, but a vector of them would have to be gathered. Where all that is done with such shadows is seen, they
become one block: lane k of element n lies at (n * lanes + k), so LLVM finds vectors in plain code. Addresses
keep their form: an index counts arrays of as many elements.

Only allocations that stand one behind another, alike, behind that of the primal, are looked at; and only if
nothing is done with them but to load and to store numbers of one size, at addresses made by an index. All
else (a call, a phi, a comparison, a block copy) leaves them apart. So does an inner loop that goes along
them: its turns become vectors, which need each lane by itself (MEASURED: else an elimination took a fifth more time).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from enzyme_py.assembly.control_flow import NAME, Block, Body

_MOST = 64  # lanes
_ALLOCATION = re.compile(
    rf"^  ({NAME}) = (?P<call>(?:tail )?call [^@\n]*@(?P<function>malloc|calloc)"
    r"\((?P<count>i64 (?:noundef )?1, )?i64 (?:noundef )?(?P<size>[^\s,()]+)\)(?: #\d+)?)(?:, !enzyme_py\.line !\d+)?$"
)
_ALLOCATIONS = re.compile(r"@[mc]alloc\([^\n]*\n  %\d+ = [^\n]*@[mc]alloc\([^\n]*\n  %\d+ = ")
_UNNAMED = re.compile(r"%\d+")
_ACCESS = re.compile(
    rf"^  (?:{NAME} = load|store) (?P<kind>double|float|i64|i32)"
    rf"(?: (?P<stored>[^\s,]+))?, ptr (?P<address>{NAME}), align (?P<align>\d+)(?=$|,)"
)
_INDEXED = re.compile(
    rf"^  (?P<result>{NAME}) = getelementptr (?P<flags>(?:inbounds |nusw |nuw )*)"
    rf"(?P<kind>[^,\n{{}}]+), ptr (?P<base>{NAME}), (?P<index>i(?:64|32) [^,\s]+)$"
)
_COUNTED = re.compile(
    r"^  \S+ = (?P<operation>add|sub|shl) (?:(?:nuw|nsw) )*i64 (?P<left>[^,\s]+), (?P<right>[^,\s]+)$"
)
_BYTES = {"double": 8, "i64": 8, "float": 4, "i32": 4}


def with_lanes_together(ir: str) -> str:
    """Return a module in which shadows of lanes lie side by side, where that is possible."""
    if _ALLOCATIONS.search(ir) is None:
        return ir
    parts = re.split(r"(?<=\n\}\n)", ir)
    return "".join(_joined(part) if _ALLOCATIONS.search(part) else part for part in parts)


def _joined(part: str) -> str:
    """Return a part of the module, which ends with a function, with its lanes joined."""
    start = part.rindex("\ndefine ") + 1 if not part.startswith("define ") else 0
    before, (head, *lines) = part[:start], part[start:].removesuffix("\n}\n").split("\n")
    body = Body.of(head, lines)
    if body is None:
        return part
    changed: dict[int, str] = {}
    for number, run in enumerate(_runs(lines)):
        group = _Group(run, [lines[line] for line in run])
        if group.is_readable(body):
            changed |= group.rewritten(body, number)
    return (
        before
        + "\n".join([head, *(changed.get(n, line) for n, line in enumerate(lines))])
        + "\n}\n"
    )


def _runs(lines: list[str]) -> Iterator[range]:
    """Yield the lines of allocations without a name, all alike, behind one that is like them."""
    begin, wanted = 0, ""
    for number, line in enumerate([*lines, ""]):
        found = _ALLOCATION.match(line)
        call = found["call"] if found else ""
        goes_on = call == wanted != "" and found is not None and _UNNAMED.fullmatch(found[1])
        if not goes_on:
            if 2 <= number - begin - 1 <= _MOST:
                yield range(begin + 1, number)
            begin, wanted = number, call


@dataclass
class _Group:
    """The shadows of all lanes of one array, and what is done with them."""

    run: range
    allocations: list[str]
    addresses: set[str] = field(default_factory=set)
    accesses: set[int] = field(default_factory=set)
    indexed: set[int] = field(default_factory=set)
    grain: int = 0  # bytes of an element

    def is_readable(self, body: Body) -> bool:
        """Find all uses; tell whether every one is understood."""
        pending = [line.split()[0] for line in self.allocations]
        while pending:
            value = pending.pop()
            self.addresses.add(value)
            for number in body.uses.get(value, ()):
                line = body.lines[number]
                if (found := _INDEXED.match(line)) and found["base"] == value:
                    self.indexed.add(number)
                    pending.append(found["result"])
                elif not self._is_access(number, line, value) or _goes_along(
                    body, number, value, self.grain
                ):
                    return False
        return self.grain > 0

    def _is_access(self, number: int, line: str, value: str) -> bool:
        found = _ACCESS.match(line)
        if found is None or found["address"] != value or found["stored"] == value:
            return False
        size = _BYTES[found["kind"]]
        self.grain = self.grain or size
        self.accesses.add(number)
        # A number that stands where one may stand belongs to one element, whatever its index.
        return size == self.grain and int(found["align"]) >= size

    def rewritten(self, body: Body, number: int) -> dict[int, str]:
        """Return the lines that change."""
        lanes = len(self.run)
        changed = {}
        for line in self.indexed:
            found = _INDEXED.match(body.lines[line])
            assert found
            kind = f"[{lanes} x {found['kind']}]"
            changed[line] = (
                f"  {found['result']} = getelementptr {found['flags']}{kind}, "
                f"ptr {found['base']}, {found['index']}"
            )
        for line in self.accesses:
            changed[line] = re.sub(
                r", align \d+", f", align {self.grain}", body.lines[line], count=1
            )
        names = [line.split()[0] for line in self.allocations]
        for lane, (line, name) in enumerate(zip(self.run, names, strict=True)):
            place = lane * self.grain
            changed[line] = f"  {name} = getelementptr inbounds i8, ptr {names[0]}, i64 {place}"
        changed[self.run[0]] = self._allocation(lanes, f"%enzyme_py_lanes.{number}")
        return changed

    def _allocation(self, lanes: int, made: str) -> str:
        """Return the allocation of all: an element more, so that addresses behind the last one are inside."""
        line = self.allocations[0]
        found = _ALLOCATION.match(line)
        assert found
        lines = [f"  {made} = add i64 {found['size']}, {self.grain}"]
        size = f"i64 {found['size']})"
        if found["count"]:
            line = line.replace(f"{found['count']}{size}", f"i64 {lanes}, i64 {made})")
        else:
            lines.append(f"  {made}.all = mul i64 {made}, {lanes}")
            line = line.replace(size, f"i64 {made}.all)")
        return "\n".join([*lines, line])


def _goes_along(body: Body, number: int, address: str, grain: int) -> bool:
    """Tell whether an access in a loop of one block goes to the next element in each turn."""
    block = body.block_at[number]
    if block.label not in block.successors:
        return False
    while True:
        line = body.definitions.get(address, -1)
        found = _INDEXED.match(body.lines[line]) if block.start <= line < block.exit else None
        if found is None:
            return False
        unit = _BYTES.get(found["kind"], 1 if found["kind"] == "i8" else 0)
        if unit * _turns(body, found["index"].split()[1], block) == grain:
            return True
        address = found["base"]


def _turns(body: Body, index: str, block: Block, depth: int = 4) -> int:
    """Return what is added to an index in a turn of the loop, 0 if that is not plain to see."""
    line = body.definitions.get(index, -1)
    if not block.start <= line < block.exit or depth == 0:
        return 0
    if body.opcodes[line] == "phi":
        return 1
    found = _COUNTED.match(body.lines[line])
    if found is None:
        return 0
    turns = _turns(body, found["left"], block, depth - 1)
    if found["operation"] == "shl":
        return turns << int(found["right"]) if found["right"].isdecimal() else 0
    return turns or _turns(body, found["right"], block, depth - 1)
