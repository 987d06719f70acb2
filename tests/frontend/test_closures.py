"""Closures made in compiled code and in Python: what they capture is data, not a constant."""

from __future__ import annotations

import math

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.errors import LoweringError, UnsupportedTypeError

A = np.array([[4.0, 1.0], [1.0, 3.0]])
X = np.array([1.0, -2.0])


# An inner optimisation: the outer derivative against the implicit-function theorem.


@enzyme.jit
def scalar_minimum(x):
    y = 0.0
    for _ in range(60):
        y -= 0.3 * enzyme.grad(lambda z: (z - x) ** 2 + np.sin(z))(y)
    return y


def test_inner_optimisation_of_a_scalar() -> None:
    # At the minimum 2 (y - x) + cos y = 0, so dy/dx = 2 / (2 - sin y).
    y = scalar_minimum(0.8)
    assert 2 * (y - 0.8) + math.cos(y) == pytest.approx(0.0, abs=1e-14)
    exact = 2 / (2 - math.sin(y))
    assert enzyme.grad(scalar_minimum)(0.8) == pytest.approx(exact, rel=1e-13)
    assert enzyme.jvp(scalar_minimum, (0.8,), (1.0,))[1] == pytest.approx(exact, rel=1e-13)


@enzyme.jit
def energy_of_minimum(x, a):
    y = np.zeros(x.size)
    for _ in range(150):
        y = y - 0.25 * enzyme.grad(lambda z: 0.5 * np.sum((a @ z) * z) - np.sum(x * z))(y)
    return np.sum(y * y)


def test_inner_optimisation_of_a_vector() -> None:
    # y = a^-1 x for a symmetric a: d(y.y)/dx = 2 a^-T y. By a, the inner gradient is (a + a^T) y / 2,
    # so d(y.y)/da is the symmetric part of - (2 a^-1 y) y^T.
    y = np.linalg.solve(A, X)
    pulled = 2 * np.linalg.solve(A, y)
    by_a = -(np.outer(pulled, y) + np.outer(y, pulled)) / 2
    found = enzyme.gradient(energy_of_minimum, X, A)
    np.testing.assert_allclose(found[0], pulled, rtol=1e-12)
    np.testing.assert_allclose(found[1], by_a, rtol=1e-12)
    _, along = enzyme.jvp(energy_of_minimum, (X, A), (X, A))
    assert along == pytest.approx(np.sum(pulled * X) + np.sum(by_a * A), rel=1e-12, abs=1e-13)


# Made in a kernel


@enzyme.jit
def nested_definitions(x):
    def f(t):
        def g(s):
            return s * s * t * x

        return enzyme.grad(g)(t)

    return enzyme.grad(f)(x)  # 4 x^2


@enzyme.jit
def parabola(a):
    return lambda t: t * t * a


@enzyme.jit
def returned_closure(x):
    f = parabola(x * x)
    return enzyme.grad(f)(3.0) + f(1.0)  # 7 x^2


@enzyme.jit
def made_in_a_loop(x):
    s = x
    for _ in range(3):
        s = s + enzyme.grad(lambda t: t * t * s)(x)  # noqa: B023  x (1 + 2 x)^3
    return s


@enzyme.jit
def captures_loop_variable(x):
    s = 0.0
    for i in range(4):
        s += enzyme.grad(lambda t: t * t * i * x)(1.0)  # noqa: B023  12 x
    return s


@enzyme.jit
def used_before_rebound(x):
    s = 0.0
    c = x
    for _ in range(2):
        g = enzyme.gradient(lambda t: t * t * c, 1.0)[0]  # noqa: B023
        c = c * 3
        s += g  # a number, not the function
    return s  # 2 x + 6 x


@enzyme.jit
def captures_tuple(x):
    p = (x, np.array([1.0, 2.0]), 2)
    return np.sum(enzyme.grad(lambda z: np.sum(z * p[1]) * p[0] * p[2])(p[1]))  # 6 x


