"""Sums in an order that the numbers of the pieces decide, and nothing else.

The order is a binary tree: 0 + 1, 2 + 3, ..., then the sums of these in pairs, and so on. A node without a neighbour on its
right is handed up as it is. Nodes are known by (level, place): a node of level k has the pieces from place * 2**k on. Whoever has
two neighbours may add them at once, so sums are taken where the pieces are, and in a memory of some nodes for each level.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from enzyme_py.errors import EnzymeError

FAN = 8  # a power of two: then a task that adds so many nodes adds them as the tree does


class Nothing:
    """What a piece without items gives: no number, and so not added."""


def added(one: Any, other: Any) -> Any:
    """Return the sum of two results of the same structure; None, where there is no derivative, stays None."""
    if isinstance(one, Nothing):
        return other
    if isinstance(other, Nothing) or one is None:
        return one
    if isinstance(one, dict):
        return {key: added(part, other[key]) for key, part in one.items()}
    if isinstance(one, (tuple, list)):
        parts = [added(a, b) for a, b in zip(one, other, strict=True)]
        return type(one)(*parts) if hasattr(one, "_fields") else type(one)(parts)
    if isinstance(one, np.ndarray) and one.dtype.fields is not None:
        made = one.copy()
        for name in one.dtype.names or ():
            made[name] = added(one[name], other[name])
        return made
    if hasattr(one, "__dataclass_fields__"):
        names = one.__dataclass_fields__
        return type(one)(**{name: added(getattr(one, name), getattr(other, name)) for name in names})
    return one + other


def summed(values: Sequence[Any]) -> Any:
    """Return the sum of neighbours in pairs, and of these in pairs again."""
    level = list(values)
    while len(level) > 1:
        pairs = [added(a, b) for a, b in zip(level[::2], level[1::2], strict=False)]
        level = [*pairs, *level[2 * len(pairs) :]]
    return level[0]


class Nodes:
    """Nodes of the tree that are known so far; neighbours are added as soon as both are there."""

    def __init__(self, known: dict[tuple[int, int], Any] | None = None) -> None:
        self.known = known or {}

    def add(self, level: int, place: int, value: Any) -> None:
        """Take a node, and add up what can be."""
        while (beside := self.known.pop((level, place ^ 1), self)) is not self:
            value = added(beside, value) if place % 2 else added(value, beside)
            level, place = level + 1, place // 2
        self.known[level, place] = value

    def merge(self, others: Iterable[tuple[tuple[int, int], Any]]) -> None:
        """Take the nodes of somebody else."""
        for (level, place), value in others:
            self.add(level, place, value)

    def total(self, count: int) -> Any:
        """Return the sum of all `count` pieces, when all of them are there."""
        level = 0
        while count > 1:
            last = count - 1
            if count % 2 and (level, last) in self.known:  # it has no neighbour
                self.add(level + 1, last // 2, self.known.pop((level, last)))
            level, count = level + 1, (count + 1) // 2
        (value,) = self.known.values()
        return value


def joined(parts: Sequence[Any]) -> Any:
    """Return the results of pieces as one: numbers as their sum, arrays with their rows one after the other."""
    parts = [one for one in parts if not isinstance(one, Nothing)]
    first = parts[0]
    if first is None:
        return None
    if isinstance(first, dict):
        return {key: joined([one[key] for one in parts]) for key in first}
    if isinstance(first, (tuple, list)):
        made = [joined(column) for column in zip(*parts, strict=True)]
        return type(first)(*made) if hasattr(first, "_fields") else type(first)(made)
    if np.ndim(first) == 0:
        return summed(parts)
    if len({np.shape(one)[1:] for one in parts}) > 1:
        shapes = ", ".join(dict.fromkeys(str(np.shape(one)) for one in parts))
        message = f"the pieces give arrays that cannot follow each other: of the shapes {shapes}"
        raise EnzymeError(message, remedy="return rows of one length for every piece")
    return np.concatenate(parts)
