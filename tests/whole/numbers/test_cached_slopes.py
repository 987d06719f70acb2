"""Reverse mode keeps the slopes of exp, sin, tanh and their like, and calls none of them again."""

from __future__ import annotations

import re

import numba
import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py import (
    Active,
    BatchDuplicated,
    Const,
    Duplicated,
    Reverse,
    ReverseSplitWithPrimal,
    inspect,
)

SLOPES = {
    "exp": np.exp,
    "exp2": lambda x: np.log(2.0) * np.exp2(x),
    "expm1": np.exp,
    "sin": np.cos,
    "cos": lambda x: -np.sin(x),
    "tan": lambda x: 1 / np.cos(x) ** 2,
    "sinh": np.cosh,
    "cosh": np.sinh,
    "tanh": lambda x: 1 / np.cosh(x) ** 2,
}

# Two terms of about 1 may nearly cancel.
TERMS = {"rtol": 1e-14, "atol": 1e-15}


def total_of(name):
    function = getattr(np, name)

    @numba.njit
    def total(x):
        result = x.dtype.type(0)
        for i in range(x.size):
            result += function(x[i])
        return result

    return total


@numba.njit
def mixed(x, w):
    result = 0.0
    for i in range(x.size):
        result += w[i] * np.exp(np.sin(x[i])) * np.tanh(x[i])
    return result


def mixed_slopes(x, w):
    inner = np.exp(np.sin(x))
    by_x = w * inner * (np.cos(x) * np.tanh(x) + 1 / np.cosh(x) ** 2)
    return by_x, inner * np.tanh(x)


@pytest.fixture
def x():
    return np.random.default_rng(11).uniform(-1.2, 1.2, 17)


@pytest.fixture
def w():
    return np.random.default_rng(12).normal(size=17)


@pytest.mark.parametrize("name", SLOPES)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_value_and_slope(name, dtype, x):
    kernel, x = total_of(name), x.astype(dtype)
    value, found = enzyme.value_and_grad(kernel)(x)
    assert value == kernel(x)
    precision = 1e-14 if dtype is np.float64 else 1e-5
    np.testing.assert_allclose(found, SLOPES[name](x.astype(float)), rtol=precision)
    assert "enzyme_py_slope" in inspect.ir(kernel, x)


def test_nothing_is_called_again(x, w):
    pattern = r"call [^@\n]*@(?:llvm\.exp\.|llvm\.sin\.|llvm\.cos\.|tanh)"
    kept = inspect.ir(mixed, x, w)
    assert not re.search(pattern, kept)
    assert len(re.findall(r"call [^@\n]*@enzyme_py_slope\.kept", kept)) == 4  # cos with sin
    with enzyme.config(keep_slopes=False):
        assert re.search(pattern, inspect.ir(mixed, x, w))


def test_constants_stay_constant(x, w):
    by_x, by_w = mixed_slopes(x, w)
    np.testing.assert_allclose(enzyme.grad(mixed, argnums=(0, 1))(x, w), (by_x, by_w), **TERMS)
    found = np.zeros_like(w)
    enzyme.autodiff(Reverse, mixed, Active, Const(x), Duplicated(w, found))
    np.testing.assert_allclose(found, by_w, rtol=1e-14)


def test_several_directions_and_halves(x, w):
    by_x, _ = mixed_slopes(x, w)
    shadows = np.zeros_like(x), np.ones_like(x)
    enzyme.autodiff(Reverse, mixed, Active, BatchDuplicated(x, shadows), Const(w))
    np.testing.assert_allclose(shadows, (by_x, 1 + by_x), **TERMS)
    forward, reverse = enzyme.autodiff_thunk(ReverseSplitWithPrimal, mixed, Duplicated, Const)
    found = np.zeros_like(x)
    tape, value, _ = forward(Duplicated(x, found), Const(w))
    assert value == mixed(x, w)
    reverse(Duplicated(x, found), Const(w), 2.0, tape)
    np.testing.assert_allclose(found, 2 * by_x, **TERMS)


def test_second_derivatives_are_whole():
    """Where something is differentiated twice a slope has a derivative."""

    @numba.njit
    def f(x):
        return np.exp(2.0 * x) + np.sin(3.0 * x) * np.tanh(x)

    def second(x):
        t = np.tanh(x)
        s = 1 - t * t
        mixed = -9 * np.sin(3 * x) * t + 6 * np.cos(3 * x) * s - 2 * np.sin(3 * x) * t * s
        return 4 * np.exp(2 * x) + mixed

    assert enzyme.grad(enzyme.grad(f))(0.7) == pytest.approx(second(0.7), rel=1e-14)
    assert enzyme.hessian(f)(0.7) == pytest.approx(second(0.7), rel=1e-14)


def test_what_is_not_taken_adds_nothing():
    @numba.njit
    def clipped(x):
        return np.sum(np.where(x > 700.0, 3.0 * x, np.exp(x)))

    found = enzyme.grad(clipped)(np.array([0.5, 1000.0, np.inf]))
    np.testing.assert_allclose(found, [np.exp(0.5), 3.0, 3.0], rtol=1e-14)


def test_complex_numbers():
    @numba.njit
    def squared(z):
        return np.abs(np.exp(z) * np.sin(z)) ** 2

    z = 0.4 + 0.3j
    w, slope = np.exp(z) * np.sin(z), np.exp(z) * (np.sin(z) + np.cos(z))
    found = enzyme.grad(squared)(z)
    expected = 2 * w * np.conj(slope)  # by the real part, and i times by the imaginary one
    assert abs(found) == pytest.approx(abs(expected), rel=1e-13)
    step = 1e-6
    by_real = (squared(z + step) - squared(z - step)) / (2 * step)
    assert found.real == pytest.approx(by_real, rel=1e-8)
    assert found.real == pytest.approx(expected.real, rel=1e-13)


def test_loops_of_unknown_length():
    @numba.njit
    def relaxed(x):
        steps = 0
        while x > 0.5:
            x = np.tanh(np.sin(x))
            steps += 1
        return x

    x, slope = 1.3, 1.0
    while x > 0.5:
        inner = np.sin(x)
        slope *= np.cos(x) / np.cosh(inner) ** 2
        x = np.tanh(inner)
    assert enzyme.grad(relaxed)(1.3) == pytest.approx(slope, rel=1e-14)