@enzyme.jit
def default_known_at_run_time(x):
    return enzyme.grad(lambda t, k=x: k * t * t)(3.0)  # 6 x


@enzyme.jit
def constant_default(x):
    g = enzyme.grad(lambda t, k=2.0: k * t * t * x)
    return g(3.0) + g(3.0, 5.0) + g(3.0, k=1.0)  # 48 x


@enzyme.jit
def has_aux(x):
    gradient, aux = enzyme.grad(lambda t: (t * x * x, t + x), has_aux=True)(2.0)
    return gradient * aux  # x^2 (2 + x)


@enzyme.jit
def argnums_by_keyword(x):
    a, b = enzyme.grad(lambda a, b: a * b * b * x, argnums=(0, 1))(x, 3.0)
    return a * b + enzyme.grad(lambda a, b: a * b * x, argnums=-1)(x, 3.0)  # 9 x 6 x^2 + x^2


@enzyme.jit
def every_transform(x):
    value, gradient = enzyme.value_and_grad(lambda t: t * t * x)(3.0)  # 9 x, 6 x
    by_mode = enzyme.autodiff(enzyme.Reverse, lambda t: t * t * x, enzyme.Active(3.0))[0][0]
    by_mode += enzyme.autodiff(enzyme.Forward, lambda t: t * t * x, enzyme.Duplicated(3.0, 1.0))[0]
    by_mode += enzyme.gradient(enzyme.Forward, lambda t: t * t * x, 3.0)[0]
    result, pull_back = enzyme.vjp(lambda t: t * t * x, 3.0)  # 9 x
    return value + gradient + by_mode + result + pull_back(x)[0]  # 9 + 6 + 18 + 9, and 6 x^2


@pytest.mark.parametrize(
    ("kernel", "x", "exact"),
    [
        (nested_definitions, 2.0, 16.0),
        (returned_closure, 2.0, 28.0),
        (made_in_a_loop, 2.0, 425.0),
        (captures_loop_variable, 2.0, 12.0),
        (used_before_rebound, 2.0, 8.0),
        (captures_tuple, 2.0, 6.0),
        (default_known_at_run_time, 2.0, 6.0),
        (constant_default, 2.0, 48.0),
        (has_aux, 2.0, 20.0),
        (argnums_by_keyword, 2.0, 652.0),
        (every_transform, 2.0, 66.0),
    ],
    ids=lambda one: getattr(one, "__name__", None),
)
def test_made_in_a_kernel(kernel, x, exact) -> None:
    assert enzyme.grad(kernel)(x) == pytest.approx(exact, rel=1e-14)
    assert enzyme.jvp(kernel, (x,), (1.0,))[1] == pytest.approx(exact, rel=1e-14)


def test_made_in_njit_code() -> None:
    @numba.njit
    def caller(x):
        return enzyme.grad(lambda t: np.sin(t * x))(1.0)

    assert caller(2.0) == pytest.approx(2 * math.cos(2.0), rel=1e-14)
    assert enzyme.grad(caller)(2.0) == pytest.approx(math.cos(2) - 2 * math.sin(2), rel=1e-14)


def test_options_reach_closures() -> None:
    @enzyme.jit(error_model="numpy")
    def divided(x):
        return enzyme.grad(lambda t: t / x)(1.0)

    assert divided(0.0) == math.inf


def test_closures_of_others_are_left_alone() -> None:
    @numba.njit
    def caller(x):
        g = lambda t: t * x
        h = lambda t: g(t) + 1
        return h(2.0) + sum([g(i) for i in range(3)])

    assert caller(2.0) == 11.0


# Made in Python


def weighted(weights, scale):
    return lambda x: np.sum(weights * x * x) * scale


