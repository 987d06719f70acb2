"""Which iterations a part of a parallel loop runs.

Of `total` iterations part k of n has those from total * k / n to total * (k + 1) / n.

Where the loop reads *near* arrays, up to m elements from its own index, it goes through its range twice, and both times
no two parts touch the same element (m, the margin, is 0 where there is one part only):

    inside    part k, from lo + m to hi - m: what it touches lies between lo and hi
    edges     two pieces of m iterations each: lo to lo + m, and lo - m to lo; for the first part, that begins at the start of the
              range, the last m of all in place of those before, so that `a[i - 1]` may wrap at i = 0

A piece of an edge touches what lies up to 2 m from lo. So a part needs 4 m iterations: there are no more parts than that.
"""

from __future__ import annotations

from dataclasses import dataclass

from llvmlite import ir

_INT = ir.IntType(64)


def enough(build: ir.IRBuilder, total: ir.Value, parts: ir.Value, margin: ir.Value) -> ir.Value:
    """Return the number of parts: fewer, where they would be too short."""
    is_none = build.icmp_signed("==", margin, _INT(0))
    needed = build.mul(build.select(is_none, _INT(1), margin), _INT(4))
    most = build.sdiv(total, needed)
    most = build.select(build.icmp_signed(">", most, _INT(1)), most, _INT(1))
    is_less = build.and_(build.not_(is_none), build.icmp_signed("<", most, parts))
    return build.select(is_less, most, parts)


@dataclass(frozen=True)
class Pieces:
    """The ranges of one part, in its function."""

    build: ir.IRBuilder
    parts: ir.Value
    number: ir.Value
    start: ir.Value
    total: ir.Value

    def whole(self) -> tuple[ir.Value, ir.Value]:
        """Return where the part's only range begins, and what is behind it."""
        following = self.build.add(self.number, _INT(1))
        return self._place(self.number), self._place(following)

    def piece(self, edges: ir.Value, which: ir.Value, margin: ir.Value) -> tuple[ir.Value, ir.Value]:
        """Return where a piece begins, and what is behind it: that inside, or one of both at an edge."""
        build = self.build
        low, high = self.whole()
        is_several = build.icmp_signed(">", self.parts, _INT(1))
        margin = build.select(is_several, margin, _INT(0))
        is_edge = build.icmp_signed("!=", edges, _INT(0))
        inside = build.sub(build.sub(high, low), build.mul(margin, _INT(2)))
        length = build.select(is_edge, margin, inside)
        is_first = build.icmp_signed("==", self.number, _INT(0))
        other = build.select(is_first, build.sub(self.total, margin), build.sub(_INT(0), margin))
        first = build.add(low, build.select(is_edge, build.mul(which, other), margin))
        return first, build.add(first, length)

    def _place(self, number: ir.Value) -> ir.Value:
        build = self.build
        return build.add(self.start, build.sdiv(build.mul(self.total, number), self.parts))
