"""np.tile in njit code and in kernels."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

import enzyme_py as enzyme

VECTOR = np.array([0.3, 0.7, 1.1])
MATRIX = np.arange(1.0, 7.0).reshape(2, 3) / 3.0
EMPTY = np.zeros((0, 3))


@pytest.mark.parametrize(
    ("array", "repetitions"),
    [
        (VECTOR, 3),
        (VECTOR, 0),
        (VECTOR, (2,)),
        (VECTOR, (2, 2)),
        (MATRIX, 2),
        (MATRIX, (2, 1)),
        (MATRIX, (2, 3)),
        (MATRIX, (2, 1, 2)),
        (MATRIX.T, (1, 2)),
        (np.asfortranarray(MATRIX), (3, 2)),
        (MATRIX[::-1, ::2], (2, 2)),
        (EMPTY, (2, 2)),
        (np.arange(4), 2),
    ],
)
def test_is_numpys(array: np.ndarray, repetitions: Any) -> None:
    found = numba.njit(lambda a, r: np.tile(a, r))(array, repetitions)
    wanted = np.tile(array, repetitions)
    assert found.dtype == wanted.dtype
    assert found.shape == wanted.shape
    assert np.array_equal(found, wanted)


def tiled(x):
    total, number = 0.0, 1.0
    for value in np.tile(x, (2, 2)).flat:
        total += np.sin(value) * number
        number += 1.0
    return total


def weights() -> np.ndarray:
    places = np.tile(np.arange(6).reshape(2, 3), (2, 2)).ravel()
    return np.bincount(places, 1.0 + np.arange(places.size), 6).reshape(2, 3)


def test_first_order() -> None:
    wanted = weights() * np.cos(MATRIX)
    assert np.allclose(enzyme.grad(tiled)(MATRIX), wanted, rtol=1e-13)
    along = enzyme.jvp(tiled, (MATRIX,), (np.ones((2, 3)),))[1]
    assert along == pytest.approx(np.sum(wanted), rel=1e-13)


def test_second_order() -> None:
    wanted = -weights() * np.sin(MATRIX)
    ones = np.ones((2, 3))
    assert np.allclose(
        enzyme.grad(lambda x: np.sum(enzyme.grad(tiled)(x)))(MATRIX), wanted, rtol=1e-13
    )
    assert np.allclose(
        enzyme.grad(lambda x, v: enzyme.jvp(tiled, (x,), (v,))[1])(MATRIX, ones), wanted, rtol=1e-13
    )
    assert np.allclose(enzyme.jvp(enzyme.grad(tiled), (MATRIX,), (ones,))[1], wanted, rtol=1e-13)
