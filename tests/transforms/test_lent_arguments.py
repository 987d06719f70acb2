"""Products with the Hessian copy arguments that the kernel writes, and only these."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.assembly.written_arguments import writes_no_argument
from enzyme_py.frontend.functions.kernels import as_kernel

VECTOR = numba.float64[::1]
MATRIX = numba.float64[:, ::1]
RANDOM = np.random.default_rng(11)


def cubes(x):
    total = 0.0
    for i in range(x.size):
        total += x[i] ** 3
    return total


def of_slices(x):
    return np.sum((x[1:] - x[:-1] ** 2) ** 2)


def by_buffers(x):
    u, new = x.copy(), x.copy()
    for _ in range(3):
        for i in range(1, u.size):
            new[i] = u[i] * u[i - 1]
        u, new = new, u
    return u.sum()


def by_products(x):
    return x @ np.tanh(x * np.max(x))


def stored(x):
    x[0] = x[0] * x[1]
    return cubes(x)


def stored_in_one_branch(x):
    if x[0] > 1e300:
        x[1] = 0.0
    return cubes(x)


def stored_through_a_view(x):
    part = x[1:]
    part *= 2.0
    return cubes(x)


def sorted_in_place(x):
    x.sort()
    return x[0] ** 3 + 2.0 * x[1] ** 3


def stored_where_a_buffer_was_the_argument(x):
    u, new = x, x.copy()
    for _ in range(2):
        for i in range(1, u.size):
            new[i] = u[i] * u[i - 1]
        u, new = new, u
    return u.sum()


@numba.njit
def _doubled(x):
    x *= 2.0


def stored_by_a_callee(x):
    _doubled(x)
    return cubes(x)


def stored_from_a_list(x):
    held = [x, x.copy()]
    for one in held:
        one[0] = 2.0 * one[1]
    return cubes(x)


def stored_by_a_product(x):
    np.dot(np.outer(x, x), x.copy(), x)
    return x.sum()


def stored_under_a_try(x):
    try:
        x[0] = x[1] * x[1]
    except Exception:
        x[1] = 0.0
    return cubes(x)


READ = (cubes, of_slices, by_buffers, by_products)
WRITTEN = (
    stored,
    stored_in_one_branch,
    stored_through_a_view,
    sorted_in_place,
    stored_where_a_buffer_was_the_argument,
    stored_by_a_callee,
    stored_from_a_list,
    stored_by_a_product,
    stored_under_a_try,
)


@pytest.mark.parametrize("kernel", READ)
def test_what_only_reads_is_known(kernel: Any) -> None:
    assert writes_no_argument(as_kernel(kernel), (VECTOR,))


@pytest.mark.parametrize("kernel", WRITTEN)
def test_what_writes_is_never_taken_for_reading(kernel: Any) -> None:
    assert not writes_no_argument(as_kernel(kernel), (VECTOR,))


def test_one_written_argument_of_two_counts() -> None:
    def fills(x, out):
        for i in range(x.size):
            out[i] = x[i] ** 2
        return out.sum()

    assert not writes_no_argument(as_kernel(fills), (VECTOR, VECTOR))


def test_what_cannot_be_compiled_is_said_by_the_derivative() -> None:
    def wrong(x):
        return x.no_such_thing()

    assert not writes_no_argument(as_kernel(wrong), (VECTOR,))
    with pytest.raises(enzyme.EnzymeError, match="no_such_thing"):
        enzyme.hvp(wrong, np.ones(2), np.ones(2))


def by_differences(kernel: Any, x: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return the product from central differences of the gradient, itself a test elsewhere."""
    step = 1e-5
    gradient = enzyme.grad(kernel)
    return (gradient(x + step * v) - gradient(x - step * v)) / (2.0 * step)


@pytest.mark.parametrize("outer", [enzyme.Forward, enzyme.Reverse])
@pytest.mark.parametrize("kernel", [*READ, *WRITTEN])
def test_product_leaves_its_arguments(kernel: Any, outer: Any) -> None:
    x, v = np.array([0.4, 0.7, 1.1, 0.9]), np.array([0.3, -1.0, 0.5, 0.2])
    before = x.copy(), v.copy()
    found = enzyme.hvp(kernel, x, v, outer=outer)
    np.testing.assert_array_equal(x, before[0])
    np.testing.assert_array_equal(v, before[1])
    np.testing.assert_allclose(found, by_differences(kernel, x, v), rtol=1e-7, atol=1e-8)


