"""Loops that read the same elements of an array, which is overwritten behind them: Enzyme took the one for the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest

import enzyme_py as enzyme

X = np.array([0.7, -0.4, 0.35, 1.1, -0.9])
C = np.array([0.3, 0.8, -0.5, 0.25, 1.2])

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
    for i in range(5):
        product += x[i] * c[i]
    for i in range(5):
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


def sum_times_product(x: np.ndarray, c: np.ndarray) -> Pair:
    return c * x.sum() + x @ c, x * x.sum()


def product_times_square(x: np.ndarray, c: np.ndarray) -> Pair:
    return c * (x @ x) + 2 * x * (x @ c), x * (x @ x)


def product_sines_sum(x: np.ndarray, c: np.ndarray) -> Pair:
    product, sines, total = x @ c, np.sin(x).sum(), c.sum()
    return total * (c * sines + product * np.cos(x)), sines * (x * total + product)


def all_beginnings(x: np.ndarray, c: np.ndarray) -> Pair:
    found = np.zeros(x.size), np.zeros(x.size)
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


@pytest.mark.parametrize("copied", [True, False], ids=["copied", "itself"])
@pytest.mark.parametrize("kernel", KERNELS)
def test_second_orders(kernel: Callable[..., Any], copied: bool) -> None:
    """Of the square of a gradient: by reverse over reverse, and by differences of the gradient by hand."""
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
        return sum(float(one @ one) for one in KERNELS[kernel](x, c))

    step = 1e-5
    expected = [(by_hand(X + step * e, C) - by_hand(X - step * e, C)) / (2 * step) for e in np.eye(X.size)]
    found = enzyme.grad(of_copies if copied else of_arguments)(X.copy(), C.copy())
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-8)
