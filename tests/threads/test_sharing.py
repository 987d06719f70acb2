"""Memory that threads might share: views, strides, indices that wrap, writes in callees. Right, whether forked or not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numba
import numpy as np
import pytest
from numba import prange

import enzyme_py as enzyme
from enzyme_py.native.threads.counts import fork_count

N = 64


@pytest.fixture(autouse=True)
def four_threads() -> Iterator[None]:
    with enzyme.config(threads=4):
        yield


def x_of(size: int = N) -> np.ndarray:
    return np.random.default_rng(3).uniform(0.5, 1.5, size)


def parallel(function: Any) -> Any:
    return numba.njit(parallel=True)(function)


def forks_of(call: Any) -> tuple[Any, int]:
    before = fork_count()
    return call(), fork_count() - before


@parallel
def product_of(a, b):
    total = 0.0
    for i in prange(a.size):
        total += a[i] * a[i] * b[i]
    return total


def test_one_array_given_twice() -> None:
    x = x_of()
    (by_a, by_b), forks = forks_of(lambda: enzyme.grad(product_of, argnums=(0, 1))(x, x))
    np.testing.assert_allclose(by_a, 2 * x * x, rtol=1e-14)
    np.testing.assert_allclose(by_b, x * x, rtol=1e-14)
    assert forks == 2  # the same element is the same part's


def neighbours(x):
    return product_of(x[:-1], x[1:])


def test_views_of_one_array_that_overlap_stay_on_one_thread() -> None:
    x = x_of()
    for _ in range(20):
        found, forks = forks_of(lambda: enzyme.grad(neighbours)(x))
        expected = np.zeros(N)
        expected[:-1] += 2 * x[:-1] * x[1:]
        expected[1:] += x[:-1] ** 2
        np.testing.assert_allclose(found, expected, rtol=1e-14)
        assert forks == 0


def halves(x):
    return product_of(x[: x.size // 2], x[x.size // 2 :])


def test_views_that_do_not_overlap_run_on_threads() -> None:
    x = x_of()
    found, forks = forks_of(lambda: enzyme.grad(halves)(x))
    a, b = x[: N // 2], x[N // 2 :]
    np.testing.assert_allclose(found, np.concatenate([2 * a * b, a * a]), rtol=1e-14)
    assert forks == 2


def interleaved(x):
    return product_of(x[::2], x[1::2])


def test_interleaved_views_may_stay_on_one_thread_and_are_right() -> None:
    x = x_of()
    a, b = x[::2], x[1::2]
    expected = np.zeros(N)
    expected[::2], expected[1::2] = 2 * a * b, a * a
    np.testing.assert_allclose(enzyme.grad(interleaved)(x), expected, rtol=1e-14)


def same_number_many_times(x):
    return product_of(np.broadcast_to(x[:1], (1000,)), np.broadcast_to(x[1:2], (1000,)))


def test_an_axis_without_a_step_stays_on_one_thread() -> None:
    x = x_of()
    for _ in range(20):
        found, forks = forks_of(lambda: enzyme.grad(same_number_many_times)(x))
        expected = np.zeros(N)
        expected[0], expected[1] = 2000 * x[0] * x[1], 1000 * x[0] ** 2
        np.testing.assert_allclose(found, expected, rtol=1e-12)
        assert forks == 0


def backwards(x):
    return product_of(x[::-1], np.ones(x.size))


def test_a_view_backwards() -> None:
    x = x_of()
    found, forks = forks_of(lambda: enzyme.grad(backwards)(x))
    np.testing.assert_allclose(found, 2 * x, rtol=1e-14)
    assert forks == 2


@parallel
def from_below_zero(x):
    total = 0.0
    for i in prange(-x.size // 2, x.size):  # the last half twice
        total += x[i] * x[i]
    return total


def test_indices_that_wrap_stay_on_one_thread() -> None:
    x = x_of()
    for _ in range(20):
        found, forks = forks_of(lambda: enzyme.grad(from_below_zero)(x))
        np.testing.assert_allclose(found, np.where(np.arange(N) < N // 2, 2 * x, 4 * x), rtol=1e-14)
        assert forks == 0


@parallel
def from_a_start(x, start):
    total = 0.0
    for i in prange(start, x.size):
        total += x[i] ** 3
    return total


def test_a_range_that_starts_above_zero() -> None:
    x = x_of()
    found, forks = forks_of(lambda: enzyme.grad(from_a_start)(x, 10))
    np.testing.assert_allclose(found, np.where(np.arange(N) < 10, 0, 3 * x**2), rtol=1e-14)
    assert forks == 2


@numba.njit
def doubled(z, i):
    z[i] = z[i] * 2.0
    return z[i]


@parallel
def writes_in_a_callee(x):
    z = x.copy()
    total = 0.0
    for i in prange(z.size):
        total += doubled(z, i) ** 2
    return total + (z * z).sum()


def test_a_callee_that_writes_keeps_the_loop_serial() -> None:
    x = x_of()
    assert writes_in_a_callee(x) == pytest.approx(8 * (x * x).sum())
    found, forks = forks_of(lambda: enzyme.grad(writes_in_a_callee)(x))
    np.testing.assert_allclose(found, 16 * x, rtol=1e-13)
    assert forks == 0
    _, tangent = enzyme.jvp(writes_in_a_callee, (x,), (x,))
    assert tangent == pytest.approx(16 * (x * x).sum())
    (told,) = enzyme.inspect.loops(writes_in_a_callee, x)
    assert "may write" in told.why_serial


@parallel
def reads_what_it_writes_elsewhere(x):
    z = x.copy()
    half = z.size // 2
    for i in prange(half):
        z[half + i] = z[i] * z[half - 1 - i]  # reads the first half, writes the second
    return z[half:].sum()


def test_an_array_that_is_written_and_read_elsewhere_keeps_the_loop_serial() -> None:
    x = x_of()
    half = N // 2
    expected = np.zeros(N)
    expected[:half] = 2 * x[:half][::-1]
    np.testing.assert_allclose(enzyme.grad(reads_what_it_writes_elsewhere)(x), expected, rtol=1e-14)
    (told,) = enzyme.inspect.loops(reads_what_it_writes_elsewhere, x)
    assert "written" in told.why_serial


@parallel
def copied_and_written(source, target):
    half = source.size // 2
    for i in prange(half):
        target[i] = source[2 * i] * source[1]
    total = 0.0
    for v in target:
        total += v
    return total


def through_one_array(x):
    z = x.copy()
    return copied_and_written(z, z[:])


def through_two_arrays(x):
    return copied_and_written(x, x[::1].copy())


def test_what_is_copied_and_written_may_not_be_one_memory() -> None:
    x, half = x_of(), N // 2
    found, forks = forks_of(lambda: enzyme.grad(through_two_arrays)(x))
    expected = np.where(np.arange(N) < half, 0.0, 1.0)
    expected[: 2 * half : 2] += x[1]
    expected[1] += x[: 2 * half : 2].sum()
    np.testing.assert_allclose(found, expected, rtol=1e-13)
    assert forks == 2
    _, forks = forks_of(lambda: enzyme.grad(through_one_array)(x))
    assert forks == 0


@parallel
def rows_of(a, weights):
    total = 0.0
    for i in prange(a.shape[0]):
        row = a[i]
        for j in range(row.size):
            total += row[j] ** 2 * weights[j]
    return total


@pytest.mark.parametrize("layout", ["C", "F", "A"])
def test_layouts(layout: str) -> None:
    a = x_of(N * 3).reshape(N, 3)
    given = {"C": a, "F": np.asfortranarray(a), "A": np.repeat(a, 2, axis=1)[:, ::2]}[layout]
    weights = np.array([1.0, 2.0, 3.0])
    by_a, by_weights = enzyme.grad(rows_of, argnums=(0, 1))(given, weights)
    np.testing.assert_allclose(by_a, 2 * a * weights, rtol=1e-13)
    np.testing.assert_allclose(by_weights, (a * a).sum(axis=0), rtol=1e-13)


@pytest.mark.parametrize("layout", ["C", "F", "A"])
def test_layouts_of_what_is_copied(layout: str) -> None:
    a = x_of(12).reshape(4, 3)
    given = {"C": a, "F": np.asfortranarray(a), "A": np.repeat(a, 2, axis=1)[:, ::2]}[layout]
    places = np.arange(N) % 4

    @parallel
    def picked(a, places):
        total = 0.0
        for i in prange(places.size):
            total += a[places[i], 1] ** 2 * a[0, 2]
        return total

    expected = np.zeros_like(a)
    counts = np.bincount(places, minlength=4)
    expected[:, 1] = 2 * a[:, 1] * counts * a[0, 2]
    expected[0, 2] += (a[:, 1] ** 2 * counts).sum()
    np.testing.assert_allclose(enzyme.grad(picked)(given, places), expected, rtol=1e-13)


def test_a_captured_array() -> None:
    table = x_of(7)

    @parallel
    def tabled(x):
        total = 0.0
        for i in prange(x.size):
            total += x[i] * x[i] * table[i % 7]
        return total

    x = x_of()
    found, forks = forks_of(lambda: enzyme.grad(tabled)(x))
    np.testing.assert_allclose(found, 2 * x * table[np.arange(N) % 7], rtol=1e-14)
    assert forks == 2


@parallel
def flags(x):
    seen = np.zeros(4)
    for i in prange(x.size):
        seen[i % 4] += x[i] * x[i]
    return (seen * seen).sum()


def test_a_histogram_stays_on_one_thread() -> None:
    x = x_of()
    sums = np.array([(x[k::4] ** 2).sum() for k in range(4)])
    found, forks = forks_of(lambda: enzyme.grad(flags)(x))
    np.testing.assert_allclose(found, 4 * x * sums[np.arange(N) % 4], rtol=1e-13)
    assert forks == 0


@parallel
def renamed(x, is_first):
    a = x if is_first else x[::-1]
    total = 0.0
    for i in prange(x.size):
        b = a
        total += b[i] * x[x.size - 1 - i]
    return total


def test_another_name_of_an_array() -> None:
    x = x_of()
    for is_first, expected in ((True, 2 * x[::-1]), (False, 2 * x)):
        found = enzyme.grad(renamed)(x, is_first)
        np.testing.assert_allclose(found, expected, rtol=1e-13)
