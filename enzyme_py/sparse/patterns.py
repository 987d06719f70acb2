"""Sparsity patterns: boolean csr arrays with sorted indices, without duplicates, all stored entries True."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from enzyme_py.errors import SparsityError

EXAMPLE = "pass a scipy.sparse array or a 2-d array whose entries say where the derivative may be non-zero"


def as_pattern(given: Any, shape: tuple[int, int] | None = None) -> Any:
    """Return what a user gives as a pattern, or raise; stored entries count, whatever their value."""
    if not sparse.issparse(given):
        given = np.asarray(given)
    if given.dtype.kind not in "biuf" or given.ndim != 2:
        message = f"no sparsity pattern: {given.ndim} dimensions, dtype {given.dtype}"
        raise SparsityError(message, remedy=EXAMPLE)
    if shape is not None and given.shape != shape:
        message = f"the pattern has shape {given.shape}, the derivative {shape}"
        remedy = "rows are the numbers of the output, columns those of the argument, in C order"
        raise SparsityError(message, remedy=remedy)
    if not sparse.issparse(given):
        given = given != 0  # a dense array stores its zeros too
    entries = sparse.coo_array(given)
    return from_entries(entries.row, entries.col, given.shape)


def from_entries(rows: Any, columns: Any, shape: tuple[int, int]) -> Any:
    """Return the pattern with these entries; an entry may be named more than once."""
    values = np.ones(len(rows), np.int8)  # duplicates are added up: booleans might not be
    made = sparse.coo_array((values, (rows, columns)), shape=shape).tocsr()
    made.sum_duplicates()
    made.data = np.ones(made.nnz, np.bool_)
    return made


def entries_of(pattern: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows and the columns of the entries, row by row."""
    rows = np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr))
    return rows, pattern.indices.astype(np.int64)


def union(one: Any, other: Any) -> Any:
    """Return the pattern with the entries of both."""
    pairs = [entries_of(pattern) for pattern in (one, other)]
    rows, columns = (np.concatenate([pair[i] for pair in pairs]) for i in (0, 1))
    return from_entries(rows, columns, one.shape)


def lacking(small: Any, large: Any) -> list[tuple[int, int]]:
    """Return the entries of the large pattern that the small one has not."""
    rows, columns = entries_of(large)
    known = entries_of(small)
    width = max(1, large.shape[1])
    missing = ~np.isin(rows * width + columns, known[0] * width + known[1])
    return [(int(i), int(j)) for i, j in zip(rows[missing], columns[missing], strict=True)]
