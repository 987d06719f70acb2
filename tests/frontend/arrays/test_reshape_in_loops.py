"""Sizes that lie in a variable of a loop: `np.reshape` of run-time tuples, once a death of the interpreter."""

from __future__ import annotations

import numba
import numpy as np
import pytest

import enzyme_py as enzyme

SHAPE = (2, 6, 3)


def of_the_issue(x, k):
    t = 0.0
    for i in range(6):
        y = x * float(i)
        t += np.sum(np.reshape(y, (x.shape[0], k, x.shape[2])) * 2.0)
    return t


def squares(x, k):
    t = 0.0
    for i in range(4):
        y = x * float(i)
        z = np.reshape(y, (k, x.shape[0], x.shape[2]))
        t += np.sum(z * z)
    return t


def in_two_loops(x, k):
    t = 0.0
    for i in range(3):
        for j in range(i + 1):
            z = np.reshape(x * float(j + 1), (x.shape[2], 1, k, x.shape[0]))
            t += np.sum(z * z)
    return t


def of_other_sizes(x, k):
    t = 0.0
    for i in range(1, 3):
        z = np.reshape(x, (i, x.size // (3 * i), 3))
        for row in range(z.shape[0]):
            for place in range(z.shape[1]):
                t += z[row, place, 2] ** 3 * i
    return t


def inferred(x, k):
    t = 0.0
    for i in range(3):
        z = np.reshape(x * x, (x.shape[0], -1, i + 1))
        t += np.sum(z[:, :, 0] * z[:, :, 0])
    return t


@numba.njit
def reshaped(y, first, second, third):
    return np.reshape(y, (first, second, third))


def called(x, k):
    t = 0.0
    for i in range(4):
        z = reshaped(x * float(i), x.shape[0], k, x.shape[2])
        t += np.sum(z * z)
    return t


def gradient_of_other_sizes(x):
    slope = np.zeros_like(x)
    slope[..., 2] = 9 * x[..., 2] ** 2
    return slope


def gradient_inferred(x):
    slope = np.zeros(x.size)
    for i in range(3):
        slope[:: i + 1] += 4 * x.ravel()[:: i + 1] ** 3
    return slope.reshape(x.shape)


# The gradient of each by hand.
KERNELS = {
    of_the_issue: lambda x: np.full(x.shape, 30.0),
    squares: lambda x: 28 * x,
    in_two_loops: lambda x: 2 * x * (1 + (1 + 4) + (1 + 4 + 9)),
    of_other_sizes: gradient_of_other_sizes,
    inferred: gradient_inferred,
    called: lambda x: 28 * x,
}


@pytest.fixture
def x():
    return np.linspace(-1.0, 1.5, 36).reshape(SHAPE)


@pytest.mark.parametrize("kernel", KERNELS)
def test_gradient_and_slope(kernel, x):
    right, tangent = KERNELS[kernel](x), np.cos(np.arange(36.0)).reshape(SHAPE)
    assert np.allclose(enzyme.grad(kernel)(x, 6), right, rtol=1e-12)
    _, slope = enzyme.jvp(kernel, (x, 6), (tangent, 0))
    assert np.isclose(slope, np.sum(right * tangent), rtol=1e-12)


def beside_a_search(x, y):
    y = y.copy()
    t = 0.0
    for _ in range(3):
        t += np.ascontiguousarray(x[..., np.newaxis])[0, 0, 0, 0]  # a loop over the axes, with several exits
        y[y > 0.13] = 0.25
    return np.sum(y) + t


def test_memory_made_again_beside_a_search():
    """It never ended: the reverse sweep went through that loop again to make the mask."""
    x, y = np.ones((3, 2, 3)), np.array([-1.0, 0.5, 0.1])
    by_x, by_y = enzyme.grad(beside_a_search, argnums=(0, 1))(x, y)
    right = np.zeros_like(x)
    right[0, 0, 0] = 3.0
    assert np.array_equal(by_x, right)
    assert np.array_equal(by_y, [1.0, 0.0, 1.0])


@pytest.mark.parametrize("kernel", [squares, inferred])
def test_second_orders(kernel, x):
    v, step = np.sin(np.arange(36.0)).reshape(SHAPE), 1e-5
    right = (KERNELS[kernel](x + step * v) - KERNELS[kernel](x - step * v)) / (2 * step)
    assert np.allclose(enzyme.hvp(kernel, x, v, 6), right, atol=1e-8)

    def pulled(z):
        return np.sum(enzyme.gradient(kernel, z, 6)[0] * v)

    assert np.allclose(enzyme.grad(pulled)(x), right, atol=1e-8)  # reverse over reverse
