"""Which values own a block of memory, where each may still be looked at, and where it changes hands.

An owner is the result of malloc or calloc, or a phi that takes owners over. A phi that may also get
what is no owner (`v = x` before the loop, `v = np.sin(v)` in it) is one too, but what is freed is a
companion: a phi with null in place of whatever else it is. Whatever is computed from an owner is derived
from it and keeps it alive. An owner is refused, and its memory left to the region, if it escapes: it is
stored, returned, given to a call that may capture or free it. Its frees are left out, and made anew where
it really ends. At an edge on which an owner flows into an owning phi, the phi takes over; so a block has
one owner at any time, the value from which it can be freed.

Two more refusals make that true. A derived value may outlive the iteration of a loop in which its owner
was made, or meet others where not every path has come by the owner: where an owner is alive its
definition must dominate, and it may not be alive at its own definition. And an owner may not be
alive, or handed over twice, where another takes it over: one that is (`v = y; for ...: v = np.sin(v)`, and y is
needed behind the loop) is lent to the phi, which then keeps it alive and owns what else it gets.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from enzyme_py.llvm import Block, Call, Function, Instruction, Load, Phi, Store, Value
from enzyme_py.llvm.analyses.control_flow import ControlFlow
from enzyme_py.llvm.analyses.dominators import Dominators
from enzyme_py.native.rewrites.callees import Callees, Effect
from enzyme_py.native.rewrites.slots import Slots

_NULL = "null"
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
    """The owners among the values of one function; `roots` are the allocations.

    `bases` has the owners from which each value is derived, `alive` the blocks at whose beginning each
    owner is needed, `frees` the calls that free one now.
    """

    def __init__(self, function: Function, roots: Sequence[Instruction], callees: Callees) -> None:
        self._flow = function.analysis(ControlFlow)
        self._dominators = function.analysis(Dominators)
        self._callees = callees
        self._roots = set(roots)
        self._slots = Slots(function, roots)
        self.found: set[Instruction] = set()
        self.bases: dict[Instruction, set[Instruction]] = {}
        self.alive: dict[Instruction, set[Block]] = {}
        self._refused: set[Instruction] = set()
        self._lent: set[tuple[Phi, Instruction]] = set()  # a phi, an owner that stays another's
        self._effects: dict[tuple[Instruction, Value], Effect] = {}
        self._live: dict[Instruction, set[Block]] = {}
        while found := self._refusals():
            refused, lent = found
            self._refused |= refused
            self._lent |= lent
        self.frees = {
            user
            for value in self.bases
            for user in value.users
            if self._effect(user, value) is Effect.FREES
        }

    def _refusals(self) -> tuple[set[Instruction], set[tuple[Phi, Instruction]]] | None:
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

    def _derive(self) -> set[Instruction]:
        """Find the owners and what is derived from them; return the owners that escape."""
        self.found = self._roots - self._refused | self._owning_phis()
        self.bases = {owner: {owner} for owner in self.found}
        escaped, pending = set[Instruction](), list(self.found)
        while pending:
            value = pending.pop()
            for user in value.users:
                effect = self._effect(user, value)
                if effect is Effect.ESCAPES:
                    escaped |= self.bases[value]
                elif effect is Effect.DERIVES:
                    results = self._results(user)
                    pending += [result for result in results if self._pass_on(value, result)]
        return escaped

    def _results(self, user: Instruction) -> list[Instruction]:
        """Return what an instruction makes of an owner: its result, or what loads what it stores."""
        if isinstance(user, Store):
            return [*(self._slots.loads_of(user) or ())]
        return [user]

    def _pass_on(self, value: Instruction, result: Instruction) -> bool:
        own = self.bases.setdefault(result, set())
        before = len(own)
        is_taken = result in self.found and not self.is_lent(result, value)
        own |= self.bases[value] - {value} if is_taken else self.bases[value]
        return len(own) != before

    def _owning_phis(self) -> set[Instruction]:
        """Return the phis that an owner reaches by phis alone."""
        phis, pending = set[Instruction](), list(self._roots - self._refused)
        while pending:
            for user in pending.pop().users:
                if isinstance(user, Phi) and user not in phis and user not in self._refused:
                    phis.add(user)
                    pending.append(user)
        return phis

    def _mixed(self) -> Iterator[Phi]:
        """Yield the phis that may also point into a block of which they are not the owner.

        That may be one that the phi itself owned an iteration ago, and lent to what it now takes over.
        """
        for phi in self._taking():
            for given in phi.values:
                others = self._bases_of(given) - {given}
                if others and (given not in self.found or phi in others):
                    yield phi

    def _taking(self) -> list[Phi]:
        """Return the phis among the owners."""
        return [one for one in self.found if isinstance(one, Phi)]

    def _bases_of(self, value: Value) -> set[Instruction]:
        return self.bases.get(value, set()) if isinstance(value, Instruction) else set()

    def doubtful(self) -> set[Phi]:
        """Return the owners that may be none: what is freed in their place is a companion."""
        phis = set(self._taking())
        return phis - self._certain(phis - {phi for phi, _ in self._lent})

    def _certain(self, phis: set[Phi]) -> set[Phi]:
        """Return the phis between nothing but certain owners: the most for which that is true."""
        while wrong := {
            phi
            for phi in phis
            if not all(
                one in phis or one.ref == _NULL or (one in self._roots and one in self.found)
                for one in phi.values
            )
        }:
            phis = phis - wrong
        return phis

    def _effect(self, user: Instruction, value: Value) -> Effect:
        key = (user, value)
        if key not in self._effects:
            self._effects[key] = self._find_effect(user, value)
        return self._effects[key]

    def _find_effect(self, user: Instruction, value: Value) -> Effect:
        if user.opcode in _PURE:
            return Effect.DERIVES
        if user.opcode in _HARMLESS:
            return Effect.HARMLESS
        if isinstance(user, Store):
            if user.value is not value:
                return Effect.HARMLESS
            return Effect.ESCAPES if self._slots.loads_of(user) is None else Effect.DERIVES
        if not isinstance(user, Call):
            return Effect.ESCAPES
        effect = self._callees.effect(user, value)
        is_known = effect is not Effect.FREES or self._is_allocation(value)
        return effect if is_known else Effect.ESCAPES

    def _is_allocation(self, value: Value) -> bool:
        """Tell whether a value is an allocation of this function, whichever path was taken.

        Its frees may be left out then, whether it is an owner in the end or not.
        """
        seen, pending = set[Value](), [value]
        while pending:
            current = pending.pop()
            if current in seen or current in self._roots or current.ref == _NULL:
                continue
            seen.add(current)
            if not isinstance(current, Phi):
                return False
            pending += current.values
        return True

    # -- where they are alive ----------------------------------------------------------------

    def _find_alive(self) -> dict[Instruction, set[Block]]:
        """Return, for each owner, the blocks at whose beginning it is needed."""
        alive: dict[Instruction, set[Block]] = {owner: set() for owner in self.found}
        for value, bases in self.bases.items():
            for owner in bases:
                alive[owner] |= self._live_in(value)
            for owner in bases - {value}:
                # A phi may point elsewhere on some of the paths that lead to it, but nobody knows
                # which; and to be loaded, a pointer must have lasted since it was stored.
                home = owner.home
                if isinstance(value, Phi) or (isinstance(value, Load) and value.home is not home):
                    alive[owner] |= {value.home, *self._flow.leading_to([value.home], [home])}
        return alive

    def _live_in(self, value: Instruction) -> set[Block]:
        """Return the blocks at whose beginning a value itself is needed."""
        if value not in self._live:
            home = value.home
            self._live[value] = self._flow.leading_to(self._used_in(value), [home])
        return self._live[value]

    def _used_in(self, value: Instruction) -> Iterator[Block]:
        """Yield the blocks that use a value, or whose end hands it to a phi; frees are no uses."""
        for user in value.users:
            if isinstance(user, Phi):
                yield from (block for given, block in user.incoming if given is value)
            elif self._effect(user, value) is not Effect.FREES:
                yield user.home

    def _out_of_place(self) -> Iterator[Instruction]:
        """Yield the owners that are needed where they are not, or no longer, known."""
        for owner, blocks in self.alive.items():
            home = owner.home
            if home in blocks or not all(self._dominators.dominates(home, one) for one in blocks):
                yield owner

    # -- where they change hands -------------------------------------------------------------

    def takers(self) -> dict[tuple[Instruction, Block, Block], set[Phi]]:
        """Return, for (owner, block, next block), the phis that take the owner over there."""
        takers: defaultdict[tuple[Instruction, Block, Block], set[Phi]] = defaultdict(set)
        for phi in self._taking():
            for value, block in phi.incoming:
                if isinstance(value, Instruction) and self.is_taken(phi, value):
                    takers[value, block, phi.home].add(phi)
        return takers

    def is_taken(self, phi: Phi, value: Value) -> bool:
        """Tell whether a phi becomes the owner of what another value owned."""
        return value in self.found and not self.is_lent(phi, value)

    def is_lent(self, phi: Value, owner: Value) -> bool:
        """Tell whether a phi has an owner that stays another's."""
        return (phi, owner) in self._lent

    def _taken_badly(self) -> tuple[set[Instruction], set[tuple[Phi, Instruction]]]:
        """Return the phis that own nothing, and what others have from owners that live on."""
        refused, lent = set[Phi](), set[tuple[Phi, Instruction]]()
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
        refused |= {phi for phi, _ in lent} - taking  # what takes nothing is no owner
        return {*refused}, {(phi, owner) for phi, owner in lent if phi not in refused}
