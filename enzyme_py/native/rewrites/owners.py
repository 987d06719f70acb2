"""Which values own a block of memory, where each may still be looked at, and where it changes hands.

An owner is the result of malloc or calloc, or a phi that takes owners over. A phi that may also get
what is no owner (`v = x` before the loop, `v = np.sin(v)` in it) is one too, but what is freed is a
companion: a phi with null in place of whatever else it is. Whatever is computed from an owner is derived from it and keeps it alive. An owner is refused, and its memory
left to the region, if anybody else may come to know it: it is stored, returned, given to a call
that may keep or free it. Its frees are left out, and made anew where it really ends. At an edge on which an owner flows into an owning phi, the phi takes over; so
a block has one owner at any time, the value from which it can be freed.

Two more refusals make that true. A derived value may outlive the turn of a loop in which its owner
was made, or meet others where not every way has come by the owner: where an owner is alive its
definition must dominate, and it may not be alive at its own definition. And an owner may not be
alive, or handed over twice, where another takes it over: one that is (`v = y; for ...: v = np.sin(v)`, and y is
needed behind the loop) is lent to the phi, which then keeps it alive and owns what else it gets.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from enzyme_py.assembly.control_flow import Body
from enzyme_py.native.rewrites.callees import Callees, Effect
from enzyme_py.native.rewrites.slots import Slots

_NULL = "null"
_COMPANION = "enzyme_py_own"
# The result is made of nothing but the operands.
_PURE = frozenset(
    (
        *"getelementptr bitcast addrspacecast freeze select phi ptrtoint ptrtoaddr inttoptr".split(),
        *"insertelement extractelement shufflevector insertvalue extractvalue".split(),
        *"add sub mul udiv sdiv urem srem and or xor shl lshr ashr trunc zext sext".split(),
    )
)
# A comparison tells of addresses, not of memory; a jump that depends on one neither.
_HARMLESS = frozenset(("load", "icmp", "br", "switch"))


class Owners:
    """The owners among the values of one function; `roots` are the allocations."""

    def __init__(self, body: Body, roots: set[str], callees: Callees) -> None:
        self.body = body
        self.callees = callees
        self.slots = Slots(body, roots)
        self.found: set[str] = set()
        self.bases: dict[str, set[str]] = {}
        self.freed_at: set[int] = set()
        self.alive: dict[str, set[str]] = {}
        self._roots = roots
        self._refused: set[str] = set()
        self._lent: set[tuple[str, str]] = set()  # (phi, the owner that it has from another)
        self._effects: dict[tuple[int, str], Effect] = {}
        self._live: dict[str, set[str]] = {}
        while found := self._refusals():
            refused, lent = found
            self._refused |= refused
            self._lent |= lent
        self.freed_at = {
            line
            for value in self.bases
            for line in self.body.uses.get(value, ())
            if self._effect(line, value) is Effect.FREES
        }

    def _refusals(self) -> tuple[set[str], set[tuple[str, str]]] | None:
        """Assume that what was not refused yet are owners; return which of them are not, and what is lent."""
        escaped = self._derive() or set(self._mixed())
        if escaped:
            return escaped, set()
        if not self.found:
            return None
        self.alive = self._find_alive()
        if misplaced := set(self._out_of_place()):
            return misplaced, set()
        badly = self._taken_badly()
        return badly if any(badly) else None

    # -- what is derived from what -----------------------------------------------------------

    def _derive(self) -> set[str]:
        """Find the owners and what is derived from them; return the owners that escape."""
        self.found = self._roots - self._refused
        self.found |= self._owning_phis()
        self.bases = {owner: {owner} for owner in self.found}
        escaped, pending = set[str](), list(self.found)
        while pending:
            value = pending.pop()
            for line in self.body.uses.get(value, ()):
                effect = self._effect(line, value)
                if effect is Effect.ESCAPES:
                    escaped |= self.bases[value]
                elif effect is Effect.DERIVES:
                    results = self._results(line)
                    pending += [result for result in results if self._pass_on(value, result)]
        return escaped

    def _results(self, line: int) -> list[str]:
        """Return what a line makes of an owner: its result, or what loads what it stores."""
        if self.body.opcodes[line] == "store":
            return self.slots.loads_of(line) or []
        return [self._name(line)]

    def _pass_on(self, value: str, result: str) -> bool:
        own = self.bases.setdefault(result, set())
        before = len(own)
        is_taken = result in self.found and not self.is_lent(result, value)
        own |= self.bases[value] - {value} if is_taken else self.bases[value]
        return len(own) != before

    def _owning_phis(self) -> set[str]:
        """Return the phis that an owner reaches by phis alone."""
        phis, pending = set[str](), list(self._roots - self._refused)
        while pending:
            for line in self.body.uses.get(pending.pop(), ()):
                name = self._name(line) if self._is_phi(line) else None
                if name is not None and name not in phis | self._refused:
                    phis.add(name)
                    pending.append(name)
        return phis

    def _mixed(self) -> Iterator[str]:
        """Yield the phis that may also point into a block of which they are not the owner.

        That may be one that the phi itself owned a turn ago, and lent to what it now takes over.
        """
        for phi in self.found - self._roots:
            for given in self._given(phi):
                others = self.bases.get(given, set()) - {given}
                if others and (given not in self.found or phi in others):
                    yield phi

    def companions(self) -> dict[str, str]:
        """Return, for each owner that may be none, the name of what is freed in its place."""
        phis = sorted(self.found - self._roots, key=self.body.definitions.__getitem__)
        certain = self._certain(set(phis) - {phi for phi, _ in self._lent})
        doubtful = (phi for phi in phis if phi not in certain)
        return {phi: f"%{_COMPANION}.{number}" for number, phi in enumerate(doubtful)}

    def _certain(self, phis: set[str]) -> set[str]:
        """Return the phis between nothing but certain owners: the most for which that is true."""
        while wrong := {
            phi
            for phi in phis
            if not (self._roots & self.found | phis | {_NULL}).issuperset(self._given(phi))
        }:
            phis = phis - wrong
        return phis

    def _given(self, phi: str) -> Iterator[str]:
        return (value for value, _ in self.body.incoming(self.body.definitions[phi]))

    def _is_phi(self, line: int) -> bool:
        return self.body.opcodes[line] == "phi"

    def _name(self, line: int) -> str:
        return self.body.lines[line].split(" = ", 1)[0].strip()

    def _effect(self, line: int, value: str) -> Effect:
        key = (line, value)
        if key not in self._effects:
            self._effects[key] = self._find_effect(line, value)
        return self._effects[key]

    def _find_effect(self, line: int, value: str) -> Effect:
        opcode, text = self.body.opcodes[line], self.body.lines[line]
        if opcode in _PURE:
            return Effect.DERIVES
        if opcode in _HARMLESS:
            return Effect.HARMLESS
        if opcode == "store":
            is_stored = f" {value}, ptr " in text  # else it is the address
            if not is_stored:
                return Effect.HARMLESS
            return Effect.ESCAPES if self.slots.loads_of(line) is None else Effect.DERIVES
        if opcode != "call":
            return Effect.ESCAPES
        effect = self.callees.effect(text, value)
        known = effect is not Effect.FREES or self._is_allocation(value)
        return effect if known else Effect.ESCAPES

    def _is_allocation(self, value: str) -> bool:
        """Tell whether a value is an allocation of this function, whichever way was taken.

        Its frees may be left out then, whether it is an owner in the end or not.
        """
        seen, pending = {_NULL}, [value]
        while pending:
            current = pending.pop()
            if current in seen or current in self._roots:
                continue
            seen.add(current)
            line = self.body.definitions.get(current)
            if line is None or not self._is_phi(line):
                return False
            pending += self._given(current)
        return True

    # -- where they are alive ----------------------------------------------------------------

    def _find_alive(self) -> dict[str, set[str]]:
        """Return, for each owner, the blocks at whose beginning it is needed."""
        alive: dict[str, set[str]] = {owner: set() for owner in self.found}
        for value, bases in self.bases.items():
            for owner in bases:
                alive[owner] |= self._live_in(value)
        for value in self.bases:
            home, opcode = self.home(value), self.body.opcodes[self.body.definitions[value]]
            for owner in self.bases[value] - {value}:
                # A phi may point elsewhere on some of the ways that lead to it, but nobody knows
                # which; and to be loaded, a pointer must have lasted since it was stored.
                if opcode == "phi" or (opcode == "load" and home != self.home(owner)):
                    alive[owner] |= self._ways(self.home(owner), [home])
        return alive

    def home(self, value: str) -> str:
        """Return the block in which a value is defined."""
        return self.body.block_at[self.body.definitions[value]].label

    def _live_in(self, value: str) -> set[str]:
        """Return the blocks at whose beginning a value itself is needed."""
        if value not in self._live:
            home = self.home(value)
            used = [block for block in self._used_in(value) if block != home]
            self._live[value] = self._ways(home, used)
        return self._live[value]

    def _ways(self, home: str, ends: list[str]) -> set[str]:
        """Return the blocks on all ways that lead to some blocks, back to `home`."""
        seen, pending = set[str](), ends
        while pending:
            block = pending.pop()
            if block not in seen:
                seen.add(block)
                before = self.body.blocks[block].predecessors
                pending += [one for one in before if one != home]
        return seen

    def _used_in(self, value: str) -> Iterator[str]:
        """Yield the blocks that use a value, or whose end hands it to a phi."""
        for line in self.body.uses.get(value, ()):
            if self._is_phi(line):
                yield from (block for given, block in self.body.incoming(line) if given == value)
            elif self._effect(line, value) is not Effect.FREES:
                yield self.body.block_at[line].label

    def _out_of_place(self) -> Iterator[str]:
        """Yield the owners that are needed where they are not, or no longer, known."""
        for owner, blocks in self.alive.items():
            home = self.home(owner)
            if home in blocks or not all(self.body.dominates(home, block) for block in blocks):
                yield owner

    # -- where they change hands -------------------------------------------------------------

    def takers(self) -> dict[tuple[str, str, str], set[str]]:
        """Return, for (owner, block, next block), the phis that take the owner over there."""
        takers: defaultdict[tuple[str, str, str], set[str]] = defaultdict(set)
        for phi in self.found - self._roots:
            for value, block in self.body.incoming(self.body.definitions[phi]):
                if value in self.found and not self.is_lent(phi, value):
                    takers[value, block, self.home(phi)].add(phi)
        return takers

    def is_lent(self, phi: str, owner: str) -> bool:
        """Tell whether a phi has an owner that stays another's."""
        return (phi, owner) in self._lent

    def _taken_badly(self) -> tuple[set[str], set[tuple[str, str]]]:
        """Return the phis that own nothing, and what others have from owners that live on."""
        refused, lent = set[str](), set[tuple[str, str]]()
        takers = self.takers()
        for (owner, _, after), phis in takers.items():
            if len(phis) > 1:
                refused |= phis
            elif after in self.alive[owner]:
                lent |= {(phi, owner) for phi in phis}
        taking = {
            phi
            for (owner, _, _), phis in takers.items()
            for phi in phis
            if (phi, owner) not in lent
        }
        idle = {phi for phi, _ in lent} - taking
        return refused | idle, {(phi, owner) for phi, owner in lent if phi not in refused | idle}
