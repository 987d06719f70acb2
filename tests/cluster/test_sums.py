"""The tree in which results are added: the order of a sum is decided by numbers of pieces alone."""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import numpy as np
import pytest

from enzyme_py.cluster.sums import FAN, Nodes, Nothing, added, joined, summed
from enzyme_py.errors import EnzymeError


class Pair(NamedTuple):
    a: Any
    b: Any


@dataclasses.dataclass
class Model:
    w: np.ndarray
    b: float


def written(count):
    """What is added to what, as text: by definition, halves at the largest power of two below the count."""

    def of(first, last):
        if last - first == 1:
            return str(first)
        half = 1
        while 2 * half < last - first:
            half *= 2
        return f"({of(first, first + half)}+{of(first + half, last)})"

    return of(0, count)


class Said(str):
    __slots__ = ()

    def __add__(self, other):
        return Said(f"({self!s}+{other!s})")


@pytest.mark.parametrize("count", [*range(1, 34), 63, 64, 65, 130])
def test_all_ways_of_adding_are_the_same_tree(count):
    parts = [Said(number) for number in range(count)]
    expected = written(count)
    assert summed(parts) == expected
    groups = parts
    while len(groups) > 1:  # as tasks do
        groups = [summed(groups[first : first + FAN]) for first in range(0, len(groups), FAN)]
    assert groups[0] == expected
    generator = np.random.default_rng(count)
    for _ in range(5):  # in the order in which they are ready
        nodes = Nodes()
        for number in generator.permutation(count):
            nodes.add(0, int(number), parts[number])
        assert nodes.total(count) == expected
    ends = sorted(generator.integers(0, count + 1, size=3))
    whole = Nodes()  # as ranks do, one of which may have none
    for first, last in zip([0, *ends], [*ends, count]):
        own = Nodes()
        for number in range(first, last):
            own.add(0, number, parts[number])
        assert len(own.known) <= 2 * count.bit_length()
        whole.merge(own.known.items())
    assert whole.total(count) == expected


def test_structures_are_added_part_by_part():
    record = np.array([(1.0, 2.0)], [("a", float), ("b", float)])
    assert added({"w": 1.0, "n": None}, {"w": 2.0, "n": None}) == {"w": 3.0, "n": None}
    assert added(Pair(1.0, 2.0), Pair(3.0, 4.0)) == Pair(4.0, 6.0)
    assert added([1.0], [2.0]) == [3.0]
    assert added(record, record).tolist() == [(2.0, 4.0)]
    assert added(Model(np.ones(2), 1.0), Model(np.ones(2), 2.0)).b == 3.0
    assert added(Nothing(), 2.0) == added(2.0, Nothing()) == 2.0
    assert added(np.float32(1), np.float32(2)).dtype == np.float32


def test_rows_follow_each_other_and_numbers_are_added():
    assert joined([1.0, 2.0, 3.0]) == 6.0
    value, rows = joined([(1.0, np.ones(2)), Nothing(), (2.0, np.zeros(1))])
    assert value == 3.0 and rows.tolist() == [1.0, 1.0, 0.0]
    assert joined([{"a": np.ones((1, 2))}, {"a": np.ones((2, 2))}])["a"].shape == (3, 2)
    with pytest.raises(EnzymeError, match=r"\(1, 2\), \(1, 3\)"):
        joined([np.ones((1, 2)), np.ones((1, 3))])
