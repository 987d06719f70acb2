"""NaN, infinity, broadcast memory and other values that only look harmless."""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np
import pytest

import enzyme_py as enzyme

NAN, INF = math.nan, math.inf


@enzyme.jit
def cubes(x):
    total = 0.0
    for i in range(x.size):
        total += x[i] ** 3
    return total


@enzyme.jit
def times(x, y):
    return x * y


@enzyme.jit
def root_or_line(x):
    return np.where(x > 0.0, np.sqrt(np.abs(x)), 2.0 * x).sum()


def test_nan_and_infinity_pass_through() -> None:
    (gradient,) = enzyme.gradient(cubes, np.array([NAN, INF, -INF, 2.0]))
    assert np.array_equal(gradient, [NAN, INF, INF, 12.0], equal_nan=True)
    dx, dy = enzyme.gradient(times, INF, NAN)
    assert math.isnan(dx)
    assert dy == INF
    tangent = enzyme.autodiff(enzyme.Forward, times, enzyme.Duplicated(2.0, NAN), enzyme.Const(3.0))
    assert math.isnan(tangent[0])


def test_branch_not_taken_gives_no_nan() -> None:
    (gradient,) = enzyme.gradient(root_or_line, np.array([4.0, 0.0, -1.0]))
    assert np.allclose(gradient, [0.25, 2.0, 2.0])


def test_memory_that_overlaps_itself() -> None:
    x = np.broadcast_to(np.array([2.0]), (3,))
    assert np.allclose(enzyme.gradient(cubes, x)[0], [12.0, 12.0, 12.0])
    assert np.allclose(enzyme.grad(cubes)(x), [12.0, 12.0, 12.0])


def test_read_only_argument() -> None:
    x = np.array([1.0, 2.0])
    x.flags.writeable = False
    assert np.allclose(enzyme.gradient(cubes, x)[0], [3.0, 12.0])


def test_huge_and_empty() -> None:
    assert enzyme.gradient(cubes, np.zeros(0))[0].shape == (0,)
    long = np.linspace(0.0, 1.0, 10**6)
    assert np.allclose(enzyme.gradient(cubes, long)[0], 3 * long**2)


def test_threads_do_not_mix() -> None:
    gradient = enzyme.grad(cubes)
    inputs = [np.full(1000, float(k)) for k in range(40)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(gradient, inputs))
    for k, got in enumerate(found):
        assert np.array_equal(got, np.full(1000, 3.0 * k * k))


def test_threads_compile_at_once() -> None:
    def one(k: int) -> float:
        @enzyme.jit
        def power(x):
            return x ** (k + 1)

        return enzyme.gradient(power, 2.0)[0]

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(one, range(4)))
    assert np.allclose(found, [1.0, 4.0, 12.0, 32.0])


def test_descent_wholly_in_njit() -> None:
    target = np.array([1.0, -2.0, 3.0])

    @enzyme.jit
    def misfit(x, y):
        return np.sum((x - y) ** 2)

    @numba.njit
    def descend(x, y, rate, steps):
        shadow = np.zeros_like(x)
        for _ in range(steps):
            shadow[:] = 0.0
            enzyme.autodiff(enzyme.Reverse, misfit, enzyme.Duplicated(x, shadow), enzyme.Const(y))
            x -= rate * shadow
        return x

    assert np.allclose(descend(np.zeros(3), target, 0.1, 200), target)


def test_plain_function_and_its_plain_helper() -> None:
    def helper(t):
        return t * t

    def f(x):
        return helper(x) + 1.0

    assert enzyme.gradient(f, 3.0) == (6.0,)


def test_has_aux() -> None:
    @enzyme.jit
    def with_aux(x):
        return np.sum(x * x), 2.0 * x

    x = np.array([1.0, 2.0])
    gradient, aux = enzyme.grad(with_aux, has_aux=True)(x)
    assert np.allclose(gradient, 2 * x)
    assert np.allclose(aux, 2 * x)
    (value, aux), gradient = enzyme.value_and_grad(with_aux, has_aux=True)(x)
    assert value == 5.0
    assert np.allclose(gradient, aux)


