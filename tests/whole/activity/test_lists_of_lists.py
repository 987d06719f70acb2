"""Lists and dicts of integers that lie in lists: where a kernel finds its places.

    pairs = np.array([[i, j] for i in range(n) for j in range(n) if i != j])

Their memory is that of tables, as the integers' own is (enzyme_py/frontend/codegen/tables.py). While it was not, each of these
kernels was refused in both modes, or in forward mode.
"""

from __future__ import annotations

import numba
import numpy as np
from numba import types
from numba.typed import Dict, List

import enzyme_py as enzyme

M = np.arange(1.0, 10.0).reshape(3, 3)
V = np.random.default_rng(1).normal(size=(3, 3))
OFF_DIAGONAL = 1.0 - np.eye(3)


@numba.njit
def from_a_comprehension(m):
    n = m.shape[0]
    pairs = np.array([[i, j] for i in range(n) for j in range(n) if i != j])
    total = np.zeros((n, n))
    for k in range(pairs.shape[0]):
        i, j = pairs[k]
        total[i, j] = m[j, i] ** 3
    return np.sum(total)


@numba.njit
def from_appended_lists(m):
    pairs = []
    for i in range(m.shape[0]):
        for j in range(m.shape[1]):
            if i != j:
                pairs.append([i, j])  # noqa: PERF401  # appending is what is asked
    total = m.copy()
    table = np.array(pairs)
    for k in range(len(pairs)):
        total[table[k, 0], pairs[k][1]] = m[table[k, 1], table[k, 0]] ** 3
    return np.sum(total) - np.trace(m)


@numba.njit
def from_typed_lists_of_dicts(m):
    places = List()
    for i in range(m.shape[0]):
        row = Dict.empty(types.int64, types.int64)
        for j in range(m.shape[1]):
            if i != j:
                row[10 * j] = j
        places.append(row)
    total = 0.0
    for i in range(len(places)):
        for j in range(m.shape[1]):
            if 10 * j in places[i]:
                total += m[i, places[i][10 * j]] ** 3
    return total


KERNELS = (from_a_comprehension, from_appended_lists, from_typed_lists_of_dicts)


def test_first_derivatives() -> None:
    for kernel in KERNELS:
        assert kernel(M) == np.sum(OFF_DIAGONAL * M**3)
        np.testing.assert_allclose(enzyme.grad(kernel)(M), 3 * OFF_DIAGONAL * M**2, rtol=1e-14)
        np.testing.assert_allclose(enzyme.jvp(kernel, (M,), (V,))[1], np.sum(3 * OFF_DIAGONAL * M**2 * V), rtol=1e-13)


def test_second_derivatives() -> None:
    for kernel in KERNELS[:2]:
        found = enzyme.jvp(enzyme.grad(kernel), (M,), (V,))[1]
        np.testing.assert_allclose(found, 6 * OFF_DIAGONAL * M * V, rtol=1e-13)
