"""Systems of linear inequalities over integers: whether they have no solution.

By Fourier and Motzkin: a variable is eliminated by adding each inequality that bounds it from below to each that bounds it
from above. What is left without variables is true or false. Exact, in whole numbers; systems here have some ten inequalities.
What is not decided, since there would be too many, counts as one that may have a solution.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from math import gcd

_MOST = 300  # inequalities on the way

_Row = tuple[tuple[tuple[int, int], ...], int]  # number of a variable and how many times; the number


@dataclass(frozen=True)
class Linear:
    """So many times each variable, and a number."""

    parts: Mapping[Hashable, int] = field(default_factory=dict)
    number: int = 0

    def plus(self, other: Linear, times: int = 1) -> Linear:
        """Return this with a multiple of another one added."""
        parts = dict(self.parts)
        for variable, count in other.parts.items():
            parts[variable] = parts.get(variable, 0) + count * times
        kept = {variable: count for variable, count in parts.items() if count}
        return Linear(kept, self.number + other.number * times)

    def more(self, number: int) -> Linear:
        """Return this and a number."""
        return Linear(self.parts, self.number + number)

    def negated(self) -> Linear:
        """Return this with all signs changed."""
        return Linear().plus(self, -1)


def is_empty(not_negative: Iterable[Linear]) -> bool:
    """Tell whether no whole numbers make all of these at least zero; False also where that is not found out."""
    numbers = dict[Hashable, int]()
    rows = dict[tuple[tuple[int, int], ...], int]()
    for one in not_negative:
        counts = {numbers.setdefault(variable, len(numbers)): count for variable, count in one.parts.items()}
        if not _take(rows, counts, one.number):
            return True
    while rows:
        if len(rows) > _MOST:
            return False
        rows_or_none = _without_one(rows)
        if rows_or_none is None:
            return True
        rows = rows_or_none
    return False


def _take(rows: dict[tuple[tuple[int, int], ...], int], counts: Mapping[int, int], number: int) -> bool:
    """Add an inequality to others; False if it is none that can hold."""
    kept = sorted((variable, count) for variable, count in counts.items() if count)
    if not kept:
        return number >= 0
    common = gcd(*(count for _, count in kept))
    name = tuple((variable, count // common) for variable, count in kept)
    number //= common  # down: whole numbers
    rows[name] = min(rows.get(name, number), number)
    return True


def _without_one(
    rows: Mapping[tuple[tuple[int, int], ...], int],
) -> dict[tuple[tuple[int, int], ...], int] | None:
    """Eliminate the variable for which the fewest inequalities are made; None if one of them cannot hold."""
    above, below = dict[int, int](), dict[int, int]()
    for parts in rows:
        for variable, count in parts:
            counted = below if count > 0 else above
            counted[variable] = counted.get(variable, 0) + 1
    chosen = min({**above, **below}, key=lambda one: (above.get(one, 0) * below.get(one, 0), one))
    left = dict[tuple[tuple[int, int], ...], int]()
    lower, upper = list[tuple[dict[int, int], int, int]](), list[tuple[dict[int, int], int, int]]()
    for parts, number in rows.items():
        counts = dict(parts)
        count = counts.pop(chosen, 0)
        if count == 0:
            left[parts] = min(left.get(parts, number), number)
        else:
            (lower if count > 0 else upper).append((counts, number, abs(count)))
    for low, low_number, low_count in lower:
        for high, high_number, high_count in upper:
            counts = {one: count * high_count for one, count in low.items()}
            for one, count in high.items():
                counts[one] = counts.get(one, 0) + count * low_count
            if not _take(left, counts, low_number * high_count + high_number * low_count):
                return None
    return left
