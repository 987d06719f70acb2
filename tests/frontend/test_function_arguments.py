"""Kernels that take kernels, in all worlds; functools.partial; what is callable and no function."""

from __future__ import annotations

import functools

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py.errors import UnsupportedTypeError

X = np.array([1.0, -2.0])


@enzyme.jit
def newton(f, x):
    for _ in range(30):
        x -= f(x) / enzyme.grad(f)(x)
    return x


def cube(x):
    return x**3 - 8.0


cube_kernel = enzyme.jit(cube)
cube_njit = numba.njit(cube)


def root_of(a):
    return lambda x: x * x - a


@pytest.mark.parametrize(
    ("f", "root"),
    [
        (cube, 2.0),
        (cube_kernel, 2.0),
        (cube_njit, 2.0),
        (lambda x: x * x - 2.25, 1.5),
        (root_of(2.25), 1.5),
        (enzyme.grad(lambda x: x * x - 5 * x), 2.5),
        (enzyme.grad(lambda x: x * x - 6 * x), 3.0),
        (functools.partial(lambda a, x: a * x - 1.0, 4.0), 0.25),
    ],
)
def test_called_from_python(f, root) -> None:
    assert newton(f, 1.0) == pytest.approx(root, rel=1e-14)


def test_called_from_compiled_code() -> None:
    @enzyme.jit
    def in_kernel(a):
        return newton(cube, 1.0) + newton(lambda x: x * x - a, 1.0) + newton(root_of(a), 1.0)

    @numba.njit
    def in_njit(a):
        return newton(cube_kernel, 1.0) + newton(lambda x: x * x - a, 1.0)

    assert in_kernel(2.25) == pytest.approx(5.0, rel=1e-14)
    assert in_njit(2.25) == pytest.approx(3.5, rel=1e-14)
    # Newton's iteration differentiated: d sqrt(a) / da = 1 / (2 sqrt(a))
    assert enzyme.grad(in_njit)(2.25) == pytest.approx(1 / 3, rel=1e-13)
    assert enzyme.grad(in_kernel)(2.25) == pytest.approx(2 / 3, rel=1e-13)


@enzyme.jit
def applied(f, x):
    return f(x)


def test_derivative_of_a_kernel_that_takes_a_function() -> None:
    weights = np.array([3.0, 4.0])

    def make(weights):
        return lambda x: np.sum(weights * x)

    f = make(weights)
    transform = enzyme.grad(applied, argnums=1)
    for first in (3.0, -1.0):
        weights[0] = first
        np.testing.assert_array_equal(transform(f, X), weights)
        none, gradient = enzyme.gradient(applied, f, X)
        assert none is None
        np.testing.assert_array_equal(gradient, weights)
    assert enzyme.gradient(applied, cube, 2.0) == (None, 12.0)
    assert enzyme.gradient(applied, cube_kernel, 2.0) == (None, 12.0)
    assert enzyme.gradient(applied, enzyme.grad(cube), 2.0) == (None, 12.0)


@enzyme.jit
def of_two(f, g, x):
    return enzyme.grad(lambda t: f(t) * g(t) * x)(x)


def test_two_functions() -> None:
    # d/dt t^2 t x at t = x: 3 x^3
    def square(t):
        return t * t

    assert of_two(square, lambda t: t, 2.0) == 24.0
    assert enzyme.gradient(of_two, square, lambda t: t, 2.0) == (None, None, 36.0)


# functools.partial


def product(a, b, c=2.0):
    return a * b * b * c


@pytest.mark.parametrize(
    ("partial", "arguments", "gradient"),
    [
        (functools.partial(product, 2.0), (3.0, 4.0), (48.0, 18.0)),
        (functools.partial(product, 2.0), (3.0,), (24.0,)),
        (functools.partial(product, 2), (3.0,), (24.0,)),
        (functools.partial(product, c=1.5), (2.0, 3.0), (13.5, 18.0)),
        (functools.partial(product, b=3.0), (2.0,), (18.0,)),
        (functools.partial(functools.partial(product, 2.0), c=1.5), (3.0,), (18.0,)),
        (functools.partial(lambda f, x: f(x) * 2.0, cube), (2.0,), (24.0,)),
        (functools.partial(lambda f, x: f(x) * 2.0, root_of(1.0)), (2.0,), (8.0,)),
    ],
)
def test_partial(partial, arguments, gradient) -> None:
    assert enzyme.gradient(partial, *arguments) == gradient
    every = tuple(range(len(arguments)))
    assert enzyme.grad(partial, argnums=every)(*arguments) == gradient


def test_partial_sees_its_array_change() -> None:
    weights = np.array([1.0, 2.0])
    transform = enzyme.grad(functools.partial(lambda w, x: np.sum(w * x), weights))
    for first in (1.0, 5.0):
        weights[0] = first
        np.testing.assert_array_equal(transform(X), weights)


def test_partial_in_a_kernel() -> None:
    @enzyme.jit
    def caller(x, y):
        return enzyme.grad(functools.partial(lambda a, b, c: a * b * b * c, x, c=y))(3.0)

    assert enzyme.gradient(caller, 2.0, 5.0) == (30.0, 12.0)  # of 6 x y


def test_partial_that_leaves_a_hole_is_refused() -> None:
    with pytest.raises(UnsupportedTypeError, match="bind `b` by name"):
        enzyme.grad(functools.partial(lambda a, b: a * b, a=2.0))
    with pytest.raises(UnsupportedTypeError, match="does not have left"):
        enzyme.grad(functools.partial(product, d=2.0))


# What is callable, and no function


class Model:
    weight = 2.0

    def __call__(self, x):
        return self.weight * x

    def loss(self, x):
        return self.weight * x * x


def test_methods_and_callable_objects_as_arguments() -> None:
    assert applied(Model(), 3.0) == Model()(3.0)
    assert applied(Model().loss, 3.0) == Model().loss(3.0)
    assert enzyme.gradient(applied, Model().loss, 3.0)[1] == enzyme.gradient(applied, lambda x: 2.0 * x * x, 3.0)[1]


@pytest.mark.parametrize(
    ("f", "says"), [(np.vectorize(lambda x: x), "numba.vectorize"), (Model.__call__.__get__(Model), "staticmethod")]
)
def test_other_callables_are_refused(f, says) -> None:
    for call in (
        lambda: enzyme.grad(f),
        lambda: enzyme.gradient(f, 1.0),
        lambda: applied(f, 1.0),
        lambda: enzyme.gradient(applied, f, 1.0),
    ):
        with pytest.raises(UnsupportedTypeError) as caught:
            call()
        assert says in str(caught.value)
        assert caught.value.remedy
