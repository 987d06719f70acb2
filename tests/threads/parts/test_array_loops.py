"""Array expressions on threads: how many it takes, what is told, and where Numba's own parallel code is wrong.

Derivatives of more kernels in all orders: tests/threads/kernels/of_arrays.py.
"""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.frontend.parallel.drivers import LIGHT
from enzyme_py.native.threads.counts import fork_count
from tests.threads.watching import small_parts, watched


def energy(x):
    y = np.exp(x) * np.sin(x)
    return np.sum(y * y)


def by_hand(x: Any) -> Any:
    return 2 * np.exp(2 * x) * np.sin(x) * (np.sin(x) + np.cos(x))


@pytest.mark.parametrize(
    ("size", "threads", "is_forked"),
    [(0, 2, False), (1, 2, False), (2 * LIGHT - 1, 2, False), (2 * LIGHT, 2, True), (2 * LIGHT, 1, False), (5 * LIGHT + 3, 3, True)],
)
def test_threads_take_many_elements(size: int, threads: int, is_forked: bool) -> None:
    x = np.random.default_rng(3).uniform(0.1, 1.0, size)
    with enzyme.config(threads=threads):
        gradient = enzyme.grad(numba.njit(parallel=True)(energy))
        gradient(x)
        before = fork_count()
        np.testing.assert_allclose(gradient(x), by_hand(x), rtol=1e-13)
        assert (fork_count() > before) == is_forked


def test_a_few_elements_that_are_known_are_no_loop() -> None:
    def short(x):
        a = np.zeros(3) + x[0]
        return np.sum(np.sin(a) * 2.0) + np.sum(x)

    with enzyme.config(threads=2):
        kernel = numba.njit(parallel=True)(short)
        told = enzyme.inspect.loops(kernel, np.ones(4))
        assert [one.line for one in told if one.line == short.__code__.co_firstlineno + 1] == []
        np.testing.assert_allclose(enzyme.grad(kernel)(np.ones(4)), [6 * np.cos(1.0) + 1, 1, 1, 1], rtol=1e-14)


def test_loops_are_told() -> None:
    with enzyme.config(threads=2):
        told = enzyme.inspect.loops(numba.njit(parallel=True)(energy), np.ones(4))
    assert told
    assert all(one.is_threaded for one in told)


def by_a_list(x):
    y = x * 1.0
    for _ in range(3):
        z = np.cos(y) * 1.0
        [z, x * 1.0][0][1] = 0.3
        y = z
    return np.sum(y * y)


def by_slices(x):
    u = x * 1.0
    u[1:] += u[:-1] * 0.5
    u[:-1] = u[1:] * 2.0
    return np.sum(u * u)


def by_a_function(x):
    y = x * 1.0
    v = whole(y)
    t = v * 2.0
    y[0] = 5.0
    return np.sum(v * t)


@numba.njit
def whole(x):
    return x[:]


@pytest.mark.parametrize("f", [by_a_list, by_slices, by_a_function])
def test_functions_that_write_are_serial_code(f: Any) -> None:
    """Of the first two Numba's own parallel code says something else, in its primal."""
    x = np.random.default_rng(5).uniform(0.1, 1.0, 40_000)
    with enzyme.config(threads=2):
        kernel = numba.njit(parallel=True)(f)
        value, slope = enzyme.value_and_grad(kernel)(x)
        (told,) = enzyme.inspect.loops(kernel, x)
    assert "may be written here" in told.why_serial
    assert value == pytest.approx(numba.njit(f)(x), rel=1e-13)
    np.testing.assert_allclose(slope, enzyme.grad(numba.njit(f))(x), rtol=1e-13)


def test_sizes_that_differ_are_numbas_error() -> None:
    """Where Numba's parallel code has loops, an axis of one element is not stretched while running."""

    def product(x, y):
        return np.sum(x * y)

    kernel, x, y = numba.njit(parallel=True)(product), np.ones((3, 4)), np.ones((1, 4))
    with pytest.raises(AssertionError, match="do not match"):
        kernel(x, y)
    with enzyme.config(threads=2), pytest.raises(AssertionError, match="do not match"):
        enzyme.grad(kernel)(x, y)
    np.testing.assert_allclose(enzyme.grad(numba.njit(parallel=True)(product))(x, y), np.ones((3, 4)))


