"""Blocks where three or more paths merge become blocks where two merge, in reverse mode.

    if n > 2:                    # at n = 2 the reverse sweep read z[0] to see
        z = np.sin(x)            # by which edge it came to the end, without a z
        if z[0] > 0: ...
        else: ...

Symptom: a segmentation fault, code that never ends, or the wrong branch and a wrong gradient without a word (measured).

Cause: the reverse sweep must find out by which edge the primal came into a block. For two edges Enzyme repeats the condition of
the branch that parted them, where that stands above both; else it caches which one it was. For three edges it repeats both
conditions at once, and so also the one that was never asked.

Cure: the paths are brought together in pairs, those first that were parted last, each in a block of its own. LLVM undoes such a
block wherever it sees that it is there only to merge others. A call keeps it, which must not be merged with its like
(LLVM sinks what two paths have in common into where they merge). The native stage drops the call:

    %join.0.left.merge:
      %v = phi double [ %one, %left ], [ %other, %right ]
      call void @enzyme_py_hint.joined() nomerge
      br label %merge

Edges into a loop and those of its iterations are kept apart.

A switch that leads to one block in several cases is wrong in another way. Enzyme adds the derivative of a phi there once for
each case, so the gradient is a multiple of what it should be (`if not (n == 1 or n == 3): t = x * x`, measured). Each such
case gets a block of its own in front.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from enzyme_py.llvm import Block, Builder, Function, Phi
from enzyme_py.llvm.analyses.control_flow import ControlFlow
from enzyme_py.llvm.analyses.dominators import Dominators
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.control_flow.exits import is_plain
from enzyme_py.passes.module.requests import has_reverse
from enzyme_py.symbols import HINT, HINT_ATTRIBUTES

_MERGED = f"{HINT}.joined"


class TwoWayMerges(Pass):
    """Let no more than two paths merge in a block, and each by an edge of its own."""

    name = "two-way merges"

    def applies(self, draft: Draft) -> bool:
        """Tell whether the module asks for reverse mode."""
        return has_reverse(draft.code)

    def run(self, draft: Draft) -> None:
        """Take the merges of every function apart."""
        for function in draft.code.functions:
            if len(function.blocks) > 2 and is_plain(function):
                _give_single_edges(function)
                _pair(function)


def _give_single_edges(function: Function) -> None:
    """Lead each case of a switch that goes where another goes by a block of its own."""
    for block in list(function.blocks):
        for before in block.predecessors:
            count = before.successors.count(block)
            names = [f"once.{case}.{before.name}.{block.name}" for case in range(count)]
            for name in names if count > 1 else ():
                own = _merge_block(name, block)
                before.terminator.replace_successor(block, own, 1)
                for phi in block.phis:
                    phi.set_operand(phi.operands.index(before), own)


def _merge_block(name: str, target: Block) -> Block:
    """Put a block in front of another one, which leads there by a call that keeps it."""
    function = target.function
    assert function is not None
    block = function.add_block(name, before=target)
    at = Builder.at_end(block)
    merged = function.module.declare(_MERGED, "void", (), [HINT_ATTRIBUTES])
    at.call(merged, [], attributes=["nomerge"])
    at.branch(target)
    return block


def _pair(function: Function) -> None:
    flow, dominators = function.analysis(ControlFlow), function.analysis(Dominators)
    for block in list(function.blocks):  # the analyses are those of the function as it was
        before = flow.predecessors[block]
        if len(before) > 2:
            repeated = [one for one in before if dominators.dominates(block, one)]
            for edges in ([one for one in before if one not in repeated], repeated):
                _merge_in_pairs(block, edges, dominators)


def _merge_in_pairs(block: Block, edges: Sequence[Block], dominators: Dominators) -> None:
    """Bring edges into a block together until there are two."""
    parted, count = {one: one for one in edges}, itertools.count()
    while len(parted) > 2:
        one, other, above = _parted_last(parted, dominators)
        merge = _merge_block(f"join.{next(count)}.{edges[0].name}.{block.name}", block)
        for phi in block.phis:
            _split(phi, (one, other), merge)
        for way in (one, other):
            way.terminator.replace_successor(block, merge)
            del parted[way]
        parted[merge] = above


def _parted_last(parted: dict[Block, Block], dominators: Dominators) -> tuple[Block, Block, Block]:
    """Return two of the edges, and the block that parted them, with none that was parted later."""
    found = (
        (one, other, dominators.common(parted[one], parted[other]))
        for one, other in itertools.combinations(parted, 2)
    )
    return max(found, key=lambda pair: dominators.depth(pair[2]))


def _split(phi: Phi, edges: Sequence[Block], merge: Block) -> None:
    """Put a phi of two of the edges into a block, and its value in place of both."""
    both = [(value, way) for value, way in phi.incoming if way in edges]
    rest = [(value, way) for value, way in phi.incoming if way not in edges]
    at = Builder(merge.first)
    value = at.phi(phi.type, both, f"{phi.name}.merged")
    if phi.flags:
        value.set_flags(phi.flags)
    phi.set_incoming([*rest, (value, merge)])
