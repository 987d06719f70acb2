"""Columns or rows, or both: how the entries of a pattern are shared out among products.

A product of forward mode gives the sum of the columns of a colour, one of reverse mode the sum of rows. A
dense column costs reverse mode as many products as it has entries, a dense row forward mode. So the
fullest rows may be taken out and left to reverse mode; what remains needs as few colours as if they
were not there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from enzyme_py.errors import AnnotationError
from enzyme_py.modes import Mode
from enzyme_py.sparse.colouring import column_colours, most_in_a_row, number_of
from enzyme_py.sparse.patterns import entries_of, from_entries

# In products of forward mode: measured, a gradient costs about two; a second derivative that has to be
# compiled is worth some more.
REVERSE_COST = 2
COST_OF_BOTH = 16


@dataclass(frozen=True)
class Partition:
    """The colours of all columns and rows: -1 where no product is needed, in either direction."""

    columns: np.ndarray
    rows: np.ndarray

    @property
    def counts(self) -> tuple[int, int]:
        """The products of forward and of reverse mode."""
        return number_of(self.columns), number_of(self.rows)

    @property
    def cost(self) -> int:
        """What the products cost together, in those of forward mode."""
        forward, reverse = self.counts
        return forward + REVERSE_COST * reverse + (COST_OF_BOTH if forward and reverse else 0)


def partition(pattern: Any, mode: Mode | None = None) -> Partition:
    """Return the cheapest partition found, or the one that uses the given mode alone."""
    if mode is not None:
        return _parted(pattern, 0 if not mode.is_forward else most_in_a_row(pattern))
    most = most_in_a_row(pattern)
    best = _parted(pattern, most)
    threshold = most
    while threshold:
        threshold //= 2
        if _least_cost(pattern, threshold) < best.cost:
            other = _parted(pattern, threshold)
            best = min(best, other, key=lambda one: one.cost)
    return best


def checked_mode(mode: Any) -> Mode | None:
    """Return a mode that can be used, or raise."""
    if mode is None or (isinstance(mode, Mode) and not mode.is_split):
        return mode
    message = f"mode must be enzyme.Forward, enzyme.Reverse or None, not {mode!r}"
    raise AnnotationError(message, remedy="leave it out: the cheaper one is chosen")


def _least_cost(pattern: Any, threshold: int) -> int:
    full = np.diff(pattern.indptr) > threshold
    rows, columns = entries_of(pattern)
    most = int(np.bincount(columns[full[rows]], minlength=1).max())
    return threshold + REVERSE_COST * most + (COST_OF_BOTH if threshold else 0)


def _parted(pattern: Any, threshold: int) -> Partition:
    """Leave the rows with more entries than the threshold to reverse mode."""
    full = np.diff(pattern.indptr) > threshold
    rows, columns = entries_of(pattern)
    by_row = full[rows]
    sparse_part = from_entries(rows[~by_row], columns[~by_row], pattern.shape)
    full_part = from_entries(columns[by_row], rows[by_row], pattern.shape[::-1])
    return Partition(_coloured(sparse_part), _coloured(full_part))


def _coloured(pattern: Any) -> np.ndarray:
    """Return the colours of the columns that have entries, -1 for the others."""
    has_entries = np.bincount(pattern.indices, minlength=pattern.shape[1]) > 0
    if not has_entries.any():
        return np.full(pattern.shape[1], -1)
    return np.where(has_entries, column_colours(pattern), -1)