def test_captured_array_may_change() -> None:
    weights = np.array([1.0, 2.0])
    f = weighted(weights, 3.0)
    transform = enzyme.grad(f)
    halves = enzyme.autodiff_thunk(enzyme.ReverseSplitWithPrimal, f, enzyme.Duplicated)
    for first in (1.0, -5.0):
        weights[0] = first
        exact = 6 * weights * X
        np.testing.assert_array_equal(enzyme.gradient(f, X)[0], exact)
        np.testing.assert_array_equal(transform(X), exact)
        np.testing.assert_array_equal(enzyme.gradient(enzyme.Forward, f, X)[0], exact)
        assert enzyme.jvp(f, (X,), (X,)) == (f(X), 2 * f(X))
        np.testing.assert_array_equal(enzyme.vjp(f, X)[1](1.0)[0], exact)
        shadow = np.zeros(2)
        assert enzyme.autodiff(f, enzyme.Duplicated(X, shadow)) == ((None,),)
        np.testing.assert_array_equal(shadow, exact)
        tape, value, _ = halves[0](enzyme.Duplicated(X, shadow))
        assert value == f(X)
        assert halves[1](enzyme.Duplicated(X, shadow), 2.0, tape) == ((None,),)
        np.testing.assert_array_equal(shadow, 3 * exact)


def test_default_array_may_change() -> None:
    weights = np.array([1.0, 2.0])

    def f(x, w=weights, power=2):
        return np.sum(w * x**power)

    transform = enzyme.grad(f)
    for first in (1.0, 5.0):
        weights[0] = first
        np.testing.assert_array_equal(transform(X), 2 * weights * X)


def test_captured_variable_may_change() -> None:
    power = 2

    def f(x):
        return x**power

    transform = enzyme.grad(f)
    for power in (2, 3, 2.5):
        exact = pytest.approx(power * 2.0 ** (power - 1), rel=1e-14)
        assert transform(2.0) == exact
        assert enzyme.gradient(f, 2.0) == (exact,)
        assert enzyme.grad(lambda x: f(x) * 1.0)(2.0) == exact


def test_equal_code_never_shares_what_it_captured() -> None:
    transforms = [enzyme.grad(weighted(X, scale)) for scale in (1.0, 2.0)]
    transforms += [enzyme.grad(weighted(2 * X, np.float32(0.5)))]
    for _ in range(2):
        found = [transform(X) for transform in transforms]
        np.testing.assert_array_equal(found, [2 * X * X, 4 * X * X, 2 * X * X])


def test_equal_code_is_compiled_once() -> None:
    made = [enzyme.grad(weighted(X, scale)).opened()[0] for scale in (1.0, 2.0, 3.0)]
    assert made[0] is made[1] is made[2]


def test_closures_nest_in_python() -> None:
    def scaled(f, factor):
        return lambda x: f(x) * factor

    f = scaled(scaled(lambda x: np.sum(x * x), 2.0), 3.0)
    np.testing.assert_array_equal(enzyme.gradient(f, X)[0], 12 * X)
    cubed = weighted(2.0, 1.0)  # 2 x^2
    assert enzyme.grad(enzyme.grad(cubed))(1.5) == 4.0


def test_transform_of_a_closure_in_compiled_code() -> None:
    transform = enzyme.grad(weighted(np.ones(2), 0.5))

    @numba.njit
    def applied(f, x):
        return f(x)

    @numba.njit
    def captured(x):
        return transform(x)

    np.testing.assert_array_equal(applied(transform, X), X)
    np.testing.assert_array_equal(captured(X), X)


def derivative(f, x):
    return enzyme.gradient(enzyme.Reverse, f, x)[0]


def second_derivative(f, x):
    return derivative(lambda t: derivative(f, t), x)


def third_derivative(f, x):
    return derivative(lambda t: second_derivative(f, t), x)


def test_derivative_of_derivative_as_on_paper() -> None:
    def f(x):
        return x**5 + x

    assert second_derivative(f, 1.3) == pytest.approx(20 * 1.3**3, rel=1e-14)
    assert third_derivative(f, 1.3) == pytest.approx(60 * 1.3**2, rel=1e-14)
    for order in (second_derivative, third_derivative):  # as kernels
        assert enzyme.jit(order)(f, 1.3) == order(f, 1.3)


# Refused


