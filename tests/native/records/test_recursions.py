"""Kernels of mathematics that call themselves: their derivatives with records that are allocated late."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Iterator
from typing import Any

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py import native
from enzyme_py.llvm import Module
from enzyme_py.native.rewrites.records import allocate_records_late

optimising: Any = importlib.import_module("enzyme_py.native.optimising")
Kernel = Callable[..., Any]


@pytest.fixture
def moved(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """How many records were moved in each module; derivatives are compiled anew."""
    found = list[int]()

    def watched(code: Module) -> int:
        found.append(allocate_records_late(code))
        return found[-1]

    monkeypatch.setattr(optimising, "allocate_records_late", watched)
    with enzyme.config(cache=False):
        yield found


# -- kernels, each with derivatives that are known


@numba.njit
def product(x, begin, end):
    """A product by halves."""
    if end - begin == 1:
        return x[begin]
    middle = (begin + end) // 2
    return product(x, begin, middle) * product(x, middle, end)


def whole_product(x):
    return product(x, 0, x.size)


def square_of_product(x):
    return product(x, 0, x.size) ** 2


def root_of_product(x):
    return math.sqrt(product(x, 0, x.size))


@numba.njit
def legendre(x, n):
    """Legendre's polynomial by its recursion."""
    if n == 0:
        return 1.0
    if n == 1:
        return x[0]
    return ((2 * n - 1) * x[0] * legendre(x, n - 1) - (n - 1) * legendre(x, n - 2)) / n


@numba.njit
def integral(x, a, b, whole, depth):
    """The integral of exp(-x0 t) x1, by halves where Simpson's rule is not good enough."""
    m = 0.5 * (a + b)
    low, high = rule(x, a, m), rule(x, m, b)
    if depth == 0 or abs(low + high - whole) < 1e-13:
        return low + high
    return integral(x, a, m, low, depth - 1) + integral(x, m, b, high, depth - 1)


@numba.njit
def rule(x, a, b):
    m = 0.5 * (a + b)
    ends = math.exp(-x[0] * a) + math.exp(-x[0] * b)
    return x[1] * (b - a) / 6.0 * (ends + 4.0 * math.exp(-x[0] * m))


@numba.njit
def whole_integral(x):
    return integral(x, 0.0, 1.0, rule(x, 0.0, 1.0), 12)


@numba.njit
def sine(x, n):
    """The sine by those of half the angle, down to a series."""
    if n == 0:
        return x[0] - x[0] ** 3 / 6.0
    half = 0.5 * x
    return 2.0 * sine(half, n - 1) * cosine(half, n - 1)


@numba.njit
def cosine(x, n):
    if n == 0:
        return 1.0 - x[0] ** 2 / 2.0 + x[0] ** 4 / 24.0
    half = 0.5 * x
    return cosine(half, n - 1) ** 2 - sine(half, n - 1) ** 2


@numba.njit
def determinant(a):
    """Laplace's expansion: calls in a loop, and a matrix made for each."""
    n = a.shape[0]
    if n == 1:
        return a[0, 0]
    total = 0.0
    sign = 1.0
    for j in range(n):
        minor = np.empty((n - 1, n - 1))
        for row in range(n - 1):
            for column in range(n - 1):
                minor[row, column] = a[row + 1, column + (column >= j)]
        total += sign * a[0, j] * determinant(minor)
        sign = -sign
    return total