def test_direction_that_is_the_argument_itself() -> None:
    x = RANDOM.random(6)
    np.testing.assert_allclose(enzyme.hvp(cubes, x, x), 6.0 * x * x, rtol=1e-15)
    np.testing.assert_allclose(enzyme.hvp(stored, x, x), by_differences(stored, x, x), rtol=1e-7)


def test_direction_that_overlaps_the_argument() -> None:
    memory = RANDOM.random(7)
    x, v = memory[:-1], memory[1:]
    np.testing.assert_allclose(enzyme.hvp(cubes, x, v), 6.0 * x * v, rtol=1e-15)


def test_the_result_is_in_memory_of_its_own() -> None:
    x, v = RANDOM.random(6), RANDOM.random(6)
    product, gradient = enzyme.hvp_and_gradient(cubes, x, v)
    assert not any(np.shares_memory(a, b) for a in (product, gradient) for b in (x, v))
    np.testing.assert_allclose(product, 6.0 * x * v, rtol=1e-15)
    np.testing.assert_allclose(gradient, 3.0 * x * x, rtol=1e-15)


def weighted(x, w):
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            total += w[i, j] * x[i, j] ** 3
    return total


def _layouts() -> dict[str, np.ndarray]:
    wide = RANDOM.random((6, 8))
    fixed = RANDOM.random((3, 4))
    fixed.flags.writeable = False
    return {
        "C": RANDOM.random((3, 4)),
        "F": np.asfortranarray(RANDOM.random((3, 4))),
        "every second": wide[::2, ::2],
        "backwards": wide[3:0:-1, 4:0:-1],
        "read only": fixed,
        "broadcast": np.broadcast_to(RANDOM.random(4), (3, 4)),
    }


@pytest.mark.parametrize("of_x", _layouts())
@pytest.mark.parametrize("of_v", _layouts())
def test_layouts(of_x: str, of_v: str) -> None:
    x, v, w = _layouts()[of_x], _layouts()[of_v], RANDOM.random((3, 4))
    np.testing.assert_allclose(enzyme.hvp(weighted, x, v, w), 6.0 * w * x * v, rtol=1e-15)


def test_an_axis_of_one_element_with_a_stride_of_its_own() -> None:
    x, v, w = RANDOM.random((4, 5))[:1, :3], RANDOM.random((1, 3)), RANDOM.random((1, 3))
    assert x.flags.c_contiguous
    assert x.strides != v.strides
    np.testing.assert_allclose(enzyme.hvp(weighted, x, v, w), 6.0 * w * x * v, rtol=1e-15)
    np.testing.assert_allclose(enzyme.hvp(weighted, v, x, w), 6.0 * w * x * v, rtol=1e-15)


def test_nothing_in_an_array() -> None:
    assert enzyme.hvp(cubes, np.empty(0), np.empty(0)).shape == (0,)


def of_pair(pair):
    a, (b, c) = pair
    return c * np.sum(a**3) * np.sum(b**2)


def test_tuples_of_arrays_and_numbers() -> None:
    a, b, c = RANDOM.random(3), RANDOM.random(2), 1.5
    da, db, dc = RANDOM.random(3), RANDOM.random(2), 0.5
    along_a, (along_b, along_c) = enzyme.hvp(of_pair, (a, (b, c)), (da, (db, dc)))
    squares, cubed = np.sum(b**2), np.sum(a**3)
    slope = np.sum(3 * a**2 * da)
    np.testing.assert_allclose(
        along_a, c * squares * 6 * a * da + 3 * a**2 * (dc * squares + c * np.sum(2 * b * db))
    )
    np.testing.assert_allclose(along_b, 2 * b * (c * slope + dc * cubed) + 2 * db * c * cubed)
    np.testing.assert_allclose(along_c, slope * squares + cubed * np.sum(2 * b * db))


def test_in_compiled_code() -> None:
    kernel = numba.njit(cubes)

    @numba.njit
    def product(x, v):
        return enzyme.hvp(kernel, x, v), enzyme.hvp_and_gradient(kernel, x, v)

    x, v = RANDOM.random(5), RANDOM.random(5)
    found, (again, gradient) = product(x, v)
    np.testing.assert_allclose(found, 6.0 * x * v, rtol=1e-15)
    np.testing.assert_array_equal(again, found)
    np.testing.assert_allclose(gradient, 3.0 * x * x, rtol=1e-15)


def test_third_order() -> None:
    def quartic(x):
        return np.sum(x**4)

    def curvature(x):
        return np.sum(enzyme.hvp(quartic, x, x))

    x = RANDOM.random(4)
    np.testing.assert_allclose(enzyme.grad(curvature)(x), 36.0 * x**2, rtol=1e-13)
