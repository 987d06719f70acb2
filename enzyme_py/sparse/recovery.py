"""What is prepared once for a pattern: vectors, and where in their products each entry stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from enzyme_py.modes import Mode
from enzyme_py.sparse.colouring import number_of, star_colours
from enzyme_py.sparse.detection import random_numbers
from enzyme_py.sparse.partition import Partition, partition
from enzyme_py.sparse.patterns import entries_of
from enzyme_py.sparse.products import Derivative

SEED = 65537
LEEWAY = 2**10  # units of rounding of a row: what two ways to compute one sum may differ by


@dataclass(frozen=True)
class Plan:
    """All that evaluations need; `evaluate` says whether the pattern was large enough."""

    pattern: Any
    colours: tuple[int, int]  # products of forward and of reverse mode; a check is one more
    right: np.ndarray  # what the derivative is multiplied with, vectors in rows
    left: np.ndarray
    places: np.ndarray  # of the entries, row by row, in all products one after the other
    empty: np.ndarray  # places in the products where nothing may be
    checked: bool
    order: np.ndarray | None  # of the entries by columns, for csc

    def evaluate(self, derivative: Derivative) -> tuple[Any, bool]:
        """Return the matrix at a point, and whether it passed the check."""
        right, left = derivative.right(self.right), derivative.left(self.left)
        products = np.concatenate((right.ravel(), left.ravel()))
        data = products[self.places].astype(derivative.dtype, copy=False)
        beyond = products[self.empty]
        passed = True
        if self.checked:
            with np.errstate(invalid="ignore", over="ignore"):
                passed = not (np.isfinite(beyond) & (beyond != 0)).any()
                passed = passed and self._is_consistent(data, right, left, derivative.unit)
        if not np.isfinite(beyond).all():
            data = self._with_doubts(data, self.empty[~np.isfinite(beyond)], right.size)
        return self._matrix(data), passed

    def _is_consistent(
        self, data: np.ndarray, right: np.ndarray, left: np.ndarray, unit: float
    ) -> bool:
        """Tell whether the matrix times the random direction is what the derivative says."""
        matrix = sparse.csr_array(
            (data, self.pattern.indices, self.pattern.indptr), self.pattern.shape
        )
        found, direction = right, self.right
        if len(right) == self.colours[0]:  # no vector of forward mode is left over
            found, direction, matrix = left, self.left, matrix.T
        difference = np.abs(matrix @ direction[-1] - found[-1])
        size = abs(matrix) @ np.abs(direction[-1])
        return not (difference > LEEWAY * unit * size).any()  # False for what is not a number

    def _with_doubts(self, data: np.ndarray, where: np.ndarray, size: int) -> np.ndarray:
        """Return the entries, NaN in rows or columns with an infinity or NaN outside of the pattern."""
        rows, columns = entries_of(self.pattern)
        height, width = self.pattern.shape
        by_row, by_column = where[where < size] % height, (where[where >= size] - size) % width
        return np.where(np.isin(rows, by_row) | np.isin(columns, by_column), np.nan, data)

    def _matrix(self, data: np.ndarray) -> Any:
        pattern = self.pattern
        if self.order is None:
            parts = (data, pattern.indices.copy(), pattern.indptr.copy())
            return sparse.csr_array(parts, shape=pattern.shape)
        turned = pattern.tocsc()
        return sparse.csc_array(
            (data[self.order], turned.indices, turned.indptr), shape=pattern.shape
        )


def plan_for(
    pattern: Any, derivative: Derivative, mode: Mode | None, *, check: bool, by_columns: bool
) -> Plan:
    """Return what evaluations with a pattern need."""
    shared = _symmetric(pattern) if derivative.symmetric else _whole(partition(pattern, mode))
    forward, reverse = shared.counts
    vectors, weights = _vectors(shared.columns), _vectors(shared.rows)
    if check:
        random = np.random.default_rng(SEED)
        if forward or not reverse:
            vectors = np.vstack((vectors, random_numbers(random, (1, pattern.shape[1]))))
        else:
            weights = np.vstack((weights, random_numbers(random, (1, pattern.shape[0]))))
    height, width = pattern.shape
    start = len(vectors) * height
    rows, columns = entries_of(pattern)
    in_columns = shared.columns[columns] * height + rows
    in_rows = start + shared.rows[rows] * width + columns
    by_row = shared.rows[rows] >= 0
    places = np.where(by_row, in_rows, in_columns)
    if derivative.symmetric:
        places = _by_symmetry(rows, columns, shared.columns, height)
    used = np.zeros(start + len(weights) * width, np.bool_)
    if forward:
        used[in_columns] = True
    used[in_rows[by_row]] = True
    used[forward * height : start] = True  # of the direction of the check
    used[start + reverse * width :] = True
    order = None
    if by_columns:
        number = sparse.csr_array(
            (np.arange(pattern.nnz), pattern.indices, pattern.indptr), shape=pattern.shape
        )
        order = number.tocsc().data
    return Plan(
        pattern,
        (forward, reverse),
        vectors.astype(derivative.x.dtype),
        weights.astype(derivative.dtype),
        places,
        np.flatnonzero(~used),
        check,
        order,
    )


def _symmetric(pattern: Any) -> Partition:
    nothing = np.full(pattern.shape[0], -1)
    return Partition(star_colours(pattern) if pattern.nnz else nothing, nothing)


def _whole(shared: Partition) -> Partition:
    """Let columns without entries take part, so that a product shows if they have some."""
    forward, reverse = shared.counts
    columns = np.maximum(shared.columns, 0) if forward else shared.columns
    rows = np.maximum(shared.rows, 0) if reverse and not forward else shared.rows
    return Partition(columns, rows)


def _vectors(colours: np.ndarray) -> np.ndarray:
    """Return a vector for each colour: ones where it is, zeros elsewhere."""
    vectors = np.zeros((number_of(colours), colours.size))
    places = np.flatnonzero(colours >= 0)
    vectors[colours[places], places] = 1.0
    return vectors


def _by_symmetry(
    rows: np.ndarray, columns: np.ndarray, colours: np.ndarray, height: int
) -> np.ndarray:
    """Return where each entry of a symmetric matrix stands alone; the same for both of a pair."""
    slots = colours[columns] * height + rows
    crowd = np.bincount(slots, minlength=number_of(colours) * height)
    low, high = np.minimum(rows, columns), np.maximum(rows, columns)
    here, there = colours[high] * height + low, colours[low] * height + high
    places: np.ndarray = np.where(crowd[here] == 1, here, there)
    assert (crowd[places] == 1).all(), "no star colouring"
    return places
