"""Assignment to views whose elements are one (`as_strided`): the last one written stays, and it alone has a slope."""

from __future__ import annotations

import itertools

import numba
import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

import enzyme_py as enzyme

ROOM = 130
# Where the view begins, its shape, its steps: few elements and many, short rows, steps of zero, backwards, half hidden.
VIEWS = [
    (0, (2, 1), (0, 1)),
    (0, (3, 2), (1, 1)),
    (1, (2, 2), (-1, 1)),
    (0, (9, 2), (1, 1)),
    (0, (2, 9), (1, 1)),
    (9, (9, 3), (-1, 1)),
    (20, (5, 7), (-2, -1)),
    (0, (40, 3), (1, 1)),
    (0, (30, 3), (0, 1)),
    (0, (3, 30), (1, 0)),
    (0, (6, 6), (3, 2)),
    (0, (5, 5), (5, 1)),
    (0, (2, 9), (3, 6)),
]


@numba.njit
def written(x, shape, steps, first, weights):
    y = np.zeros(ROOM, x.dtype)
    size = y.itemsize
    as_strided(y[first:], shape, (steps[0] * size, steps[1] * size))[:] = x
    return (weights * y * y).sum()


@numba.njit
def moved(x, shape, steps, first, weights):
    """The source lies in the same memory."""
    y = np.zeros(ROOM, x.dtype)
    y[: x.size] = x.ravel()
    size = y.itemsize
    view = as_strided(y[first:], shape, (steps[0] * size, steps[1] * size))
    view[:] = view[::-1, ::-1]
    return (weights * y * y).sum()


def places(view) -> np.ndarray:
    first, (n, m), (one, other) = view
    return first + one * np.arange(n)[:, None] + other * np.arange(m)


def drawn(view, kind):
    random = np.random.default_rng(1)
    x = random.uniform(0.5, 1.5, view[1]) + (1j * random.uniform(0.5, 1.5, view[1]) if kind is complex else 0)
    return x.astype(kind), random.uniform(0.5, 1.5, ROOM).astype(np.float32 if kind is np.float32 else float)


def last_written(view, values) -> np.ndarray:
    """Return for each element of memory the number of the one written last, -1 for none."""
    last = np.full(ROOM, -1)
    for number, place in enumerate(places(view).ravel()):
        last[place] = number
    return last


@pytest.mark.parametrize("kind", [float, np.float32, complex])
@pytest.mark.parametrize("view", VIEWS, ids=str)
def test_the_last_one_stays(view, kind) -> None:
    x, weights = drawn(view, kind)
    first, shape, steps = view
    last = last_written(view, x)
    memory = np.where(last >= 0, x.ravel()[last], 0)
    slope = np.zeros_like(x).ravel()
    np.add.at(slope, last[last >= 0], (2 * weights * memory)[last >= 0])
    slope = slope.reshape(shape)
    rtol = 1e-5 if kind is np.float32 else 1e-13
    given = x, shape, steps, first, weights
    if kind is complex:
        _, along = enzyme.jvp(written, given, (x, (0, 0), (0, 0), 0, np.zeros_like(weights)))
        np.testing.assert_allclose(along, np.sum(slope * x), rtol=rtol)
        got = enzyme.vjp(written, *given)[1](1.0 + 0.0j)[0]
        np.testing.assert_allclose(got, np.conj(slope), rtol=rtol)
        return
    value, gradient = enzyme.value_and_grad(written)(*given)
    np.testing.assert_allclose(value, np.sum(weights * memory**2), rtol=rtol)
    np.testing.assert_allclose(gradient, slope, rtol=rtol)
    value, along = enzyme.jvp(written, given, (x, (0, 0), (0, 0), 0, np.zeros_like(weights)))
    np.testing.assert_allclose([value, along], [np.sum(weights * memory**2), np.sum(slope * x)], rtol=rtol)


@pytest.mark.parametrize("view", VIEWS, ids=str)
def test_source_and_target_are_one_memory(view) -> None:
    x, weights = drawn(view, float)
    first, shape, steps = view
    at = places(view)
    read = np.full(ROOM, -1)
    read[: x.size] = np.arange(x.size)  # which element of x stands where
    after = read.copy()
    for place, number in zip(at.ravel(), read[at[::-1, ::-1]].ravel(), strict=True):
        after[place] = number
    memory = np.where(after >= 0, x.ravel()[after], 0)
    slope = np.zeros(x.size)
    np.add.at(slope, after[after >= 0], (2 * weights * memory)[after >= 0])
    value, gradient = enzyme.value_and_grad(moved)(x, shape, steps, first, weights)
    np.testing.assert_allclose(value, np.sum(weights * memory**2), rtol=1e-13)
    np.testing.assert_allclose(gradient.ravel(), slope, rtol=1e-13)


def test_second_orders() -> None:
    for view, (outer, inner) in itertools.product(VIEWS[3:5], [(enzyme.Forward, enzyme.Reverse), (enzyme.Reverse, enzyme.Reverse)]):
        x, weights = drawn(view, float)
        first, shape, steps = view
        last = last_written(view, x)
        counted = np.zeros(x.size)
        np.add.at(counted, last[last >= 0], 2 * weights[last >= 0])
        got = enzyme.hvp(written, x, x, shape, steps, first, weights, outer=outer, inner=inner)
        np.testing.assert_allclose(got.ravel(), counted * x.ravel(), rtol=1e-13)