def test_results_have_the_same_bits_in_as_many_parts() -> None:
    x = np.random.default_rng(7).uniform(0.1, 1.0, 100_000)
    gradient, found = enzyme.value_and_grad(numba.njit(parallel=True)(energy)), []
    for threads in (1, 2, 3):
        with enzyme.config(threads=threads, parts=4):
            value, slope = gradient(x)
        found.append((value, slope.tobytes()))
    assert found[0] == found[1] == found[2]


def differences(a):
    return np.sum((a[1:] - a[:-1]) ** 2)


def plate(a):
    d = 4.0 * a[1:-1, 1:-1] - a[2:, 1:-1] - a[:-2, 1:-1] - a[1:-1, 2:] - a[1:-1, :-2]
    return np.sum(d * d)


def plate_by_hand(a: Any) -> Any:
    d = 4.0 * a[1:-1, 1:-1] - a[2:, 1:-1] - a[:-2, 1:-1] - a[1:-1, 2:] - a[1:-1, :-2]
    found = np.zeros_like(a)
    found[1:-1, 1:-1] += 8.0 * d
    for rows, columns in ((slice(2, None), slice(1, -1)), (slice(0, -2), slice(1, -1)), (slice(1, -1), slice(2, None)), (slice(1, -1), slice(0, -2))):
        found[rows, columns] -= 2.0 * d
    return found


def differences_by_hand(a: Any) -> Any:
    d, found = a[1:] - a[:-1], np.zeros_like(a)
    found[1:] += 2.0 * d
    found[:-1] -= 2.0 * d
    return found


def far(a):
    return np.sum(a[: a.size // 2] * a[a.size // 2 - 20 : -20])


def far_by_hand(a: Any) -> Any:
    half, found = a.size // 2, np.zeros_like(a)
    found[:half] += a[half - 20 : -20]
    found[half - 20 : -20] += a[:half]
    return found


def backward(a):
    return np.sum(a * a[::-1])


def backward_by_hand(a: Any) -> Any:
    return 2.0 * a[::-1]


def rows_and_columns(a):
    return np.sum(a * a.T)


def transposed_by_hand(a: Any) -> Any:
    return 2.0 * a.T


VIEWS = [
    (differences, differences_by_hand, (40_000,), True),
    (differences, differences_by_hand, (300, 100), True),
    (differences, differences_by_hand, (40, 50, 30), True),
    (differences, differences_by_hand, (12, 3000), False),  # parts would be too short
    (plate, plate_by_hand, (200, 210), True),
    (far, far_by_hand, (80_000,), False),
    (backward, backward_by_hand, (40_000,), False),
    (rows_and_columns, transposed_by_hand, (200, 200), False),
]


@pytest.mark.parametrize(("f", "by_hand", "shape", "is_forked"), VIEWS)
def test_views_of_one_array(f: Any, by_hand: Any, shape: tuple[int, ...], is_forked: bool) -> None:
    """Their shadows are one: parts meet at their ends where the views are a few steps apart, and anywhere else otherwise."""
    a = np.random.default_rng(9).uniform(0.1, 1.0, shape)
    for threads in (2, 3):
        with enzyme.config(threads=threads):
            value_and_slope = enzyme.value_and_grad(numba.njit(parallel=True)(f))
            value, slope = value_and_slope(a)
            before = fork_count()
            again, same = value_and_slope(a)
            forks = fork_count() - before
        assert value == pytest.approx(f(a), rel=1e-12)
        np.testing.assert_allclose(slope, by_hand(a), rtol=1e-12, atol=1e-13)
        assert (again, same.tobytes()) == (value, slope.tobytes())
        assert bool(forks) == is_forked


@pytest.mark.parametrize(("f", "by_hand", "shape"), [(differences, differences_by_hand, (80,)), (plate, plate_by_hand, (60, 5))])
def test_parts_of_views_do_not_race(f: Any, by_hand: Any, shape: tuple[int, ...]) -> None:
    a = np.random.default_rng(9).uniform(0.1, 1.0, shape)
    with small_parts(), watched(parts=4) as watch:
        slope = enzyme.grad(numba.njit(parallel=True)(f))(a)
    np.testing.assert_allclose(slope, by_hand(a), rtol=1e-12, atol=1e-13)
    assert watch.parts > 8
    assert not watch.races
