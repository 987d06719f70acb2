"""Loops that read the same elements of an array, which is overwritten behind them: Enzyme took the one for the other."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from tests import traps

X, C = np.random.default_rng(7).uniform(-1.0, 1.0, (2, 40))  # so long that LLVM does not unroll the loops of a known length

Pair = tuple[np.ndarray, np.ndarray]


def one_in_the_other(x, c):
    s = 0.0
    for i in range(x.size):
        a = x[i] * c[i]
        for j in range(x.size):
            s += a * x[j]
    x[:] = 0.0
    return s


def one_behind_the_other(x, c):
    product, square = 0.0, 0.0
    for i in range(x.size):
        product += x[i] * c[i]
    for i in range(x.size):
        square += x[i] * x[i]
    x[:] = 0.0
    return product * square


def of_a_known_length(x, c):
    product, square = 0.0, 0.0
    for i in range(40):
        product += x[i] * c[i]
    for i in range(40):
        square += x[i] * x[i]
    x[0] = c[0] = 3.0
    return product * square


def by_products(x, c):
    product, square = x @ c, np.linalg.norm(x) ** 2
    x[:] = 1.0
    return product * square


def up_to_the_outer_index(x, c):
    """Each pair of the sums up to n: products of x and c by squares of x."""
    s = 0.0
    for n in range(x.size):
        product, square = 0.0, 0.0
        for i in range(n + 1):
            product += x[i] * c[i]
        for i in range(n + 1):
            square += x[i] * x[i]
        s += product * square
    x[0] = 1.0
    return s


def pairs_and_a_sum(x, c):
    """Nothing is overwritten, and so no first order caches anything."""
    s, q = 0.0, 0.0
    for k in range(x.size):
        for m in range(x.size):
            s += c[m] * x[m] * np.sin(x[k])
    for i in range(x.size):
        q += c[i]
    return s * q


def up_and_down(x, c):
    """What is read goes up in both; the one counter goes down."""
    s = 0.0
    for i in range(40):
        a = x[i] * c[i]
        for j in range(39, -1, -1):
            s += a * x[39 - j]
    x[:] = 0.0
    return s


def up_to_nothing(x, c):
    s, i = 0.0, 0
    while i != x.size:
        a, j, left = x[i] * c[i], 0, x.size
        while left != 0:
            s += a * x[j]
            j += 1
            left -= 1
        i += 1
    x[:] = 0.0
    return s


def from_another_start(x, c):
    product, square = 0.0, 0.0
    for i in range(40):
        product += x[i] * c[i]
    for i in range(3, 43):
        square += x[i - 3] * x[i - 3]
    x[:] = 0.0
    return product * square


def sum_times_product(x: np.ndarray, c: np.ndarray) -> Pair:
    return c * x.sum() + x @ c, x * x.sum()


def product_times_square(x: np.ndarray, c: np.ndarray) -> Pair:
    return c * (x @ x) + 2 * x * (x @ c), x * (x @ x)


def product_sines_sum(x: np.ndarray, c: np.ndarray) -> Pair:
    product, sines, total = x @ c, np.sin(x).sum(), c.sum()
    return total * (c * sines + product * np.cos(x)), sines * (x * total + product)


def all_beginnings(x: np.ndarray, c: np.ndarray) -> Pair:
    found = np.zeros_like(x), np.zeros_like(x)
    for n in range(1, x.size + 1):
        for total, part in zip(found, product_times_square(x[:n], c[:n]), strict=True):
            total[:n] += part
    return found


KERNELS: dict[Callable[..., Any], Callable[..., Pair]] = {
    one_in_the_other: sum_times_product,
    one_behind_the_other: product_times_square,
    of_a_known_length: product_times_square,
    by_products: product_times_square,
    up_to_the_outer_index: all_beginnings,
    up_and_down: sum_times_product,
    up_to_nothing: sum_times_product,
    from_another_start: product_times_square,
    pairs_and_a_sum: product_sines_sum,
}


@pytest.mark.parametrize("kernel", KERNELS)
def test_first_orders(kernel: Callable[..., Any]) -> None:
    expected = KERNELS[kernel](X, C)
    found = enzyme.grad(kernel, argnums=(0, 1))(X.copy(), C.copy())
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-14)
    for n, other in enumerate(expected):
        got = enzyme.grad(kernel, argnums=n)(X.copy(), C.copy())
        np.testing.assert_allclose(got, other, rtol=1e-12, atol=1e-14)


def test_pointers_in_place_of_counters() -> None:
    """As C++ counts: in the sweep of the one loop Enzyme took what the other one had cached."""
    trap = Path(traps.__file__).parent / "equal_pointer_loops.ll"
    linked = enzyme.link_ir(trap, "f", "float64(float64[::1], float64[::1], int64)")
    found = enzyme.grad(lambda x, c: linked(x, c, x.size), argnums=(0, 1))(X.copy(), C.copy())
    for one, other in zip(found, product_times_square(X, C), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("copied", [True, False], ids=["copied", "itself"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_second_orders(kernel: Callable[..., Any], copied: bool) -> None:
    """Of the square of a gradient: by reverse over reverse, and by a complex step of the gradient by hand."""
    slopes = enzyme.grad(kernel, argnums=(0, 1))

    @numba.njit
    def of_copies(x, c):
        one, other = slopes(x.copy(), c.copy())
        return np.sum(one * one) + np.sum(other * other)

    @numba.njit
    def of_arguments(x, c):
        one, other = slopes(x, c)
        return np.sum(one * one) + np.sum(other * other)

    def by_hand(x, c):
        return sum(one @ one for one in KERNELS[kernel](x, c))

    step = 1e-30
    expected = [by_hand(X + 1j * step * e, C).imag / step for e in np.eye(X.size)]
    found = enzyme.grad(of_copies if copied else of_arguments)(X.copy(), C.copy())
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-12)
