"""Perturbation confusion: derivatives of functions that capture what is differentiated outside.

The cases are those of the literature on nested AD (Siskind and Pearlmutter, "Nesting forward-mode AD
in a functional framework"; Manzyuk et al., "Perturbation confusion in forward automatic
differentiation of higher-order functions") and their relatives over vectors. Answers are by hand.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import enzyme_py as enzyme


def reverse(f, x):
    return enzyme.gradient(enzyme.Reverse, f, x)[0]


def forward(f, x):
    return enzyme.jvp(f, (x,), (1.0,))[1]


NESTS = [(outer, inner) for outer in (forward, reverse) for inner in (forward, reverse)]
IDS = ["FF", "FR", "RF", "RR"]
nested = pytest.mark.parametrize(("outer", "inner"), NESTS, ids=IDS)
X = 0.7


@nested
def test_sum(outer, inner) -> None:
    # x * d/dy (x + y) = x
    def f(x):
        return x * inner(lambda y: x + y, 1.0)

    assert outer(f, 1.0) == 1.0
    assert outer(f, X) == 1.0


@nested
def test_both_variables_at_one_point(outer, inner) -> None:
    # d/dy sin(x y) at y = x is x cos(x^2)
    def f(x):
        return inner(lambda y: np.sin(x * y), x)

    exact = math.cos(X**2) - 2 * X**2 * math.sin(X**2)
    assert outer(f, X) == pytest.approx(exact, rel=1e-14)


@nested
def test_three_deep(outer, inner) -> None:
    # d/dz x y z^2 = 4 x y at z = 2; d/dy 4 x y^2 = 24 x at y = 3; d/dx 24 x^2 = 48 x
    def f(x):
        return x * inner(lambda y: y * outer(lambda z: x * y * z * z, 2.0), 3.0)

    assert outer(f, 1.5) == 72.0


@nested
def test_function_that_returns_a_function(outer, inner) -> None:
    # Manzyuk's case: d/dx of the function y -> d/dz (x y z), with another derivative in between
    def shifted(x):
        return lambda g: lambda y: g(x + y)

    def f(x):
        return inner(shifted(x)(np.sin), 0.3) * x  # x cos(x + 0.3)

    assert outer(f, X) == pytest.approx(math.cos(X + 0.3) - X * math.sin(X + 0.3), rel=1e-14)


W = np.array([0.5, -1.0, 2.0])
V = np.array([1.5, 0.25, -0.75])


def vector_forward(f, w):
    return enzyme.jvp(f, (w,), (np.ones(w.size),))[1]


def vector_reverse(f, w):
    return np.sum(enzyme.gradient(f, w)[0])


VECTOR_NESTS = [
    (outer, inner)
    for outer in (vector_forward, vector_reverse)
    for inner in (vector_forward, vector_reverse)
]


@pytest.mark.parametrize(("outer", "inner"), VECTOR_NESTS, ids=IDS)
def test_vectors(outer, inner) -> None:
    # Along ones, d/dv sum(w * w * v) is sum(w^2) at any v; along ones by w that is 2 sum(w).
    def f(w):
        return inner(lambda v: np.sum(w * w * v), V)

    assert outer(f, W) == pytest.approx(2 * W.sum(), rel=1e-14)


@pytest.mark.parametrize(("outer", "inner"), VECTOR_NESTS, ids=IDS)
def test_vectors_at_one_point(outer, inner) -> None:
    # f(w) = sum over i of d/dv_i sum(w v^3) at v = w: 3 sum(w^3), by w along ones 9 sum(w^2)
    def f(w):
        return inner(lambda v: np.sum(w * v**3), w)

    assert outer(f, W) == pytest.approx(9 * np.sum(W**2), rel=1e-13)


@pytest.mark.parametrize("outer", [vector_forward, vector_reverse])
@pytest.mark.parametrize("inner", [forward, reverse])
def test_vector_around_scalar(outer, inner) -> None:
    # d/dt sum(sin(t w)) at t = 1 is sum(w cos w)
    def f(w):
        return inner(lambda t: np.sum(np.sin(t * w)), 1.0)

    assert outer(f, W) == pytest.approx(np.sum(np.cos(W) - W * np.sin(W)), rel=1e-13)


@pytest.mark.parametrize("outer", [forward, reverse])
@pytest.mark.parametrize("inner", [vector_forward, vector_reverse])
def test_scalar_around_vector(outer, inner) -> None:
    # the sum of d/dv sum(exp(x v)) is x sum(exp(x v))
    def f(x):
        return inner(lambda v: np.sum(np.exp(x * v)), V)

    exact = np.sum(np.exp(X * V) * (1 + X * V))
    assert outer(f, X) == pytest.approx(exact, rel=1e-14)
