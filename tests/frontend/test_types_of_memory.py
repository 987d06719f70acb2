"""Memory whose type only Numba knows: lists of arrays, sets of integers, zeros in a list's room.

Each of these was refused. The operations permute the elements of an array, or repeat and drop some, so
with places = op(0, 1, 2, ...) the gradient of sum w sin(op(x)) is w cos(x) summed at the places.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import enzyme_py as enzyme

SHAPE = (2, 2, 4)
X = np.random.default_rng(1).uniform(0.3, 1.7, SHAPE)
V = np.random.default_rng(2).uniform(-1.0, 1.0, SHAPE)


def rotated(x):
    return np.rot90(x)


def swapped(x):
    return np.swapaxes(x, 0, 2)


def transposed(x):
    return np.transpose(x, (2, 0, 1))


def moved(x):
    return np.moveaxis(x, 0, 2)


def split(x):
    return np.split(x.reshape(16), 4)[2]


def split_unevenly(x):
    parts = np.array_split(x.reshape(16), 3)
    return np.concatenate((parts[2], parts[0]))


def split_at_indices(x):
    parts = np.split(x.reshape(16), np.array([2, 9]))
    return np.concatenate((parts[2], parts[0], parts[1], parts[0]))


def split_across(x):
    return np.hsplit(x, 2)[1]


def split_in_depth(x):
    return np.dsplit(x, 2)[0]


def rows_in_a_list(x):
    rows = [x[i, j] for i in range(2) for j in range(2)]
    return np.concatenate((rows[3], rows[1], rows[1]))


def list_that_grows(x):
    flat = x.reshape(16)
    parts = [flat[:1]]
    for i in range(1, 4):
        parts.append(np.concatenate((parts[-1], flat[i : i + 1])))
    return parts[-1]


OPERATIONS: tuple[Callable[..., Any], ...] = (
    rotated,
    swapped,
    transposed,
    moved,
    split,
    split_unevenly,
    split_at_indices,
    split_across,
    split_in_depth,
    rows_in_a_list,
    list_that_grows,
)
# Refused at second order: growing caches (transpositions read what is sorted).
FIRST_ORDER_ONLY = (rotated, swapped, transposed, moved, split_unevenly)


def summed(operation: Callable[..., Any]) -> Callable[..., Any]:
    def f(x):
        total, number = 0.0, 1.0
        for value in operation(x).flat:
            total += np.sin(value) * number
            number += 1.0
        return total

    return f


def weights(operation: Callable[..., Any]) -> np.ndarray:
    """The factor with which sin of each element of x enters the sum."""
    places = operation(np.arange(16).reshape(SHAPE)).ravel()
    return np.bincount(places, 1.0 + np.arange(places.size), 16).reshape(SHAPE)


def ids(operation: Callable[..., Any]) -> str:
    return operation.__name__


@pytest.mark.parametrize("operation", OPERATIONS, ids=ids)
def test_first_order(operation: Callable[..., Any]) -> None:
    f = summed(operation)
    wanted = weights(operation) * np.cos(X)
    assert np.allclose(enzyme.grad(f)(X), wanted, rtol=1e-13)
    assert enzyme.jvp(f, (X,), (V,))[1] == pytest.approx(np.sum(wanted * V), rel=1e-12)


@pytest.mark.parametrize(
    "operation", [one for one in OPERATIONS if one not in FIRST_ORDER_ONLY], ids=ids
)
def test_second_order(operation: Callable[..., Any]) -> None:
    f = summed(operation)
    wanted = -weights(operation) * np.sin(X) * V
    along = enzyme.grad(lambda x, v: np.sum(enzyme.grad(f)(x) * v))
    slope = enzyme.grad(lambda x, v: enzyme.jvp(f, (x,), (v,))[1])
    assert np.allclose(along(X, V), wanted, rtol=1e-13)
    assert np.allclose(slope(X, V), wanted, rtol=1e-13)
    assert np.allclose(enzyme.jvp(enzyme.grad(f), (X,), (V,))[1], wanted, rtol=1e-13)
