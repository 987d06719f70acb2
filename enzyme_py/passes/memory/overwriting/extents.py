"""How much of an array a read can reach while a nest of loops runs, by values that are known in front of it.

    for i in range(n):
        for j in range(i + 1, n):
            a[i, k] - a[j, k]            both below ((n - 1) length + k + 1) numbers

An address is so many bytes for a row and a column: 8 (length row + column). For each of the two a bound of some loop of the nest is
looked for of which the inequalities of llvm/analyses/iterations.py show that the row, or the column, stays below it. What is not shown has no extent:
none where the address depends on an iteration of a loop around the nest, on a number that was loaded, on a choice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import gcd

from enzyme_py.llvm import Builder, Load, Value
from enzyme_py.llvm.analyses.dominators import Dominators
from enzyme_py.llvm.analyses.inequalities import Linear
from enzyme_py.llvm.analyses.iterations import (
    Effort,
    Facts,
    Space,
    linear_of,
    usual_end,
)
from enzyme_py.llvm.analyses.loops import Loop
from enzyme_py.llvm.types import size_of


@dataclass(frozen=True)
class Bound:
    """What is at most `times` a value that is one less than another one and a number more, and `rest`."""

    value: Value | None  # None: at most `rest`
    more: int = 0
    times: int = 0
    rest: int = 0


@dataclass(frozen=True)
class Extent:
    """A number of rows of a length, and a column, both at most that; `size` are the bytes of a number."""

    size: int
    length: Value | None  # None: there is one row
    rows: Bound
    columns: Bound


def extent(read: Load, nest: Loop, effort: Effort) -> Extent | None:
    """Return how much of its array a read can reach in a nest, None where that is not known."""
    space = Space(read, "read")
    offset, size = space.offset(read.pointer), size_of(read.type)
    if offset is None or size is None or any(count % size for count in offset.values()):
        return None
    lengths = {factor for factor, _ in offset if factor is not None}
    (before,) = nest.entering
    dominators = read.function.analysis(Dominators)
    if len(lengths) > 1 or not all(dominators.is_available(one, before) for one in lengths):
        return None
    length = next(iter(lengths), None)
    row, column = (
        linear_of({(None, name): count // size for (factor, name), count in offset.items() if (factor is not None) is is_row})
        for is_row in (True, False)
    )
    assert row is not None
    assert column is not None
    candidates = list(_candidates(nest, space, dominators))
    known = [(one, linear) for one in candidates if (linear := _linear(one, space)) is not None]
    facts = space.facts()
    rows, columns = (_bound(one, known, facts, effort) for one in (row, column))
    return None if rows is None or columns is None else Extent(size, length, rows, columns)


def _candidates(nest: Loop, space: Space, dominators: Dominators) -> Iterator[Bound]:
    """Yield what may bound the counters of the nest's loops, which go all the way from zero, or to it."""
    (before,) = nest.entering
    numbers = {(loop, "read") for loop in space.loops if loop.blocks <= nest.blocks}
    for loop in space.loops:
        count = usual_end(loop) if loop.blocks <= nest.blocks else None
        if count is not None and count.counter.phi.type == "i64":
            ends = count.counter.start, count.bound
            low, high = ends if count.counter.step > 0 else ends[::-1]
            bottom = space.linear(low)
            if bottom is not None and bottom.parts.keys() <= numbers and dominators.is_available(high, before):
                yield Bound(high, 0 if count.counter.step > 0 else 1)


def _linear(bound: Bound, space: Space) -> Linear | None:
    assert bound.value is not None
    found = space.linear(bound.value)
    return None if found is None else found.more(bound.more)


def _bound(one: Linear, known: Sequence[tuple[Bound, Linear]], facts: Facts, effort: Effort) -> Bound | None:
    """Return a bound of a number that is never below zero."""
    if not one.parts:
        return Bound(None, rest=one.number) if one.number >= 0 else None
    if not facts.exclude(one.negated().more(-1), effort=effort):
        return None
    times = gcd(*one.parts.values())
    step = Linear({name: count // times for name, count in one.parts.items()})
    for bound, linear in known:
        if facts.exclude(step.plus(linear, -1), effort=effort):
            return Bound(bound.value, bound.more, times, one.number)
    return None


def bytes_of(extents: Iterable[Extent], most: Value, at: Builder) -> Value:
    """Compute how many bytes all of some extents need: not more than `most`."""
    total: Value | None = None
    for one in extents:
        count: Value = at.add(_most(one.columns, at), 1)
        if one.length is not None:
            count = at.add(at.mul(_most(one.rows, at), one.length), count)
        count = at.mul(count, one.size)
        if one.length is not None:  # of no array is it negative, but who computes with it otherwise must not read what is not there
            count = at.select(at.compare("slt", one.length, 0), most, count)
        total = count if total is None else _chosen("sgt", total, count, at)
    assert total is not None
    return _chosen("sgt", _chosen("slt", total, most, at), at.constant("i64", 0), at)


def _most(bound: Bound, at: Builder) -> Value:
    if bound.value is None:
        return at.constant("i64", bound.rest)
    return at.add(at.mul(at.add(bound.value, bound.more - 1), bound.times), bound.rest)


def _chosen(predicate: str, one: Value, other: Value, at: Builder) -> Value:
    return at.select(at.compare(predicate, one, other), one, other)