def test_strong_zero_and_runtime_activity_are_immutable() -> None:
    changed = enzyme.set_runtime_activity(enzyme.Reverse)
    assert changed != enzyme.Reverse
    assert enzyme.autodiff(changed, times, enzyme.Active(2.0), enzyme.Active(3.0)) == ((3.0, 2.0),)
    weak = enzyme.set_strong_zero(enzyme.Reverse, False)
    assert enzyme.autodiff(weak, times, enzyme.Active(2.0), enzyme.Active(3.0)) == ((3.0, 2.0),)


def test_hypot_along_tangents_as_large_or_small_as_its_numbers() -> None:
    """The norm of two numbers along themselves is itself; x * dx by itself would be infinite, or zero."""
    norm = numba.njit(lambda x, y: math.hypot(x, y))
    for kind, sizes in ((np.float64, (1.0, 1e200, 1e-200)), (np.float32, (1.0, 1e25, 1e-25))):
        for size in sizes:
            x, y = kind(3 * size), kind(-4 * size)
            value, slope = enzyme.jvp(norm, (x, y), (x, y))
            assert value == norm(x, y)
            np.testing.assert_allclose(slope, value, rtol=4 * np.finfo(kind).eps)
            np.testing.assert_allclose(
                enzyme.gradient(norm, x, y), (0.6, -0.8), rtol=4 * np.finfo(kind).eps
            )
    huge, tiny = 1e300, 1e-300
    assert enzyme.gradient(norm, huge, tiny) == (1.0, 0.0)


@pytest.mark.parametrize(
    ("function", "second"),
    [
        (lambda x: np.log(x) * 3.0, -0.75),
        (lambda x: np.sqrt(x) * 8.0, -(0.5**0.5)),
        (lambda x: 8.0 * x**0.5, -(0.5**0.5)),
    ],
)
def test_rims_of_domains_stay_out_of_second_orders(function, second):
    """NaN beyond the rim is a factor in first derivatives; in nested ones it made NaN of every number."""
    assert enzyme.hessian(function)(2.0) == pytest.approx(second, rel=1e-12)


def test_interp_of_complex_numbers_is_numbas_own_where_a_part_is_not_finite() -> None:
    def between(x, xp, fp):
        return np.interp(x, xp, fp)

    x, xp = np.array([0.3, 1.3, 2.6]), np.array([0.0, 1.0, 2.0, 3.0])
    fp = np.array([0.5 + 1.0j, complex(np.inf, 0.25), 0.5 - 1.0j, 1.5 + 2.0j])
    want = numba.njit(between)(x, xp, fp)
    value, pull = enzyme.vjp(between, x, xp, fp)
    np.testing.assert_array_equal(value, want)
    assert value[0].imag == pytest.approx(0.7 * 1.0 + 0.3 * 0.25)
    slope = pull(np.array([0.0, 0.0, 1.0 + 0.0j]))[0]
    assert slope[2] == pytest.approx(1.0)  # (1.5 - 0.5) / (3 - 2)


@pytest.mark.parametrize("z", [1e-20j, 1e-8 + 0.0j, 1e-6 + 2e-6j, 0.05 - 0.02j])
def test_sinc_of_complex_numbers_near_zero(z: complex) -> None:
    def sinc(z):
        return np.sinc(z)

    y = np.pi * z
    slope = np.pi * (-y / 3 + y**3 / 30 - y**5 / 840 + y**7 / 45360 - y**9 / 3991680)
    value, tangent = enzyme.jvp(sinc, (z,), (1.0 + 0.0j,))
    assert value == numba.njit(sinc)(z)
    assert abs(tangent - slope) <= 1e-10 * abs(slope)


def test_sinc_has_numbas_own_value() -> None:
    x = np.linspace(-1.0, 1.0, 101)
    values = enzyme.vjp(lambda x: np.sinc(x), x)[0]
    np.testing.assert_array_equal(values, numba.njit(lambda x: np.sinc(x))(x))