@numba.njit
def walsh(x):
    """The transform of Walsh and Hadamard: an array is returned by each call."""
    n = x.size
    if n == 1:
        return x * x
    first, second = walsh(x[: n // 2]), walsh(x[n // 2 :])
    out = np.empty(n)
    for i in range(n // 2):
        out[i] = first[i] + second[i]
        out[n // 2 + i] = first[i] - second[i]
    return out


@numba.njit
def energy(x):
    """Parseval: the transform multiplies the sum of squares by n."""
    return np.sum(walsh(x) ** 2)


@numba.njit
def sum_of_logarithms(x, begin, end):
    """Raises in the middle of the tree, where a number is not positive."""
    if end - begin == 1:
        if x[begin] <= 0.0:
            raise ValueError("not positive")
        return math.log(x[begin])
    middle = (begin + end) // 2
    left = sum_of_logarithms(x, begin, middle)
    right = sum_of_logarithms(x, middle, end)
    return left + right + left * right


def whole_sum(x):
    return sum_of_logarithms(x, 0, x.size)


def twice_the_sum(x):
    return 2.0 * sum_of_logarithms(x, 0, x.size)


X = np.array([0.7, 1.3, 0.4, 2.1, 0.9, 1.6, 0.8])
V = np.array([0.3, -0.7, 0.5, 1.1, -0.2, 0.4, 0.6])


def over_nodes(tree: Callable[[Any], Any]) -> np.ndarray:
    """The gradient of a function of X by complex steps."""
    return np.array([tree(X + 1e-30j * way).imag / 1e-30 for way in np.eye(X.size)])


def logarithms(x: np.ndarray) -> Any:
    """1 + f is a product: 1 + l + r + l r = (1 + l) (1 + r)."""
    return np.prod(1.0 + np.log(x)) - 1.0


def slope_of_legendre(n: int, t: float) -> tuple[float, float]:
    """The first and the second derivative: of the second Legendre's equation tells."""
    one, two = legendre(np.array([t]), n), legendre(np.array([t]), n - 1)
    slope = n * (two - t * one) / (1.0 - t * t)
    return slope, (2.0 * t * slope - n * (n + 1) * one) / (1.0 - t * t)


MATRIX = np.array([[0.9, 0.4, 1.2, 0.3], [0.7, 1.5, 0.3, 0.8], [0.8, 0.6, 1.1, 0.2], [0.1, 0.5, 0.4, 1.3]])
RATE = np.array([0.8, 1.7])


def slopes_of_integral() -> np.ndarray:
    r, k = RATE
    return np.array([k * (np.exp(-r) * (r + 1.0) - 1.0) / r**2, (1.0 - np.exp(-r)) / r])


def cofactors(a: np.ndarray) -> np.ndarray:
    return np.linalg.det(a) * np.linalg.inv(a).T


# Of each kernel: the arguments, the gradient as it is known, to how many digits.
FIRST: dict[str, tuple[Kernel, tuple[Any, ...], Any, float]] = {
    "product": (whole_product, (X,), np.prod(X) / X, 1e-13),
    "legendre": (legendre, (np.array([0.3]), 9), [slope_of_legendre(9, 0.3)[0]], 1e-12),
    "integral": (whole_integral, (RATE,), slopes_of_integral(), 1e-9),
    "sine": (sine, (np.array([0.9]), 7), [np.cos(0.9)], 1e-4),
    "determinant": (determinant, (MATRIX,), cofactors(MATRIX), 1e-12),
    "energy": (energy, (X[:4],), 16.0 * X[:4] ** 3, 1e-13),
    "logarithms": (whole_sum, (X,), over_nodes(logarithms), 1e-12),
}


@pytest.mark.parametrize("name", list(FIRST))
def test_gradients(name: str, moved: list[int]) -> None:
    kernel, given, wanted, digits = FIRST[name]
    value, slope = enzyme.value_and_grad(kernel)(*given)
    assert sum(moved) > 0  # else nothing was tested
    assert value == pytest.approx(kernel(*given), rel=1e-14)
    np.testing.assert_allclose(slope, wanted, rtol=digits)
    rng = np.random.default_rng(3)
    v = rng.random(given[0].shape)
    still = tuple(type(one)(0) for one in given[1:])
    _, along = enzyme.jvp(kernel, given, (v, *still))
    np.testing.assert_allclose(np.sum(slope * v), along, rtol=1e-12)


@pytest.mark.parametrize("name", list(FIRST))
def test_all_is_the_same_without(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only places in memory differ: the numbers are the same to the last digit."""
    kernel, given, _, _ = FIRST[name]
    asked = list[Module]()

    def nothing_moved(code: Module) -> int:
        asked.append(code)
        return 0

    with enzyme.config(cache=False):
        value, slope = enzyme.value_and_grad(kernel)(*given)
        monkeypatch.setattr(optimising, "allocate_records_late", nothing_moved)
        again, other = enzyme.value_and_grad(fresh(kernel))(*given)
    assert any(allocate_records_late(code) for code in asked)
    assert value == again
    np.testing.assert_array_equal(slope, other)


def fresh(kernel: Kernel) -> Kernel:
    """Return the kernel under another name, whose derivative is made anew."""

    def other(*given):
        return kernel(*given)

    return other


def directional(f: Callable[[np.ndarray], np.ndarray], x: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return the derivative along v by a difference of fourth order."""
    weights = ((2, -1 / 12), (1, 2 / 3), (-1, -2 / 3), (-2, 1 / 12))
    step = 1e-3
    return sum(weight * f(x + k * step * v) for k, weight in weights) / step


def second_of_product(v: np.ndarray) -> np.ndarray:
    """The mixed derivatives are prod / (xi xj), those on the diagonal zero."""
    return np.prod(X) / X * (np.sum(v / X) - v / X)


SECOND: dict[str, tuple[Kernel, tuple[Any, ...], np.ndarray, Any]] = {
    "product": (whole_product, (X,), V, second_of_product(V)),
    "legendre": (
        legendre,
        (np.array([0.3]), 6),
        np.array([1.0]),
        np.array([slope_of_legendre(6, 0.3)[1]]),
    ),
    "determinant": (
        determinant,
        (MATRIX[:3, :3].copy(),),
        MATRIX[1:, 1:].copy(),
        directional(cofactors, MATRIX[:3, :3], MATRIX[1:, 1:]),
    ),
    "energy": (energy, (X[:4],), V[:4], 48.0 * X[:4] ** 2 * V[:4]),
}


@pytest.mark.parametrize("name", list(SECOND))
def test_products_with_the_hessian(name: str, moved: list[int]) -> None:
    kernel, (x, *others), v, wanted = SECOND[name]
    found = enzyme.hvp(kernel, x, v, *others)
    assert sum(moved) > 0
    np.testing.assert_allclose(found, wanted, rtol=1e-9)
    gradient = enzyme.grad(kernel)
    differences = directional(lambda y: gradient(y, *others), x, v)
    np.testing.assert_allclose(found, differences, rtol=1e-7, atol=1e-9)


def test_exceptions_in_the_middle(moved: list[int]) -> None:
    """Of calls that had not ended there is no record; what is left goes with the region."""
    gradient = enzyme.grad(twice_the_sum)
    wanted = 2.0 * over_nodes(logarithms)
    live = native.memory_stats().live
    for place in range(X.size):
        bad = X.copy()
        bad[place] = -1.0
        with pytest.raises(ValueError, match="not positive"):
            gradient(bad)
        assert native.memory_stats().live == live
        np.testing.assert_allclose(gradient(X), wanted, rtol=1e-12)
        assert native.memory_stats().live == live
    assert sum(moved) > 0


def test_memory_runs_out_in_the_middle(moved: list[int]) -> None:
    """Whichever request fails, the next call is right."""
    wanted = 2.0 * np.prod(X) ** 2 / X
    gradient = enzyme.grad(square_of_product)
    np.testing.assert_allclose(gradient(X), wanted, rtol=1e-13)
    library, failed = native.library(), 0
    for count in range(1, 40):
        library.enzyme_py_fail_after(count)
        try:
            gradient(X)
        except MemoryError:
            failed += 1
        finally:
            library.enzyme_py_fail_after(0)
        np.testing.assert_allclose(gradient(X), wanted, rtol=1e-13)
    assert failed >= 2 * X.size - 1  # a record for each call
    assert sum(moved) > 0


def test_records_are_freed(moved: list[int]) -> None:
    """At most one for each call is there at once, as many as without."""
    footprint = enzyme.inspect.memory(root_of_product, np.ones(256))
    assert sum(moved) > 0
    assert 511 * 16 < footprint.peak < 511 * 80
