"""Arguments that share memory: as good as any, until the kernel writes to what they share."""

from __future__ import annotations

import resource

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py import Active, Const, Duplicated, Reverse
from enzyme_py.errors import ShadowError, SharedMemoryError
from enzyme_py.native.runtime import memory_stats

X = np.array([0.7, 1.3, 0.4, 2.1])


def bilinear(a, b):
    return np.sum(a * b * b)


def in_place(out, a):
    for i in range(a.size):
        out[i] = a[i] * a[i]
    return out[0] * out[1]


def first_of(out, a):
    out[0] = a[1] * a[2]
    return out[0] * a[0]


def test_what_is_only_read_may_be_shared() -> None:
    """The gradient of sum(a b^2) is b^2 and 2 a b, whatever lies where."""
    x, slope, other = X.copy(), np.zeros(4), np.zeros(4)
    for _ in range(2):  # the second call goes another way
        slope[:], other[:] = 0.0, 0.0
        enzyme.autodiff(Reverse, bilinear, Active, Duplicated(x, slope), Duplicated(x, other))
        np.testing.assert_allclose(slope, X**2, rtol=1e-15)
        np.testing.assert_allclose(other, 2 * X**2, rtol=1e-15)


def test_what_is_shared_and_written_is_refused() -> None:
    x = X.copy()
    for second in (Duplicated(x, np.zeros(4)), Const(x), Const(x[::-1])):
        for _ in range(2):
            x[:] = X
            with pytest.raises(ShadowError, match=r"(?s)`out` and `a` share memory.*a\.copy\(\)"):
                enzyme.autodiff(Reverse, in_place, Active, Duplicated(x, np.zeros(4)), second)


def test_what_is_written_beside_the_shared_part() -> None:
    """Only out[0] is written, which is not among the elements of x[1:]: x1 x2 x1 has the slopes of its factors."""
    x, slope = X.copy(), np.zeros(3)
    out = Duplicated(x, np.zeros(4))
    enzyme.autodiff(Reverse, first_of, Active, out, Duplicated(x[1:], slope))
    np.testing.assert_allclose(slope, [X[2] * X[3], X[1] * X[3], X[1] * X[2]], rtol=1e-14)
    x[:] = X
    with pytest.raises(ShadowError, match="share memory"):
        enzyme.autodiff(Reverse, first_of, Active, out, Const(x[:3]))


def test_interleaved_views_share_nothing() -> None:
    x = np.repeat(X, 2)
    out, a = x[::2], x[1::2]
    slope = enzyme.make_zero(a)
    enzyme.autodiff(
        Reverse, in_place, Active, Duplicated(out, enzyme.make_zero(out)), Duplicated(a, slope)
    )
    np.testing.assert_allclose(slope[:2], [2 * X[0] * X[1] ** 2, 2 * X[0] ** 2 * X[1]], rtol=1e-14)


def test_the_forward_half_of_a_thunk() -> None:
    forward, _ = enzyme.autodiff_thunk(enzyme.ReverseSplitWithPrimal, in_place, Duplicated, Const)
    x = X.copy()
    with pytest.raises(ShadowError, match="share memory"):
        forward(Duplicated(x, np.zeros(4)), Const(x))


def test_nan_that_stays_is_not_written() -> None:
    x = np.array([np.nan, 1.0])
    enzyme.autodiff(Reverse, bilinear, Active, Duplicated(x, np.zeros(2)), Const(x))


# --- every other way into a derivative ------------------------------------------------------------


def scaled(a, b):
    a[0] = a[0] * b[1]
    return np.sum(a * b)


gradient_of_scaled = enzyme.grad(scaled, argnums=(0, 1))
compiled = numba.njit(lambda x, y: gradient_of_scaled(x, y))
ONES = np.ones(4)
WAYS = {
    "grad": lambda x, y: enzyme.grad(scaled)(x, y),
    "value_and_grad": lambda x, y: enzyme.value_and_grad(scaled, argnums=(0, 1))(x, y),
    "jvp": lambda x, y: enzyme.jvp(scaled, (x, y), (ONES, ONES)),
    "gradient": lambda x, y: enzyme.gradient(Reverse, scaled, x, y),
    "forward": lambda x, y: enzyme.autodiff(enzyme.Forward, scaled, Duplicated(x, enzyme.make_zero(x)), Duplicated(y, enzyme.make_zero(y))),
    "tuple": lambda x, y: enzyme.grad(lambda pair: scaled(pair[0], pair[1]))((x, y)),
    "list": lambda x, y: enzyme.grad(lambda pair: scaled(pair[0], pair[1]))([x, y]),
    "captured": lambda x, y: enzyme.grad(lambda a: scaled(a, y))(x),
    "compiled code": lambda x, y: compiled(x, y),
}


@pytest.mark.parametrize("way", WAYS)
def test_each_way_refuses(way: str) -> None:
    """What takes x and x for two arrays would say b and a: 18 and 6, say, for the 36 that x has."""
    for _ in range(2):
        x = X.copy()
        with pytest.raises(SharedMemoryError, match=r"share memory to which the kernel writes"):
            WAYS[way](x, x)
        x = X.copy()
        with pytest.raises(SharedMemoryError):
            WAYS[way](x, x[::-1])


@pytest.mark.parametrize("way", WAYS)
def test_each_way_takes_two_arrays(way: str) -> None:
    WAYS[way](X.copy(), X.copy())
    numbers = np.repeat(X, 2)
    WAYS[way](np.ascontiguousarray(numbers[::2]), numbers[1::2].copy())


def test_the_gradient_of_two_arrays() -> None:
    """s = a0 b1 b0 + a1 b1 + ...: by a (b0 b1, b1, ...), by b (a0 b1, a0 b0 + a1, a2, ...)."""
    a, b = X.copy(), X[::-1].copy()
    by_a, by_b = gradient_of_scaled(a, b)
    np.testing.assert_allclose(by_a, [b[0] * b[1], *b[1:]], rtol=1e-14)
    np.testing.assert_allclose(by_b, [X[0] * b[1], X[0] * b[0] + X[1], *X[2:]], rtol=1e-14)


def test_the_parts_of_a_tuple_are_named() -> None:
    x = X.copy()
    with pytest.raises(SharedMemoryError, match=r"(?s)`pair\[0\]` and `pair\[1\]`.*pair\[1\]\.copy"):
        WAYS["tuple"](x, x)


def test_nothing_is_lost_by_the_refusal() -> None:
    """The region is closed, and shadows that nobody gets are let go: 200 of them would be 1.6 GB."""
    x = np.full(1_000_000, 2.0)
    for turn in range(100):
        x[:] = 2.0
        with pytest.raises(SharedMemoryError):
            gradient_of_scaled(x, x)
        if turn == 10:
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    assert memory_stats().regions_open == 0
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000  # kB


def test_what_makes_copies_takes_two_arrays() -> None:
    """vjp and the rows of Jacobians work on copies: f of two arrays, which x and x are there."""
    x = X.copy()
    value, back = enzyme.vjp(scaled, x, x)
    by_a, by_b = back(1.0)
    np.testing.assert_array_equal(x, X)
    np.testing.assert_allclose(by_a, [X[0] * X[1], *X[1:]], rtol=1e-14)
    np.testing.assert_allclose(by_b, [X[0] * X[1], X[0] ** 2 + X[1], *X[2:]], rtol=1e-14)
    assert value == pytest.approx(X[0] ** 2 * X[1] + np.sum(X[1:] ** 2))
