"""Loops with few states kept, and regions run again: by hand first, then beside the plain loop."""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.calls.checkpointing.schedules import binomial_stride, least_period
from enzyme_py.errors import AnnotationError, RuleError


def scaled(x, i, factors):
    return x * factors[i]


def product(x, factors, memory):
    return enzyme.checkpoint(scaled, x, factors.size, (factors,), memory)


def stored(x, factors, memory):
    return enzyme.checkpoint(scaled, x, factors.size, (factors,), memory, "store")


def by_periods(x, factors, memory):
    return enzyme.checkpoint(scaled, x, factors.size, (factors,), memory, "periodic")


@pytest.mark.parametrize(("loop", "fewest"), [(product, 1), (by_periods, 12), (stored, 37)])
def test_a_product_by_all_its_factors(loop, fewest) -> None:
    """d/dx prod = prod, d/d factor = prod / factor: with every number of kept states, of every length."""
    gradient = enzyme.grad(loop, argnums=(0, 1))
    generator = np.random.default_rng(5)
    for steps in (0, 1, 2, 3, 37):
        factors = generator.uniform(0.8, 1.2, steps)
        for kept in range(fewest, steps + 2):
            by_x, by_factors = gradient(1.5, factors, 8.0 * (kept + 5))
            assert by_x == pytest.approx(np.prod(factors), rel=1e-13)
            np.testing.assert_allclose(by_factors, 1.5 * np.prod(factors) / factors, rtol=1e-13)


@functools.cache
def fewest_runs(steps: int, slots: int) -> int:
    """The least number of steps to be run again, by trying every first stretch."""
    if slots == 1 or steps < 2:
        return steps * (steps - 1) // 2
    splits = range(1, steps)
    return min(j + fewest_runs(j, slots) + fewest_runs(steps - j, slots - 1) for j in splits)


@functools.cache
def runs(steps: int, slots: int) -> int:
    """The same for the schedule as it is."""
    if slots == 1 or steps < 2:
        return steps * (steps - 1) // 2
    j = binomial_stride(steps, slots)
    assert 1 <= j < steps
    return j + runs(j, slots) + runs(steps - j, slots - 1)


def test_no_schedule_runs_fewer_steps() -> None:
    for steps in range(1, 60):
        for slots in range(1, 9):
            repeats = next(r for r in range(steps + 1) if math.comb(slots + r, slots) >= steps)
            formula = repeats * steps - math.comb(slots + repeats, slots + 1)
            assert runs(steps, slots) == fewest_runs(steps, slots) == formula


def test_the_period_is_the_least_that_fits() -> None:
    for steps in range(2, 120):
        for slots in range(1, 40):
            fit = [k for k in range(1, steps + 1) if k - 1 + math.ceil(steps / k) <= slots]
            assert least_period(steps, slots) == (min(fit) if fit else 0)


# -- beside the plain loop -------------------------------------------------------------------------


def mixing(state, i, w):
    """A state of all kinds: a matrix, a number, a complex one, a count."""
    u, z, c, count = state
    v = np.empty_like(u)
    for a in range(u.shape[0]):
        for b in range(u.shape[1]):
            v[a, b] = np.sin(u[a, b]) + w[i, b] * u[b, a] + 0.1 * z + c.real
    return v, z * 0.9 + v[0, 1], c * (0.5 + 0.2j) * v[1, 1], count + 1


def in_place(u, i, forces):
    for j in range(u.size):
        u[j] = np.sin(u[j]) * forces[i] + u[j - 1]
    return u


def mixed(u, z, w, is_plain):
    state = (u, z, 0.3 + 0.1j, 3)
    if is_plain:
        for i in range(w.shape[0]):
            state = mixing(state, i, w)
    else:
        state = enzyme.checkpoint(mixing, state, w.shape[0], (w,), 800.0)
    return np.sum(state[0]) * state[1] + abs(state[2]) ** 2 + state[3]


def nested(u, forces, is_plain):
    """A loop whose step is a loop, whose step writes to its state."""
    if is_plain:
        v = u.copy()
        for i in range(3):
            for k in range(4):
                v = in_place(v, k, forces * (i + 1.0))
    else:
        v = enzyme.checkpoint(
            lambda s, i: enzyme.checkpoint(in_place, s, 4, (forces * (i + 1.0),), 600.0),
            u,
            3,
            (),
            600.0,
        )
    return np.sum(v**2)


X = np.array([0.3, -0.8, 0.5, 1.1])
F = np.array([0.9, -0.4, 0.7, 0.2])
W = np.cos(np.arange(22.0)).reshape(11, 2)


@pytest.mark.parametrize(("loss", "given"), [(mixed, (X.reshape(2, 2), 0.3, W)), (nested, (X, F))])
def test_gradients_are_those_of_the_plain_loop(loss, given) -> None:
    before = X.copy()
    found, want = (enzyme.gradient(loss, *given, is_plain) for is_plain in (False, True))
    assert np.array_equal(X, before)
    for one, other in zip(found[:-1], want[:-1], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-14)


