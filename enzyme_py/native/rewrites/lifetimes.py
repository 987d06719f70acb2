"""Freeing what a loop allocates in each iteration, as soon as nobody can look at it any more.

Numba's reference counts are stripped (frontend/memory.py), so in forward mode, and in the primal, nothing
frees: a loop would keep the temporaries of all its iterations until the region closes. So what comes back
from Enzyme is changed before O3: each allocation is given its `free` behind the last use, or on the edge
on which it dies. owners.py says which allocations can be known so well; all others are left to the region.

In reverse mode Enzyme frees what it allocates itself, and kernels free in places. Where such a block is
known here, its frees are replaced by those of this pass; what the reverse sweep needs was stored,
so it is left alone.
"""

from __future__ import annotations

from collections import defaultdict

from enzyme_py.llvm import Block, Builder, Function, Instruction, Module, Phi, Value
from enzyme_py.llvm.analyses.allocations import ALLOCATORS
from enzyme_py.llvm.analyses.control_flow import ControlFlow
from enzyme_py.native.rewrites.callees import Callees
from enzyme_py.native.rewrites.owners import Owners

_EDGE = "enzyme_py_dead"
_COMPANION = "enzyme_py_own"


def add_frees(code: Module) -> None:
    """Free temporaries where they end."""
    callees = Callees()
    for function in code.functions:
        if any(function.mentions(f"@{name}(") for name in ALLOCATORS):
            roots = [one for one in function.calls_of(*ALLOCATORS) if one.has_result]
            if roots and _is_readable(function):
                _Frees(function, Owners(function, roots, callees)).put_in()


def _is_readable(function: Function) -> bool:
    """Tell whether all paths are known, and all can be freed on."""
    flow = function.analysis(ControlFlow)
    # Behind a call that must be the last, nothing can be freed.
    return flow.is_plain and flow.is_all_reachable and not function.mentions("musttail call ")


class _Frees:
    """Where in one function what is freed: in front of which instructions, and on which edges."""

    def __init__(self, function: Function, owners: Owners) -> None:
        self._function = function
        self._flow = function.analysis(ControlFlow)
        self._owners = owners
        self._takers = owners.takers()
        self._last = self._find_last()
        self._at: defaultdict[Instruction, list[Instruction]] = defaultdict(list)
        self._at_edge: defaultdict[tuple[Block, Block], list[Instruction]] = defaultdict(list)
        for owner in function.instructions:
            if owner in owners.found:
                needed = {owner.home, *owners.alive[owner]} & self._flow.returning
                for block in sorted(needed, key=self._flow.place.__getitem__):
                    self._end_in(owner, block)

    def _find_last(self) -> dict[tuple[Instruction, Block], Instruction]:
        """Return, for (owner, block), the last that makes or uses the owner or what derives from it."""
        last = {(owner, owner.home): owner for owner in self._owners.found}
        for value, bases in self._owners.bases.items():
            for user in value.users:
                if user.opcode != "phi" and user not in self._owners.frees:
                    for owner in bases:
                        known = last.setdefault((owner, user.home), user)
                        if known.comes_before(user):
                            last[owner, user.home] = user
        return last

    def _end_in(self, owner: Instruction, block: Block) -> None:
        """Free an owner that is alive in a block, in it or behind it, where it dies there."""
        after = self._flow.successors[block]
        dying = [one for one in after if not self._is_held(owner, block, one)]
        if len(dying) == len(after):
            self._at[self._place_in(owner, block)].append(owner)
            return
        for following in dying:
            if following in self._flow.returning:
                self._end_at_edge(owner, block, following)

    def _is_held(self, owner: Instruction, block: Block, following: Block) -> bool:
        is_taken = (owner, block, following) in self._takers
        return is_taken or following in self._owners.alive[owner]

    def _place_in(self, owner: Instruction, block: Block) -> Instruction:
        """Return in front of what an owner is freed that dies in a block."""
        last = self._last.get((owner, block))
        if last is None or last.opcode == "phi":
            return block.first
        return last.next or last

    def _end_at_edge(self, owner: Instruction, block: Block, following: Block) -> None:
        if len(self._flow.predecessors[following]) == 1:
            self._at[following.first].append(owner)
        elif block.successors.count(following) == 1:
            self._at_edge[block, following].append(owner)
        # else two edges of a switch, which is no common thing: left to the region

    # -- the changes -------------------------------------------------------------------------

    def put_in(self) -> None:
        """Free what ends, and no longer free what was freed elsewhere."""
        companions = self._made_companions()
        for number, ((block, following), owners) in enumerate(self._at_edge.items()):
            detour = block.split_edge(following, f"{_EDGE}.{number}")
            self._at[detour.terminator] += owners
        for place, owners in self._at.items():
            build = Builder(place)
            for owner in owners:
                build.call(_free(self._function.module), [companions.get(owner, owner)])
        for call in self._owners.frees:
            call.erase()

    def _made_companions(self) -> dict[Value, Phi]:
        """Make the phis that are freed in place of those that may be no owners."""
        doubtful, null = self._owners.doubtful(), self._function.constant("ptr", "null")
        phis = [one for one in self._function.instructions if one in doubtful]
        made = dict[Value, Phi]()
        for number, phi in enumerate(phis):
            made[phi] = Builder(phi).phi("ptr", (), f"{_COMPANION}.{number}")
        for phi in doubtful:
            made[phi].set_incoming(
                (made.get(value, value) if self._owners.is_taken(phi, value) else null, block)
                for value, block in phi.incoming
            )
        return made


def _free(code: Module) -> Function:
    return code.declare("free", "void", ["ptr captures(none)"], ["nounwind"])
