"""Freeing what a loop allocates in each turn, as soon as nobody can look at it any more.

Numba's reference counts are stripped (frontend/containers/memory.py), so in forward mode, and in the primal, nothing
frees: a loop would keep the temporaries of all its turns until the region closes. The pass over
textual IR below, run on what comes back from Enzyme and before O3, gives each allocation its `free`
behind the last use, or on the edge on which it dies. owners.py says which allocations can be known so well; all others are left to the region.

In reverse mode Enzyme frees what it allocates itself, and kernels free in places. Where such a block is
known here, its frees are replaced by those of this pass; what the reverse sweep needs was stored,
so it is left alone.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from enzyme_py.assembly.control_flow import NAME, Body
from enzyme_py.native.rewrites.callees import Callees
from enzyme_py.native.rewrites.owners import Owners

_ALLOCATES = re.compile(rf"^  ({NAME}) = .*\bcall\b[^@\n]*@(?:malloc|calloc)\(", re.MULTILINE)
_FREE = re.compile(r"^declare [^@\n]*@free\(", re.MULTILINE)
_DECLARATION = "declare void @free(ptr captures(none)) nounwind\n"
_EDGE = "enzyme_py_dead"


def with_frees(ir: str) -> str:
    """Return a module in which temporaries are freed where they end."""
    if _ALLOCATES.search(ir) is None:
        return ir
    callees = Callees(ir)
    text = "".join(
        _freed_in(part, callees) if _ALLOCATES.search(part) else part
        for part in re.split(r"(?<=\n\}\n)", ir)
    )
    return text if _FREE.search(text) else text + _DECLARATION


def _freed_in(part: str, callees: Callees) -> str:
    """Return a part of the module, which ends with a function, with frees in it."""
    start = part.rindex("\ndefine ") + 1 if not part.startswith("define ") else 0
    before, (head, *lines) = part[:start], part[start:].removesuffix("\n}\n").split("\n")
    body = Body.of(head, lines)
    if body is None:
        return part
    frees = _Frees(body, Owners(body, set(_ALLOCATES.findall(part)), callees))
    return before + "\n".join([head, *frees.lines()]) + "\n}\n"


class _Frees:
    """Where in one function what is freed: before which lines, and on which edges."""

    def __init__(self, body: Body, owners: Owners) -> None:
        self._body = body
        self._owners = owners
        self._takers = owners.takers()
        self._companions = owners.companions()
        self._beside = {body.definitions[phi]: self._companion(phi) for phi in self._companions}
        self._last_uses = self._find_last_uses()
        self._at_line: defaultdict[int, list[str]] = defaultdict(list)
        self._at_edge: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
        for owner in sorted(owners.found, key=body.definitions.__getitem__):
            for block in {owners.home(owner), *owners.alive[owner]} & body.returning:
                self._end_in(owner, block)

    def _find_last_uses(self) -> dict[tuple[str, str], int]:
        """Return, for (owner, block), the last line that uses the owner or what derives from it."""
        last: dict[tuple[str, str], int] = {}
        for value, bases in self._owners.bases.items():
            for line in self._body.uses.get(value, ()):
                if self._body.opcodes[line] != "phi" and line not in self._owners.freed_at:
                    block = self._body.block_at[line].label
                    for owner in bases:
                        last[owner, block] = max(line, last.get((owner, block), -1))
        return last

    def _end_in(self, owner: str, label: str) -> None:
        """Free an owner that is alive in a block, in it or behind it, where it dies there."""
        block = self._body.blocks[label]
        after = dict.fromkeys(block.successors)
        dying = [one for one in after if not self._is_held(owner, label, one)]
        if len(dying) == len(after):
            self._at_line[self._place_in(owner, label)].append(owner)
            return
        for following in dying:
            if following in self._body.returning:
                self._end_at_edge(owner, label, following)

    def _is_held(self, owner: str, block: str, following: str) -> bool:
        taken = (owner, block, following) in self._takers
        return taken or following in self._owners.alive[owner]

    def _place_in(self, owner: str, label: str) -> int:
        """Return the line in front of which an owner is freed that dies in a block."""
        block = self._body.blocks[label]
        used = self._last_uses.get((owner, label), -1)
        made = self._body.definitions[owner] if self._owners.home(owner) == label else -1
        return min(max(used + 1, made + 1, block.body), block.exit)

    def _end_at_edge(self, owner: str, label: str, following: str) -> None:
        target = self._body.blocks[following]
        if len(target.predecessors) == 1:
            self._at_line[target.body].append(owner)
        elif self._body.blocks[label].successors.count(following) == 1:
            self._at_edge[label, following].append(owner)
        # else two edges of a switch, which is no common thing: left to the region

    def _companion(self, phi: str) -> str:
        """Return the phi that is freed in place of one that may be no owner."""
        found, is_lent = self._owners.found, self._owners.is_lent
        given = (
            (
                self._freed_for(value) if value in found and not is_lent(phi, value) else "null",
                block,
            )
            for value, block in self._body.incoming(self._body.definitions[phi])
        )
        values = ", ".join(f"[ {value}, {block} ]" for value, block in given)
        return f"  {self._companions[phi]} = phi ptr {values}"

    def _freed_for(self, owner: str) -> str:
        return self._companions.get(owner, owner)

    def _free(self, owner: str) -> str:
        return f"  call void @free(ptr {self._freed_for(owner)})"

    # -- the text ----------------------------------------------------------------------------

    def lines(self) -> Iterator[str]:
        """Yield the lines of the function with the frees in them."""
        detours = {edge: f"{_EDGE}.{number}" for number, edge in enumerate(self._at_edge)}
        rewritten = self._redirected(detours)
        for number, line in enumerate(self._body.lines):
            yield from map(self._free, self._at_line.get(number, ()))
            if number not in self._owners.freed_at:
                yield rewritten.get(number, line)
            if number in self._beside:
                yield self._beside[number]
        for (label, following), name in detours.items():
            yield f"\n{name}:"
            yield from map(self._free, self._at_edge[label, following])
            yield f"  br label {following}"

    def _redirected(self, detours: dict[tuple[str, str], str]) -> dict[int, str]:
        """Return the lines that change because edges get a block of their own."""
        changed: dict[int, str] = {}
        for (label, following), name in detours.items():
            for number in self._jump(label):
                line = changed.get(number, self._body.lines[number])
                changed[number] = _renamed(line, f"label {following}", f"label %{name}")
            target = self._body.blocks[following]
            for number in range(target.start, target.body):
                line = changed.get(number, self._body.lines[number])
                changed[number] = _rerouted(line, label, name)
                if number in self._beside:
                    self._beside[number] = _rerouted(self._beside[number], label, name)
        return changed

    def _jump(self, label: str) -> range:
        """Return the lines of a block's terminator."""
        start = end = self._body.blocks[label].exit
        if self._body.opcodes[start] == "switch":
            while not self._body.lines[end].startswith("  ]"):
                end += 1
        return range(start, end + 1)


def _renamed(line: str, old: str, new: str) -> str:
    return re.sub(rf"{re.escape(old)}(?![-a-zA-Z$._0-9])", lambda _: new, line)


def _rerouted(phi: str, label: str, detour: str) -> str:
    return phi.replace(f", {label} ]", f", %{detour} ]")
