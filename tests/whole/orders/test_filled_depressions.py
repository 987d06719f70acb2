"""Second derivatives of a terrain whose depressions are filled: a heap of tuples, in functions that are called twice.

A cell is as high as the lowest way out of it, so each height is one of the terrain's: that of the cell itself, or that of
the way out. With k cells as high as a height z, the sum of their squares has the derivatives 2 k z and 2 k.
"""

from __future__ import annotations

import heapq

import numba
import numpy as np

import enzyme_py as enzyme

# The three cells in the middle run out over 0.7, at the right.
HEIGHTS = np.array([[1.0, 0.9, 0.8, 1.2], [1.1, 0.2, 0.3, 1.3], [1.4, 0.5, 1.6, 0.7], [1.7, 1.5, 1.8, 1.9]])
CELLS = np.array([[1, 1, 1, 1], [1, 0, 0, 1], [1, 0, 1, 4], [1, 1, 1, 1]])


def squares_of_filled(z):
    rows, columns = z.shape
    done = np.zeros(z.shape, np.bool_)
    edge = [(0.0, np.uint32(0), np.uint32(0))][1:]
    for r in range(rows):
        for c in range(columns):
            if r in (0, rows - 1) or c in (0, columns - 1):
                heapq.heappush(edge, (z[r, c], np.uint32(r), np.uint32(c)))
                done[r, c] = True
    filled = z.copy()
    while len(edge) > 0:
        level, row, column = heapq.heappop(edge)
        for i in range(-1, 2):
            for j in range(-1, 2):
                r, c = row + i, column + j
                if r < 0 or r >= rows or c < 0 or c >= columns or done[r, c]:
                    continue
                filled[r, c] = max(z[r, c], level)
                heapq.heappush(edge, (filled[r, c], np.uint32(r), np.uint32(c)))
                done[r, c] = True
    return np.sum(filled**2)


def test_forward_over_reverse() -> None:
    gradient = enzyme.grad(squares_of_filled)
    v = np.arange(16.0).reshape(4, 4) - 3.5
    found, along = enzyme.jvp(numba.njit(lambda z: gradient(z)), (HEIGHTS,), (v,))
    np.testing.assert_allclose(found, 2 * CELLS * HEIGHTS, rtol=1e-15)
    np.testing.assert_allclose(along, 2 * CELLS * v, rtol=1e-15)
