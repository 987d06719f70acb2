"""Arrays that are read near the loop's own index: no copies of them are made, and no two parts touch the same element at once."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest
from numba import prange

import enzyme_py as enzyme
from enzyme_py.native.threads.counts import fork_count
from tests.threads.watching import watched

RNG = np.random.default_rng(11)


@numba.njit(parallel=True)
def differences(x):
    total = 0.0
    for i in prange(1, x.size - 2):
        d = x[i - 1] - 2.0 * x[i] + x[i + 2]
        total += d * d * d
    return total


@numba.njit(parallel=True)
def around(x):
    """The first iteration reads the last element."""
    out = np.zeros(x.size)
    for i in prange(x.size):
        out[i] = x[i] * x[i - 2]
    return (out * out).sum()


@numba.njit(parallel=True)
def along_rows(x):
    a = x.reshape(x.size // 2, 2)
    total = 0.0
    for i in prange(1, a.shape[0] - 1):
        for j in range(2):
            total += a[i - 1, j] * a[i + 1, 1 - j] ** 2
    return total


@numba.njit(parallel=True)
def two_steps(x):
    u = x * 1.0
    for _ in range(2):
        following = u.copy()
        for i in prange(1, u.size - 1):
            following[i] = u[i] + 0.1 * u[i - 1] * u[i + 1]
        u = following
    return (u * u).sum()


KERNELS = (differences, around, along_rows, two_steps)


def by_complex_steps(kernel: Any, x: np.ndarray) -> np.ndarray:
    """The gradient of the kernel's own Python code, with a complex step in each element."""
    found = np.empty(x.size)
    for place in range(x.size):
        moved = x.astype(complex)
        moved[place] += 1e-30j
        found[place] = run(kernel, moved).imag * 1e30
    return found


def run(kernel: Any, x: np.ndarray) -> complex:
    scope = dict(kernel.py_func.__globals__, prange=range, np=Complex)
    function = type(run)(kernel.py_func.__code__, scope)
    return function(x)


class Complex:
    """NumPy whose new arrays hold complex numbers."""

    @staticmethod
    def zeros(size: int) -> np.ndarray:
        return np.zeros(size, complex)


@pytest.mark.parametrize("kernel", KERNELS, ids=[one.py_func.__name__ for one in KERNELS])
def test_gradients_of_all_sizes_in_any_number_of_parts(kernel: Any) -> None:
    gradient = enzyme.grad(kernel)
    forked = 0
    for size in (8, 12, 16, 24, 32, 36, 60):
        x = RNG.uniform(0.5, 1.5, size)
        expected = by_complex_steps(kernel, x)
        for parts in (1, 2, 3, 5):
            before, bits = fork_count(), set()
            for threads in (2, 4):
                with enzyme.config(threads=threads, parts=parts):
                    found = gradient(x)
                np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)
                bits.add(found.tobytes())
            assert len(bits) == 1
            forked += fork_count() > before
    assert forked > 6


@pytest.mark.parametrize(
    "order",
    [
        "gradient",
        pytest.param("forward over reverse", marks=pytest.mark.full),
        pytest.param("reverse over reverse", marks=pytest.mark.full),
    ],
)
@pytest.mark.parametrize("kernel", KERNELS, ids=[one.py_func.__name__ for one in KERNELS])
def test_no_two_parts_touch_one_number(kernel: Any, order: str) -> None:
    x, step = RNG.uniform(0.5, 1.5, 48), 1e-5
    v = RNG.uniform(-1.0, 1.0, 48)
    gradient = enzyme.grad(numba.njit(parallel=True)(kernel.py_func))

    def along(x):
        return (gradient(x) * v).sum()

    with watched(parts=3) as watch:
        if order == "gradient":
            found, expected = gradient(x), by_complex_steps(kernel, x)
        else:
            of_differences = by_complex_steps(kernel, x + step * v) - by_complex_steps(kernel, x - step * v)
            expected = of_differences / (2 * step)
            found = enzyme.jvp(gradient, (x,), (v,))[1] if order == "forward over reverse" else enzyme.grad(along)(x)
    np.testing.assert_allclose(found, expected, rtol=1e-12 if order == "gradient" else 1e-6, atol=1e-7)
    assert watch.parts >= 6
    assert watch.races == []


def test_no_copies_are_made() -> None:
    """A matrix of 8 MB: its gradient needs its own memory, and some rows."""

    @numba.njit(parallel=True)
    def plate(a):
        total = 0.0
        for i in prange(1, a.shape[0] - 1):
            for j in range(a.shape[1]):
                total += (a[i - 1, j] - a[i + 1, j]) ** 2
        return total

    a = RNG.uniform(size=(1000, 100))
    expected = np.zeros_like(a)
    d = 2.0 * (a[:-2] - a[2:])
    expected[:-2] += d
    expected[2:] -= d
    with enzyme.config(threads=2):
        np.testing.assert_allclose(enzyme.grad(plate)(a), expected, rtol=1e-12)
        assert enzyme.inspect.tape(plate, a).bytes < 10_000


@pytest.mark.parametrize("shift", [0, 1, 3])
def test_views_of_one_array(shift: int) -> None:
    """Both are read near the index; where they are shifted, the loop has one part."""

    @numba.njit(parallel=True)
    def products(a, b):
        total = 0.0
        for i in prange(1, a.size - 1):
            total += a[i - 1] * b[i + 1]
        return total

    def of_one(x):
        return products(x[shift:], x[: x.size - shift])

    x = RNG.uniform(0.5, 1.5, 60)
    expected = np.zeros(60)
    for i in range(1, 59 - shift):
        expected[i - 1 + shift] += x[i + 1]
        expected[i + 1] += x[i - 1 + shift]
    with enzyme.config(threads=3):
        before = fork_count()
        for _ in range(5):
            np.testing.assert_allclose(enzyme.grad(of_one)(x), expected, rtol=1e-13)
        assert (fork_count() > before) is (shift == 0)


def test_what_is_near_and_written_by_a_callee_stays_serial() -> None:
    @numba.njit
    def clear(row):
        row[0] = 0.0
        return row[1]

    @numba.njit(parallel=True)
    def clears(x):
        a = x.copy().reshape(20, 3)
        total = 0.0
        for i in prange(1, 20):
            total += clear(a[i - 1]) * a[i, 2] ** 2
        return total + (a[:, 0] ** 2).sum()

    x = RNG.uniform(0.5, 1.5, 60)
    a = x.reshape(20, 3)
    expected = np.zeros((20, 3))
    expected[:-1, 1] = a[1:, 2] ** 2
    expected[1:, 2] = 2.0 * a[1:, 2] * a[:-1, 1]
    expected[-1, 0] = 2.0 * a[-1, 0]
    with enzyme.config(threads=3):
        np.testing.assert_allclose(enzyme.grad(clears)(x), expected.ravel(), rtol=1e-12)
