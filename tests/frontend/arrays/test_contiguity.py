"""Whether memory is contiguous, asked axis by axis: Numba's answers, and what they are for."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numba
import numpy as np
import pytest
from numba.np.numpy_support import is_contiguous, is_fortran

import enzyme_py as enzyme


def orders(s, x, step):
    """Give s a slope that says in which order a part of x is, whose layout Numba does not know."""
    part = x[..., ::step]
    return s * (2.0 * part.flags.c_contiguous + part.flags.f_contiguous)


def arrays(rank: int) -> Iterator[Any]:
    """Yield arrays in both orders, with long axes, axes of one element, and empty ones."""
    for shape in product((0, 1, 3), repeat=rank):
        yield np.zeros(shape)
        yield np.zeros(shape, order="F")


@pytest.mark.parametrize("rank", [1, 2, 3, 4])
def test_the_answer_is_that_of_numba(rank: int) -> None:
    gradient = enzyme.grad(orders)
    asked = set[float]()
    for x, step in product(arrays(rank), (1, 2)):
        part = x[..., ::step]
        strides = (*x.strides[:-1], x.strides[-1] * step)  # NumPy's own are 0 where nothing is stepped over
        wanted = 2.0 * is_contiguous(part.shape, strides, 8)
        wanted += is_fortran(part.shape, strides, 8)
        asked.add(wanted)
        assert gradient(1.0, x, step) == wanted, (part.shape, strides)
    assert asked == {1: {0.0, 3.0}}.get(rank, {0.0, 1.0, 2.0, 3.0})


def cubes(x):
    """The second derivative of the sum of x^3 is 6 x."""
    y = np.ascontiguousarray(x)
    return np.sum(y * y * y)


def test_reverse_over_reverse_of_five_dimensions() -> None:
    """It took minutes to compile, with a search over the axes in both sweeps."""
    x = np.random.default_rng(1).uniform(0.5, 1.5, (2, 2, 1, 2, 4))[..., ::2]
    v = np.cos(np.arange(x.size)).reshape(x.shape)
    gradient = enzyme.grad(cubes)
    slope = numba.njit(lambda x, v: np.sum(gradient(x) * v))
    np.testing.assert_allclose(enzyme.gradient(slope, x, v)[0], 6 * x * v, rtol=1e-14)