def rebound_before_use(x):
    a = x
    f = lambda t: t * t * a
    a = 2 * x
    return enzyme.grad(f)(3.0)


def rebound_in_a_loop(x):
    f = lambda t: t * t * x
    s = 0.0
    for i in range(3):
        s += enzyme.grad(f)(s + 1.0)
        if i == 1:
            x = x * 2
    return s


def assigns_captured(x):
    c = 0.0

    def f(t):
        nonlocal c
        c = c + t
        return t * c

    return enzyme.grad(f)(x)


def any_number_of_arguments(x):
    def f(*t):
        return t[0] * x

    return enzyme.grad(f)(x)


def writes_captured(x):
    buffer = np.zeros(2)

    def f(t):
        buffer[0] = t * x
        return buffer[0] ** 2

    return enzyme.grad(f)(x)


@pytest.mark.parametrize(
    ("kernel", "error", "says"),
    [
        (rebound_before_use, UnsupportedTypeError, ("`a`", "another value", "last value")),
        (rebound_in_a_loop, UnsupportedTypeError, ("`x`", "another value", "last value")),
        (assigns_captured, UnsupportedTypeError, ("nonlocal", "arguments")),
        (any_number_of_arguments, UnsupportedTypeError, ("*args", "plain parameters")),
        (writes_captured, LoweringError, ("captured", "inside the function")),
    ],
    ids=lambda one: getattr(one, "__name__", None),
)
def test_refused(kernel, error, says) -> None:
    with pytest.raises(error) as caught:
        enzyme.grad(kernel)(2.0)
    for fragment in says:
        assert fragment in str(caught.value)


def test_python_closure_that_writes_is_refused() -> None:
    buffer = np.zeros(2)

    def f(t):
        buffer[0] = t
        return buffer[0] ** 2

    with pytest.raises(LoweringError, match="inside the function"):
        enzyme.grad(f)(2.0)


# Array-valued functions, second order


def scaled_product(a, scale):
    return lambda x: a @ (x * x) * scale


def quadratic_form(a):
    return lambda x: x @ (a @ x)


def test_jacobians_and_hessians_of_closures() -> None:
    a = A.copy()
    f, g = scaled_product(a, 0.5), quadratic_form(a)
    transforms = enzyme.jacrev(f), enzyme.hessian(g)
    for corner in (4.0, -7.0):
        a[0, 0] = corner
        both = a + a.T
        np.testing.assert_allclose(enzyme.jacobian(f, X)[0], a * X, rtol=1e-14)
        np.testing.assert_allclose(transforms[0](X), a * X, rtol=1e-14)
        np.testing.assert_allclose(transforms[1](X), both, rtol=1e-14)
        np.testing.assert_allclose(enzyme.hvp(g, X, X), both @ X, rtol=1e-14)


@enzyme.jit
def jacobians_in_a_kernel(a, x, c):
    f = lambda z: a @ (z * z) * c
    found = enzyme.jacobian(enzyme.Forward, f, x)[0] + enzyme.jacrev(f)(x)
    return np.sum(found)  # c sum(4 a x)


def test_jacobians_in_a_kernel() -> None:
    exact = 4 * np.sum(A * X)
    assert jacobians_in_a_kernel(A, X, 1.5) == pytest.approx(1.5 * exact, rel=1e-14)
    assert enzyme.grad(jacobians_in_a_kernel, argnums=2)(A, X, 1.5) == pytest.approx(exact)


def test_names_that_lifting_could_take_for_its_own() -> None:
    """Captured variables of any name; `inner` was taken for the function within the lifted one."""
    inner, lifted, make, held = 2.0, 3.0, 5.0, 7
    assert enzyme.gradient(lambda x: inner * lifted * make * held * x, 1.0) == (210.0,)
    assert enzyme.gradient(lambda x, inner=inner: inner * x, 1.0)[0] == 2.0
    assert enzyme.gradient(lambda x: np.sum(np.array([lifted * x, make * x])), 1.0) == (8.0,)
