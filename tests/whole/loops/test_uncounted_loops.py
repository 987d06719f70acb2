"""Reverse over reverse of loops in loops of which nobody knows how often they run.

What is right: the second derivatives by hand, where the numbers of iterations are known at the point; else forward over
reverse and reverse over forward, which have no such caches.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import enzyme_py as enzyme

X = np.array([1.7, 1.3, 1.2])


def squares(x):
    """Return the sum of y z, where y is x0, x0^2, x0^4, x0^8, and z is x1^16, at X."""
    s, y = 0.0, x[0]
    while y < 100.0:
        z = x[1]
        while z < 50.0:
            z = z * z
        s += y * z
        y = y * y
    return s


def test_squares_by_hand() -> None:
    a, b, _ = X
    powers = np.array([1, 2, 4, 8])
    sums = [np.sum(a**powers)]
    sums += [np.sum(powers * a ** (powers - 1)), np.sum(powers * (powers - 1.0) * a ** (powers - 2.0))]
    across = 16 * b**15 * sums[1]
    wanted = [[b**16 * sums[2], across, 0.0], [across, 240 * b**14 * sums[0], 0.0], [0.0, 0.0, 0.0]]
    assert np.allclose(enzyme.jacrev(enzyme.grad(squares))(X), wanted, rtol=1e-13)


def test_three_reverses_by_hand() -> None:
    """Behind the derivatives of `test_squares_by_hand`, along the diagonal."""
    a, b, _ = X
    powers = np.array([1.0, 2.0, 4.0, 8.0])

    def along(x):
        return enzyme.grad(squares)(x)[0]

    def twice(x):
        return enzyme.grad(along)(x)[0]

    thirds = np.sum(powers * (powers - 1) * (powers - 2) * a ** (powers - 3)) * b**16
    seconds = np.sum(powers * (powers - 1) * a ** (powers - 2)) * 16 * b**15
    assert np.allclose(enzyme.grad(twice)(X), [thirds, seconds, 0.0], rtol=1e-12)


def three_deep(x):
    a = x[0]
    while a < 10.0:
        b = x[1]
        while b < 10.0:
            c = x[2]
            while c < 10.0:
                c = c * c * 1.1
            b = b * b + c * 0.01
        a = a * a + b * 0.01
    return a


def rows_of_an_array(x):
    y = x.copy()
    while np.sum(y * y) < 100.0:
        k = 0
        while y[k] < 3.0 and k < y.size - 1:
            y[k] = y[k] * y[k] + x[0]
            k += 1
        y = y * 1.2 + 0.1 * np.sin(y) ** 2 + 0.2
    return np.sum(y * y * x)


def lists_that_grow(x):
    out = [x[0]]
    while out[-1] < 50.0:
        z = out[-1]
        while z < 20.0:
            out.append(z * x[1])
            z = z * z
        out.append(out[-1] * out[-1])
    s = 0.0
    for one in out:
        s += np.sin(one * 0.1) * one
    return s


def complex_numbers(x):
    y = x[0] + 1j * x[1]
    while abs(y) < 30.0:
        w = y
        while w.real < 10.0:
            w = w * w.conjugate() * 1.5 + 1.0
        y = y * y + w * 0.1
    return (y * y.conjugate()).real


def grown(z, factor):
    while z < 50.0:
        z = z * z * factor
    return z


def called_loops(x):
    s, y = 0.0, x[0]
    while y < 100.0:
        y = y * y + grown(x[1], x[2]) * 0.1
        s += grown(y, 1.3)
    return y * s


def products_of_matrices(x):
    y, a = x.copy(), np.ones((3, 3)) * x[0]
    while np.sum(y * y) < 1e4:
        z = x * 1.0
        while z[0] < 50.0:
            z = a @ z
        y = y * y * 0.5 + z * 0.1 + 1.0
    return np.sum(y * y)


def implicit_steps(x):
    """Return the square of what Euler's implicit method gives, each step found by iteration."""
    t, y = 0.0, x[0]
    while t < 1.0:
        z = y
        for _ in range(50):
            new = y + 0.3 * np.sin(z * x[1])
            if abs(new - z) < 1e-12:
                break
            z = new
        y = z * x[2]
        t += 0.3
    return y * y


KERNELS = [
    three_deep,
    rows_of_an_array,
    lists_that_grow,
    complex_numbers,
    called_loops,
    products_of_matrices,
    implicit_steps,
]


@pytest.mark.parametrize("f", KERNELS, ids=lambda f: f.__name__)
def test_as_with_one_reverse(f: Callable[..., Any]) -> None:
    taken = enzyme.grad(f)
    found = enzyme.jacrev(taken)(X)
    for wanted in (enzyme.jacfwd(taken)(X), enzyme.jacrev(enzyme.jacfwd(f))(X)):
        assert np.allclose(found, wanted, rtol=1e-12, atol=1e-12 * np.max(np.abs(wanted)))


def walked(x, n):
    """Return y0 (y2 + y3 + y0) with y = x^2, if n % 4 is 3: a count walks over a view, from loop to loop."""
    y = x * x
    order = np.argsort(-y)
    v, k, t = y[::-1], 2, 0.0
    for i in range(0, 4, 2):
        j = i
        while True:
            m = i
            while m < n % 4:
                t += y[0] * v[3 - k]
                k = (k + 1) % 4
                m += 2
            j += 1
            if j >= min(k + 1, 4):
                break
    return t + order[0]


def test_a_count_that_goes_on_by_hand() -> None:
    x, v = np.array([1.7, 1.3, 1.2, 0.4]), np.array([0.3, -1.0, 0.7, 2.0])
    a, _, c, d = x
    rest = c * c + d * d
    hessian = np.diag([12 * a * a + 2 * rest, 0.0, 2 * a * a, 2 * a * a])
    hessian[0, 2:] = hessian[2:, 0] = 4 * a * c, 4 * a * d
    np.testing.assert_allclose(enzyme.hvp(walked, x, v, 3), hessian @ v, rtol=1e-14)
    np.testing.assert_allclose(enzyme.jacfwd(enzyme.grad(walked))(x, 3), hessian, rtol=1e-14)
