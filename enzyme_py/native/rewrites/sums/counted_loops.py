"""The loop that goes through what a block of iterations adds to, by growing address."""

from __future__ import annotations

from collections.abc import Callable

from enzyme_py.llvm import Block, Builder, Phi, Value
from enzyme_py.native.rewrites.sums.plans import Group


def lowest_pointer(at: Builder, group: Group, here: Value, carried: dict[Phi, Value]) -> Value:
    """Compute the lowest address that `here` iterations add to; `carried` is where the loop's phis stand in front of them."""
    place = group.lowest.place
    first = place.pointer(at, carried)
    return first if place.step >= 0 else at.gep("i8", first, [at.mul(at.sub(here, 1), place.step)])


def counted_loop(
    at: Builder, name: str, before: Block, start: int, end: Value, body: Callable[[Builder, Value], None]
) -> tuple[Block, Builder]:
    """Write a loop of one block that counts from a start to an end; returns it, and what lies behind. They stand `before` a block."""
    ahead, loop = at.block, at.function.add_block(name, before=before)
    behind = at.function.add_block("invert.adds.behind", before=before)
    at.branch(loop)
    at = Builder.at_end(loop)
    place = at.phi("i64", [(start, ahead)], "adds.place")
    body(at, place)
    following = at.add(place, 1, "adds.place.next", flags="nuw nsw")
    place.add_incoming(following, loop)
    at.branch_if(at.compare("eq", following, end), behind, loop)
    return loop, Builder.at_end(behind)