def bent(x, i, factors):
    return np.sin(x * factors[i])


def curve(x, factors, is_plain):
    if is_plain:
        for i in range(factors.size):
            x = bent(x, i, factors)
    else:
        x = enzyme.checkpoint(bent, x, factors.size, (factors,), 8 * 8.0)
    return x * factors[0]


def again(x, factors, is_plain):
    def twice(y):
        return enzyme.remat(lambda t: np.sin(t * y))(y) * y

    return np.sin(x * x) * x * factors[0] if is_plain else enzyme.remat(twice)(x) * factors[0]


@pytest.mark.parametrize(
    ("loss", "outer", "inner"),
    [
        (curve, enzyme.Forward, enzyme.Reverse),
        (curve, enzyme.Reverse, enzyme.Reverse),
        (curve, enzyme.Reverse, enzyme.Forward),
        (again, enzyme.Reverse, enzyme.Reverse),
    ],
)
def test_second_derivatives_are_those_of_the_plain_loop(loss, outer, inner) -> None:
    """By the number and by the array that each step reads a part of."""

    def slope(x, factors, is_plain):
        return enzyme.gradient(inner, loss, x, factors, is_plain)[0]

    found, want = (
        enzyme.gradient(outer, slope, 0.7, 1 + F, is_plain)[:2] for is_plain in (False, True)
    )
    for one, other in zip(found, want, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-13)


def test_from_python() -> None:
    k, shift = 0.3, np.array([1.0, 2.0])
    ours = enzyme.checkpoint(lambda s, i: np.sin(s * k) + shift[i % 2], X, 5)
    plain = X
    for i in range(5):
        plain = np.sin(plain * k) + shift[i % 2]
    np.testing.assert_allclose(ours, plain, rtol=1e-15)
    assert enzyme.checkpoint(lambda s, i: s * 2, 1, 10) == 1024
    assert enzyme.remat(lambda x: x * k)(2.0) == 0.6


# -- memory ----------------------------------------------------------------------------------------


def long_loop(x, forces, memory):
    u = enzyme.checkpoint(lambda s, i: np.sin(s) + forces[i], x, forces.size, (), memory)
    return np.sum(u)


def chain(x, is_plain):
    """A product of regions that each make many arrays."""
    for _ in range(5):
        x = deep(x) if is_plain else enzyme.remat(deep)(x)
    return np.sum(x)


def deep(x):
    for _ in range(50):
        x = np.sin(x * 1.1)
    return x


def test_memory_stays_within_the_budget() -> None:
    """A state is 8 kB; all of them would be 16 MB."""
    arguments = np.ones(1000), np.zeros(2000)
    found = enzyme.inspect.memory(long_loop, *arguments, 4e5)
    assert found.peak < 4e5 + 3e5  # arguments, their shadows and their copies in the work array
    assert found.primal_peak < 3e5
    kept, plain = (enzyme.inspect.memory(chain, np.ones(1000), yes).peak for yes in (False, True))
    assert kept < plain / 2


# -- refused ---------------------------------------------------------------------------------------


def noisy(x, i):
    return x * np.random.random()  # noqa: NPY002


def shrinking(x, i):
    return x[1:]


def halved(x, i):
    return x * 0.5


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: enzyme.checkpoint(shrinking, X, 2), ValueError, "another shape"),
        (lambda: enzyme.checkpoint(halved, X, 2, X), AnnotationError, "args must be a tuple"),
        (lambda: enzyme.checkpoint(halved, X, 2, (), 1, "some"), AnnotationError, "no schedule"),
        (
            lambda: enzyme.grad(lambda x: x * enzyme.checkpoint(halved, 1, 2))(1.0),
            RuleError,
            "makes float64 of a state of int64",
        ),
        (
            lambda: enzyme.grad(lambda x: enzyme.checkpoint(noisy, x, 2))(1.0),
            RuleError,
            "draws random numbers",
        ),
        (lambda: enzyme.grad(product)(1.0, F, 47.0), ValueError, "less than 6 states"),
        (lambda: enzyme.grad(stored)(1.0, F, 71.0), ValueError, "cannot hold all states"),
        (lambda: enzyme.grad(by_periods)(1.0, np.ones(37), 80.0), ValueError, "too small"),
    ],
)
def test_refused(call, error, message) -> None:
    with pytest.raises(error, match=message):
        call()


def test_arguments_in_another_order_are_named():
    with pytest.raises(AnnotationError, match=r"checkpoint\(step, state, n"):
        enzyme.checkpoint(lambda y, _: y, 5, np.ones(2))


def test_an_infinite_argument_has_a_slope() -> None:
    """x + 1 / limit, thrice: the slope by the limit is -3 / limit^2."""

    def step(x, i, limit):
        return x + 1.0 / limit

    def loop(x, limit):
        return enzyme.checkpoint(step, x, 3, (limit,), 1e3)

    gradient = enzyme.grad(loop, argnums=(0, 1))
    assert gradient(1.0, np.inf) == (1.0, 0.0)
    assert gradient(1.0, 2.0) == (1.0, -0.75)
