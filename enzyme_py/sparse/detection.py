"""Which entries a derivative has at a point: found by products with random vectors.

The columns are parted into intervals. For each row it is known which intervals may have an entry;
intervals that share no row are tried in one product, with a random number at each column. A product that
is exactly 0.0 in a row says that there is nothing (entries cancel with a probability of one in 2^52,
or 2^23 in single precision); what is left is halved, until intervals are columns. The fullest rows
are taken out on the way, each with a product from the left that shows all its entries.

Zeros are exact since every partial product has a factor that is exactly 0.0. What is not a finite number
shows nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from enzyme_py.errors import SparsityError
from enzyme_py.foundations.places import where_is
from enzyme_py.foundations.stages import Counted, counted
from enzyme_py.modes import Forward, Mode
from enzyme_py.sparse.partition import Partition, partition
from enzyme_py.sparse.patterns import entries_of, from_entries, union
from enzyme_py.sparse.products import Derivative

FIRST_LEVEL = 2  # intervals at first: 2^2, as many products as one run has lanes
STEP = 2.0**-6  # how far a point nearby is away, in units of the argument
SEED = 20221  # any number: the same answer each time


def pattern_at(
    derivative: Derivative, mode: Mode | None = None, count: Counted | None = None
) -> tuple[Any, np.ndarray]:
    """Return the pattern at the point, and for which rows all that was looked at was finite."""
    search = _Search(derivative, mode, count)
    entries = search.entries()
    rows, columns = entries[::-1] if search.transposed else entries
    pattern = from_entries(rows, columns, derivative.shape)
    if not search.transposed:
        return pattern, search.finite
    # By columns: a column that was not finite leaves every row in doubt.
    return pattern, np.full(derivative.shape[0], bool(search.finite.all()))


def pattern_near(derivative: Derivative, points: int, mode: Mode | None = None) -> Any:
    """Return the union of the patterns at the point and at some points nearby.

    An entry may vanish at the very point, as that of x*y at y = 0. Points nearby where the kernel
    raises say nothing.
    """
    title = f"sparsity of {where_is(derivative.kernel).kernel}"
    with counted(title) as count:
        return _pattern_near(derivative, points, mode, count)


def _pattern_near(derivative: Derivative, points: int, mode: Mode | None, count: Counted) -> Any:
    pattern, finite = pattern_at(derivative, mode, count)
    random = np.random.default_rng(SEED)
    x = derivative.x
    scale = np.abs(x) + (float(np.mean(np.abs(x))) if x.size else 0.0)
    scale = np.where(np.isfinite(scale) & (scale > 0), scale, 1.0)
    for point in range(points):
        count.step = f"point {point + 2} of {points + 1}"
        nearby = x + STEP * scale * random.uniform(0.5, 1.0, x.shape) * _signs(random, x.shape)
        try:
            moved = derivative.moved(nearby.astype(x.dtype))
            if moved.shape != derivative.shape:
                continue
            other, also_finite = pattern_at(moved, mode, count)
        except Exception:  # noqa: BLE001, S112  # whatever the user's kernel raises there
            continue
        pattern, finite = union(pattern, other), finite | also_finite
    if not finite.all():
        row = int(np.argmin(finite))
        message = f"the derivative of output {row} is not finite at the point given"
        remedy = "prepare at a point where it is, or pass `pattern=`"
        raise SparsityError(message, remedy=remedy)
    return pattern


def random_numbers(random: np.random.Generator, shape: Any) -> np.ndarray:
    """Return numbers of either sign with an absolute value from 1 to 2."""
    found: np.ndarray = random.uniform(1.0, 2.0, shape) * _signs(random, shape)
    return found


def _signs(random: np.random.Generator, shape: Any) -> np.ndarray:
    return np.where(random.integers(0, 2, shape) == 1, 1.0, -1.0)


class _Search:
    """A search for entries by intervals of columns, or of rows where only reverse mode may be used."""

    def __init__(self, derivative: Derivative, mode: Mode | None, count: Counted | None) -> None:
        self.count = count
        self.transposed = mode is not None and not mode.is_forward
        self.mode = Forward if mode is not None else None
        self.right, self.left = derivative.right, derivative.left
        self.shape = derivative.shape
        if self.transposed:
            self.right, self.left = self.left, self.right
            self.shape = self.shape[::-1]
        self.random = np.random.default_rng(SEED)
        self.finite = np.ones(self.shape[0], np.bool_)

    def entries(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows and the columns of all entries."""
        height, width = self.shape
        nothing = np.zeros(0, np.int64)
        if not height or not width:
            return nothing, nothing
        levels = (width - 1).bit_length()
        level = min(FIRST_LEVEL, levels)
        count = ((width - 1) >> (levels - level)) + 1
        rows = np.repeat(np.arange(height), count)
        intervals = np.tile(np.arange(count), height)
        done = [(nothing, nothing)]
        while True:
            shift = levels - level
            if self.count is not None:
                self.count(level, self.count.step, levels)
            owner = np.arange(width) >> shift
            candidates = from_entries(rows, intervals, (height, int(owner[-1]) + 1))
            shared = partition(candidates, self.mode)
            done.append(self._whole_rows(candidates, shared, owner))
            rows, intervals = self._found(candidates, shared, owner)
            if not shift:
                done.append((rows, intervals))
                return tuple(np.concatenate([pair[i] for pair in done]) for i in (0, 1))  # type: ignore[return-value]
            rows = np.repeat(rows, 2)
            intervals = np.stack((2 * intervals, 2 * intervals + 1), axis=1).ravel()
            exists = (intervals << (shift - 1)) < width
            rows, intervals = rows[exists], intervals[exists]
            level += 1

    def _found(
        self, candidates: Any, shared: Partition, owner: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return the rows and intervals that have an entry, of the rows that forward mode looks at."""
        colours = shared.columns[owner]
        products = self.right(self._vectors(colours))
        rows, intervals = entries_of(candidates)
        looked_at = shared.rows[rows] < 0
        rows, intervals = rows[looked_at], intervals[looked_at]
        values = products[shared.columns[intervals], rows]
        finite = np.isfinite(values)
        self.finite[rows[~finite]] = False
        hit = finite & (values != 0)
        return rows[hit], intervals[hit]

    def _whole_rows(
        self, candidates: Any, shared: Partition, owner: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return all entries of the rows that are left to products from the left."""
        products = self.left(self._vectors(shared.rows))
        rows, intervals = entries_of(candidates)
        whole = shared.rows[rows] >= 0
        rows, intervals = rows[whole], intervals[whole]
        row_of = np.full((len(products), candidates.shape[1]), -1)
        row_of[shared.rows[rows], intervals] = rows
        colours, columns = np.nonzero(products)  # a NaN counts as not zero
        owners = row_of[colours, owner[columns]]
        finite = np.isfinite(products[colours, columns])
        self.finite[owners[~finite & (owners >= 0)]] = False
        hit = finite & (owners >= 0)
        return owners[hit], columns[hit]

    def _vectors(self, colours: np.ndarray) -> np.ndarray:
        """Return a vector for each colour: random numbers where it is, zeros elsewhere."""
        vectors = np.zeros((int(colours.max()) + 1, colours.size))
        places = np.flatnonzero(colours >= 0)
        vectors[colours[places], places] = random_numbers(self.random, places.size)
        return vectors
