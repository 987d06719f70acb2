"""vmap: derivatives for many items in one loop, by hand and beside a loop in Python."""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.errors import AnnotationError

X = np.cos(np.arange(12.0)).reshape(4, 3)
S = np.array([1.0, -2.0, 0.5, 3.0])


class Pair(NamedTuple):
    a: object
    b: object


@enzyme.jit
def cubes(x, s):
    return s * np.sum(x**3)


@pytest.mark.parametrize("threads", [1, 2, 0])
def test_gradients_of_rows(threads) -> None:
    """d/dx s sum x^3 = 3 s x^2, d/ds = sum x^3, for each row."""
    both = enzyme.vmap(enzyme.value_and_grad(cubes, argnums=(0, 1)), threads=threads)
    value, (by_x, by_s) = both(X, S)
    np.testing.assert_allclose(value, S * np.sum(X**3, axis=1), rtol=1e-14)
    np.testing.assert_allclose(by_x, 3 * S[:, None] * X**2, rtol=1e-14)
    np.testing.assert_allclose(by_s, np.sum(X**3, axis=1), rtol=1e-14)


@pytest.mark.parametrize("threads", [1, 3])
def test_columns_and_what_is_shared(threads) -> None:
    """Along another axis, with a closure's captured value and a shared argument."""
    k = 2.5
    slopes = enzyme.vmap(enzyme.grad(lambda s, x: cubes(x, s) * k, 1), (None, -1), threads)
    np.testing.assert_allclose(slopes(3.0, X.T), 7.5 * 3 * X**2, rtol=1e-14)


def test_structures() -> None:
    """Tuples go in and come out; what has no derivative stays None."""

    def f(pair, n):
        return Pair(pair.a * n, np.sum(pair.b)), n + 1

    out, counts = enzyme.vmap(f)(Pair(S, X), np.arange(4))
    assert isinstance(out, Pair)
    np.testing.assert_allclose(out.a, S * np.arange(4))
    np.testing.assert_allclose(out.b, X.sum(axis=1))
    assert counts.dtype.kind == "i"
    assert list(counts) == [1, 2, 3, 4]
    none, by_x = enzyme.vmap(lambda n, x: enzyme.gradient(lambda n, x: x * n, n, x))(
        np.arange(4), S
    )
    assert none is None
    np.testing.assert_allclose(by_x, np.arange(4.0))


def scaled(x, factor=2.0, shift=1.0):
    return factor * np.sum(x**3) + shift * x[0]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("axes", [0, (0,), (0, None), (0, 0)])
def test_arguments_left_at_their_defaults_are_shared(threads, axes) -> None:
    first = np.array([1.0, 0.0, 0.0])
    slopes = enzyme.vmap(enzyme.grad(scaled), axes, threads)
    np.testing.assert_allclose(slopes(X), 6.0 * X**2 + first, rtol=1e-14)
    values = enzyme.vmap(scaled, axes, threads)
    np.testing.assert_allclose(values(X), 2.0 * np.sum(X**3, axis=1) + X[:, 0], rtol=1e-14)
    if axes != (0,):
        factor = S if axes in (0, (0, 0)) else 5.0
        expected = np.reshape(factor, (-1, 1)) * 3.0 * X**2 + first
        np.testing.assert_allclose(slopes(X, factor), expected, rtol=1e-14)


def test_defaults_in_kernels() -> None:
    by_x = enzyme.grad(lambda x: np.sum(enzyme.vmap(scaled)(x)))(X)
    np.testing.assert_allclose(by_x, 6.0 * X**2 + np.array([1.0, 0.0, 0.0]), rtol=1e-14)
    other = enzyme.vmap(lambda x, factor=4.0: factor * x * x)
    np.testing.assert_array_equal(other(S), 4.0 * S * S)
    np.testing.assert_array_equal(other(S, factor=5.0), 5.0 * S * S)


@enzyme.jit
def penalty(x, s):
    slopes = enzyme.vmap(enzyme.grad(cubes), in_axes=(0, None))(x, s)
    return np.sum(slopes)


def test_in_kernels_and_differentiated() -> None:
    """sum 3 s x^2 has the slopes 6 s x and sum 3 x^2."""
    by_x, by_s = enzyme.gradient(penalty, X, 2.0)
    np.testing.assert_allclose(by_x, 12.0 * X, rtol=1e-14)
    assert by_s == pytest.approx(np.sum(3 * X**2))
    assert numba.njit(lambda x: penalty(x, 2.0))(X) == pytest.approx(np.sum(6 * X**2))
    on_threads = enzyme.vmap(cubes, (0, None), threads=2)
    np.testing.assert_allclose(
        enzyme.grad(lambda x: np.sum(on_threads(x, 2.0)))(X), 6.0 * X**2, rtol=1e-14
    )


def rising(x):
    return np.ones(int(x))


def raising(x):
    if x > 2:
        raise ZeroDivisionError("two")
    return x


def added(x, y):
    return x + y


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: enzyme.vmap(cubes)(X, 3.0), AnnotationError, "`s` .* of type float64"),
        (lambda: enzyme.vmap(cubes, (2, 0))(X, S), AnnotationError, "no axis 2"),
        (lambda: enzyme.vmap(cubes, (0,))(X, S), AnnotationError, "1 entries"),
        (lambda: enzyme.vmap(cubes, None), AnnotationError, "in_axes"),
        (lambda: enzyme.vmap(cubes, (None, None)), AnnotationError, "no argument"),
        (lambda: enzyme.vmap(cubes, threads=-1), AnnotationError, "threads"),
        (lambda: enzyme.vmap(added)(S, S[1:]), ValueError, "different numbers of items"),
        (lambda: enzyme.vmap(added, threads=2)(S, S[1:]), ValueError, "different numbers"),
        (lambda: enzyme.vmap(added)(S[:0], S[:0]), ValueError, "no items"),
        (lambda: enzyme.vmap(rising)(np.arange(1.0, 3.0)), ValueError, "different shapes"),
        (lambda: enzyme.vmap(raising, threads=2)(S), ZeroDivisionError, "two"),
    ],
)
def test_refused(call, error, message) -> None:
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("threads", [1, 2])
def test_lists_and_dicts(threads) -> None:
    x = np.arange(8.0).reshape(4, 2)
    of_list = enzyme.vmap(lambda both, y: both[0][0] * y + both[1][1], threads=threads)
    np.testing.assert_array_equal(of_list([x, x + 1.0], x[:, 0]), x[:, 0] ** 2 + x[:, 1] + 1.0)
    of_dict = enzyme.vmap(enzyme.grad(lambda given: given["a"][0] * given["b"]), threads=threads)
    slopes = of_dict({"a": x, "b": x[:, 1]})
    np.testing.assert_array_equal(slopes["a"], np.stack([x[:, 1], np.zeros(4)], axis=1))
    np.testing.assert_array_equal(slopes["b"], x[:, 0])


@pytest.mark.parametrize("threads", [1, 2])
def test_a_number_has_no_items(threads) -> None:
    with pytest.raises(AnnotationError, match="has no axis 0"):
        enzyme.vmap(cubes, threads=threads)(np.ones((3, 2)), 1.0)
