"""Whether two parts of a loop may touch one number: told while running, by integers alone.

What sharing.py has read of the code holds for arrays that are no views of each other, whose axes have steps, and for indices
that do not wrap. A loop for which that is not so runs as one part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types

_INT = ir.IntType(64)


@dataclass
class Given:
    """One parameter of the body at the driver's call: its values, and what becomes of them in a part."""

    kind: Any  # of the body's parameter
    role: str  # "disjoint", "near", "copied", "row", "cell", "other"
    name: str
    value: ir.Value

    @property
    def is_row(self) -> bool:
        """Whether a part sees a row of an array."""
        return self.role in ("copied", "row", "cell")


def array_of(context: Any, builder: ir.IRBuilder, given: Given) -> Any:
    """Return Numba's view of a parameter that is an array."""
    return context.make_array(given.kind)(context, builder, value=given.value)


class Apart:
    """The question, for one loop."""

    def __init__(self, context: Any, builder: ir.IRBuilder) -> None:
        self._context, self._builder = context, builder

    def _array(self, given: Given) -> Any:
        return array_of(self._context, self._builder, given)

    def tell(
        self, given: Sequence[Given], start: ir.Value, *, may_wrap: bool, within: int = 0
    ) -> ir.Value | None:
        """Tell, while running, whether no two parts can touch the same number: views may overlap, indices wrap.

        Near arrays may touch the same by indices so far from each other, `within`.
        """
        arrays = [one for one in given if isinstance(one.kind, types.Array) and one.role != "row"]
        active = [one for one in arrays if one.role in ("disjoint", "near", "copied")]
        if not active:
            return None
        build = self._builder
        checks: list[ir.Value] = []
        if may_wrap:
            checks.append(build.icmp_signed(">=", start, _INT(0)))
        extents = {id(one): self._extent(one) for one in arrays}
        for place, one in enumerate(arrays):
            if one.role in ("disjoint", "near") and one.kind.layout == "A":
                checks.append(self._rows_are_apart(one))
            for other in arrays[:place]:
                if not {"disjoint", "near", "other"} & {one.role, other.role}:
                    continue  # two that are only read, and copied
                if one.role == other.role == "other":
                    continue
                checks.append(self._are_apart(one, other, extents, within))
        result = _INT(1)
        for one in checks:
            result = build.and_(result, build.zext(one, _INT))
        return build.icmp_signed("!=", result, _INT(0))

    def _extent(self, given: Given) -> tuple[ir.Value, ir.Value]:
        """Return the first byte of an array, and that behind its last."""
        build, array = self._builder, self._array(given)
        low = high = build.ptrtoint(array.data, _INT)
        is_empty = _INT(0)
        for shape, stride in self._axes(given):
            reach = build.mul(build.sub(shape, _INT(1)), stride)
            is_back = build.icmp_signed("<", reach, _INT(0))
            low = build.add(low, build.select(is_back, reach, _INT(0)))
            high = build.add(high, build.select(is_back, _INT(0), reach))
            none = build.zext(build.icmp_signed("==", shape, _INT(0)), _INT)
            is_empty = build.or_(is_empty, none)
        high = build.add(high, array.itemsize)
        nothing = build.icmp_signed("!=", is_empty, _INT(0))
        return build.select(nothing, _INT(0), low), build.select(nothing, _INT(0), high)

    def _axes(self, given: Given) -> list[tuple[ir.Value, ir.Value]]:
        array = self._array(given)
        shapes = cgutils.unpack_tuple(self._builder, array.shape)
        return list(zip(shapes, cgutils.unpack_tuple(self._builder, array.strides), strict=True))

    def _rows_are_apart(self, given: Given) -> ir.Value:
        """Tell whether two places of the first axis have no byte in common."""
        build = self._builder
        (_, first), *rest = self._axes(given)
        width = self._array(given).itemsize
        for shape, stride in rest:
            width = build.add(width, build.mul(build.sub(shape, _INT(1)), self._size(stride)))
        return build.icmp_signed(">=", self._size(first), width)

    def _size(self, value: ir.Value) -> ir.Value:
        build = self._builder
        return build.select(
            build.icmp_signed("<", value, _INT(0)), build.sub(_INT(0), value), value
        )

    def _are_apart(self, one: Given, other: Given, extents: dict[int, Any], within: int) -> ir.Value:
        build = self._builder
        apart = self._have_no_byte_in_common(one, other, extents)
        if one.role != other.role or one.role not in ("disjoint", "near"):
            return apart
        # The same memory by the same index is the same part's.
        (_, stride), (_, other_stride) = self._axes(one)[0], self._axes(other)[0]
        has_same_start = build.icmp_unsigned("==", self._start(one), self._start(other))
        if within and one.role == "near":
            has_same_start = build.or_(has_same_start, self._are_near(one, other, within))
        is_same = build.and_(has_same_start, build.icmp_signed("==", stride, other_stride))
        return build.or_(apart, build.and_(is_same, self._have_same_rows(one, other)))

    def _have_no_byte_in_common(self, one: Given, other: Given, extents: dict[int, Any]) -> ir.Value:
        build = self._builder
        (low, high), (other_low, other_high) = extents[id(one)], extents[id(other)]
        is_behind = build.icmp_unsigned("<=", high, other_low)
        is_before = build.icmp_unsigned("<=", other_high, low)
        return build.or_(is_behind, is_before)

    def _are_near(self, one: Given, other: Given, within: int) -> ir.Value:
        """Tell of arrays with rows of their own, by the same step, whether what both touch has indices so near to each other."""
        return self._builder.icmp_signed("<=", self._steps_between(one, other), _INT(within))

    def _steps_between(self, one: Given, other: Given) -> ir.Value:
        """Return how far the indices of what both touch may be from each other: their distance in steps, rounded up, and one for the rows."""
        build = self._builder
        (_, stride), *_ = self._axes(one)
        step = self._size(stride)
        step = build.select(build.icmp_signed("==", step, _INT(0)), _INT(1), step)
        distance = self._size(build.sub(self._start(one), self._start(other)))
        steps = build.sdiv(build.add(distance, build.sub(build.mul(step, _INT(2)), _INT(1))), step)
        return build.select(build.icmp_signed("==", distance, _INT(0)), _INT(0), steps)

    def steps_between_views(self, given: Sequence[Given]) -> ir.Value:
        """Return the most steps between near arrays that overlap; `tell` has said that it is enough."""
        build, most = self._builder, _INT(0)
        near = [one for one in given if one.role == "near"]
        extents = {id(one): self._extent(one) for one in near}
        for place, one in enumerate(near):
            for other in near[:place]:
                apart = self._have_no_byte_in_common(one, other, extents)
                steps = build.select(apart, _INT(0), self._steps_between(one, other))
                most = build.select(build.icmp_signed(">", steps, most), steps, most)
        return most

    def _have_same_rows(self, one: Given, other: Given) -> ir.Value:
        """Tell whether the rows of both fit into a step of the first axis."""
        return self._builder.and_(self._rows_are_apart(one), self._rows_are_apart(other))

    def _start(self, given: Given) -> ir.Value:
        return self._builder.ptrtoint(self._array(given).data, _INT)
