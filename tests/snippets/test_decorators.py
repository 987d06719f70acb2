"""Functions around others, made by decorators with functools.wraps: the outer one is differentiated.

functools.wraps copies attributes. Around a jitted function these were a dispatcher's, and Numba's dispatcher takes over what its
function has: the derivative was that of the function within, without a word.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numba
import pytest

import enzyme_py as enzyme
from enzyme_py.frontend.functions.kernels import as_kernel


def tripled(f: Any) -> Any:
    @functools.wraps(f)
    def wrapper(x):
        return 3.0 * f(x)

    return wrapper


def square(x):
    return x * x


@enzyme.custom_vjp
def ruled(x):
    return x * x


ruled.defvjp(lambda x: (ruled(x), x), lambda x, c: (2.0 * x * c,))
WITHIN: dict[str, Callable[[], Any]] = {
    "a plain function": lambda: square,
    "enzyme.jit": lambda: enzyme.jit(square),
    "numba.njit": lambda: numba.njit(square),
    "an integral's derivative": lambda: enzyme.grad(lambda x: x**3 / 3.0),
    "custom_vjp": lambda: ruled,
    "partials": lambda: enzyme.rules.partials(lambda x: x * x, lambda x: 2.0 * x),
    "a decorated one": lambda: tripled(enzyme.jit(lambda x: x * x / 3.0)),
}


@pytest.mark.parametrize("name", WITHIN)
@pytest.mark.parametrize("called_before", [False, True])
def test_the_outer_function_counts(name: str, called_before: bool) -> None:
    """3 x^2 has the slope 6 x."""
    within = WITHIN[name]()
    if called_before:
        within(1.0)
        enzyme.gradient(within, 1.0)
    outer = tripled(within)
    assert outer(3.0) == pytest.approx(27.0, rel=1e-15)
    for _ in range(2):
        assert enzyme.gradient(outer, 3.0)[0] == pytest.approx(18.0, rel=1e-15)
    assert enzyme.grad(outer)(3.0) == pytest.approx(18.0, rel=1e-15)
    assert enzyme.value_and_grad(outer)(3.0) == pytest.approx((27.0, 18.0), rel=1e-15)
    assert enzyme.jvp(outer, (3.0,), (1.0,)) == pytest.approx((27.0, 18.0), rel=1e-15)
    assert enzyme.grad(lambda x: outer(x))(3.0) == pytest.approx(18.0, rel=1e-15)
    assert enzyme.jit(outer)(3.0) == pytest.approx(27.0, rel=1e-15)
    assert enzyme.grad(enzyme.jit(outer))(3.0) == pytest.approx(18.0, rel=1e-15)
    assert enzyme.grad(tripled(outer))(3.0) == pytest.approx(54.0, rel=1e-15)
    assert enzyme.gradient(within, 3.0)[0] == pytest.approx(6.0, rel=1e-15)  # as before


def test_the_cause() -> None:
    """Numba takes over the attributes of the function, those of a dispatcher too."""
    within = numba.njit(square)
    outer = tripled(within)
    assert "py_func" in outer.__dict__
    assert numba.njit(outer).py_func is square
    assert as_kernel(outer).py_func.__code__ is outer.__code__


def test_names_and_defaults_are_those_of_the_outer_function() -> None:
    @enzyme.jit
    def within(x):
        return x

    @functools.wraps(within)
    def outer(x, k=2.0, *, power=2):
        return k * within(x) ** power

    assert enzyme.gradient(outer, 3.0)[0] == 12.0
    assert enzyme.grad(outer)(3.0, 5.0) == 30.0
    assert enzyme.grad(outer)(3.0, power=3) == 54.0
    assert list(inspect.signature(as_kernel(outer).py_func).parameters) == ["x", "k", "power"]
    enzyme.testing.check_grads(outer, (3.0, 2.0))
