"""Colours: numbers for columns or rows such that those of one colour are computed in one product.

* columns: no two columns of one colour have an entry in the same row, so that each entry can be read off the
  sum of the columns of its colour; rows: the same, transposed
* symmetric: neighbours in the graph of the pattern differ, and no path of four vertices has two colours
  only (a star colouring). Then each entry can be read off in its row or, by symmetry, in its column.

All are greedy, in the natural order and from the largest on. For bands and grids they find the fewest, or
nearly; the fewest at all are not sought, which is NP-hard.
"""

from __future__ import annotations

import functools
from typing import Any

import numba
import numpy as np

from enzyme_py.errors import SparsityError
from enzyme_py.sparse.patterns import as_pattern, entries_of, from_entries

WAYS = ("columns", "rows", "symmetric")


def colour(pattern: Any, by: str = "columns") -> np.ndarray:
    """Return a colour for each column (or row) of a pattern: numbers from 0 on, without gaps.

    `by` is "columns", "rows" or "symmetric"; the last is for symmetric patterns. What has no entry
    gets the colour 0 as well.

    Examples:
        >>> enzyme.sparse.colour(np.eye(3))
        array([0, 0, 0])
    """
    if by not in WAYS:
        message = f"there is no colouring by {by!r}"
        raise SparsityError(message, remedy=f"choose among {', '.join(WAYS)}")
    pattern = as_pattern(pattern)
    if by == "symmetric":
        check_symmetric(pattern)
        return star_colours(pattern)
    return column_colours(pattern if by == "columns" else pattern.T)


def check_symmetric(pattern: Any) -> None:
    """Raise unless a pattern is symmetric."""
    square = pattern.shape[0] == pattern.shape[1]
    if not square or (pattern != pattern.T).nnz:
        message = "the pattern of a Hessian is symmetric, this one is not"
        raise SparsityError(message, remedy="pass `pattern + pattern.T`")


def column_colours(pattern: Any) -> np.ndarray:
    """Return the colours of the columns of a pattern."""
    rows, columns = pattern.tocsr(), pattern.tocsc()
    fewest = most_in_a_row(rows)
    count = np.diff(columns.indptr)
    best: np.ndarray | None = None
    for order in (np.arange(count.size), np.argsort(-count, kind="stable")):
        found = _greedy()(order, *_graph(columns), *_graph(rows))
        if best is None or number_of(found) < number_of(best):
            best = found
        if number_of(best) <= fewest:
            break
    assert best is not None
    return best


def star_colours(pattern: Any) -> np.ndarray:
    """Return a star colouring of a symmetric pattern's graph."""
    rows, columns = entries_of(pattern)
    apart = rows != columns
    graph = from_entries(rows[apart], columns[apart], pattern.shape)
    order = np.argsort(-np.diff(graph.indptr), kind="stable")
    found: np.ndarray = _stars()(order, *_graph(graph))
    return found


def number_of(colours: np.ndarray) -> int:
    """Return how many colours there are."""
    return int(colours.max()) + 1 if colours.size else 0


def most_in_a_row(pattern: Any) -> int:
    """Return the number of entries of the fullest row: so many colours are needed at least."""
    return int(np.diff(pattern.indptr).max(initial=0))


def _graph(matrix: Any) -> tuple[np.ndarray, np.ndarray]:
    return matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64)


@functools.cache
def _greedy() -> Any:
    """Return the compiled greedy colouring of columns; compiled at first use, not at import."""

    def greedy(order, column_starts, column_rows, row_starts, row_columns):  # type: ignore[no-untyped-def]
        colours = np.full(order.size, -1)
        taken_by = np.full(order.size + 1, -1)  # the last column that could not take a colour
        for column in order:
            for at in range(column_starts[column], column_starts[column + 1]):
                row = column_rows[at]
                for other in range(row_starts[row], row_starts[row + 1]):
                    if colours[row_columns[other]] >= 0:
                        taken_by[colours[row_columns[other]]] = column
            free = 0
            while taken_by[free] == column:
                free += 1
            colours[column] = free
        return colours

    return numba.njit(greedy)


@functools.cache
def _stars() -> Any:  # noqa: C901  # the three loops of the published algorithm
    """Return the compiled greedy star colouring (Gebremedhin, Manne, Pothen 2005, algorithm 4.1)."""

    def stars(order, starts, neighbours):  # type: ignore[no-untyped-def]
        colours = np.full(order.size, -1)
        taken_by = np.full(order.size + 1, -1)
        for v in order:
            for at in range(starts[v], starts[v + 1]):
                w = neighbours[at]
                if colours[w] >= 0:
                    taken_by[colours[w]] = v
                for beyond in range(starts[w], starts[w + 1]):
                    x = neighbours[beyond]
                    if x == v or colours[x] < 0 or taken_by[colours[x]] == v:
                        continue
                    if colours[w] < 0:  # both would stand beside w, whatever it becomes
                        taken_by[colours[x]] = v
                        continue
                    for last in range(starts[x], starts[x + 1]):
                        y = neighbours[last]
                        if y != w and colours[y] == colours[w]:  # v, w, x, y is a path
                            taken_by[colours[x]] = v
                            break
            free = 0
            while taken_by[free] == v:
                free += 1
            colours[v] = free
        return colours

    return numba.njit(stars)
