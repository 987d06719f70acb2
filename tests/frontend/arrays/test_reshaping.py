"""`reshape` of contiguous arrays and the check of an axis: Numba's shapes, strides and errors, in one go."""

from __future__ import annotations

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.passes import journal


def of_two(x, sizes):
    z = np.reshape(x, sizes)
    t = 0.0
    for i in range(z.shape[0]):
        for j in range(z.shape[1]):
            t += z[i, j] ** 2 * (i + 3.0 * j + 1.0)
    return t + z.strides[0] + 10.0 * z.strides[1]


def of_numbers(x, sizes):
    z = x.reshape(sizes[0], np.int32(sizes[1]))
    return np.sum(z * z) + 100.0 * z.shape[0]


def of_five(x, sizes):
    z = x.reshape((1, sizes[0], 1, sizes[1], 1))
    steps = 0.0
    for step in z.strides:
        steps = 3.0 * steps + step
    return np.sum(z * z * z) + steps


def flattened(x, sizes):
    z = x.reshape(sizes[0] * sizes[1])
    return np.sum(z * z) * z.strides[0]


KERNELS = (of_two, of_numbers, of_five, flattened)
SIZES = (
    (3, 2), (6, 1), (1, 6), (-1, 2), (3, -1), (-1, -1), (0, -1), (-1, 0), (-5, 3), (4, -1), (7, 2),
    (0, 0), (0, 3), (2**40, 5), (40, -1),
)  # fmt: skip


def outcome(function, *args):
    try:
        return function(*args)
    except (ValueError, NotImplementedError) as error:
        return type(error), str(error)


@pytest.mark.parametrize("kernel", KERNELS)
def test_shapes_strides_and_errors_are_numbas(kernel):
    plain, gradient = numba.njit(kernel), enzyme.value_and_grad(kernel)
    refused = 0
    for shape in ((2, 3), (0, 3)):
        x = 1.0 + np.arange(float(shape[0] * shape[1])).reshape(shape)
        for sizes in SIZES:
            right = outcome(plain, x, sizes)
            got = outcome(gradient, x, sizes)
            if isinstance(right, tuple):
                refused += 1
                assert got == right, (shape, sizes)
            else:
                assert got[0] == right, (shape, sizes)
    assert refused == (13 if kernel is flattened else 15)


def test_the_gradient_by_hand():
    x = 1.0 + np.arange(6.0).reshape(2, 3)
    weights = np.array([[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]])
    gradient = enzyme.gradient(of_two, x, (3, -1))[0]
    np.testing.assert_array_equal(gradient, 2.0 * x * weights.reshape(2, 3))
    tangent = enzyme.jvp(of_two, (x, (3, 2)), (np.ones_like(x), (0, 0)))
    assert np.sum(gradient) in np.ravel(np.asarray(tangent, dtype=object))


def attention(q, k, v):
    n, d = q.shape
    m = k.shape[0]
    scores = np.sum(np.reshape(q, (n, 1, d)) * np.reshape(k, (1, m, d)), axis=2)
    weights = np.exp(scores)
    shares = weights / np.reshape(np.sum(weights, axis=1), (n, 1))
    out = np.sum(np.reshape(shares, (n, m, 1)) * np.reshape(v, (1, m, v.shape[1])), axis=1)
    return np.sum(out * out)


def test_an_attention_against_differences_and_by_the_first_attempt():
    rng = np.random.default_rng(5)
    args = rng.normal(size=(3, 4)), rng.normal(size=(5, 4)), rng.normal(size=(5, 2))
    plain = numba.njit(attention)
    with journal.kept() as kept:
        value, gradients = enzyme.value_and_grad(attention, argnums=(0, 1, 2))(*args)
    assert value == plain(*args)
    assert [str(one) for one in kept.attempts if not one.has_served] == []
    assert kept.attempts
    for number, gradient in enumerate(gradients):
        for place in np.ndindex(gradient.shape):
            moved = [one.copy() for one in args]
            moved[number][place] += 1e-6
            above = plain(*moved)
            moved[number][place] -= 2e-6
            difference = (above - plain(*moved)) / 2e-6
            assert abs(gradient[place] - difference) < 1e-7


def over_an_axis(x, axis):
    return np.sum(np.sum(x * x, axis=axis) ** 2)


def over_two_axes(x, axis):
    return np.sum(np.sum(x * x, axis=(axis, 1)))


@pytest.mark.parametrize("kernel", [over_an_axis, over_two_axes])
def test_an_axis_out_of_bounds_is_refused_as_by_numba(kernel):
    plain, gradient = numba.njit(kernel), enzyme.value_and_grad(kernel)
    x = 1.0 + np.arange(24.0).reshape(2, 3, 4)
    for axis in (3, -4, 99, -(2**40)):
        right = outcome(plain, x, axis)
        assert right[0] is np.exceptions.AxisError
        assert right == outcome(gradient, x, axis)
    for axis in (0, 2, -1):
        right = plain(x, axis)
        assert gradient(x, axis)[0] == right
    if kernel is over_an_axis:
        sums = np.sum(x * x, axis=2, keepdims=True)
        np.testing.assert_allclose(gradient(x, 2)[1], 4.0 * sums * x, rtol=1e-14)


def test_an_axis_out_of_bounds_in_a_try():
    def caught(x, axis):
        try:
            return np.sum(np.sum(x * x, axis=axis))
        except Exception:
            return 7.0 * x[0, 0]

    x = np.ones((2, 3))
    assert np.array_equal(enzyme.gradient(caught, x, 0)[0], 2.0 * x)
    assert enzyme.gradient(caught, x, 5)[0].ravel().tolist() == [7.0, 0, 0, 0, 0, 0]
