"""Rules that ask for a derivative themselves, differentiated again: `remat`, `checkpoint`, a backward pass with `grad` in it.

Strong zero takes the slope of what multiplies a zero; the rules of functions that overflow have such a zero (rules/numbers/far_out.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import enzyme_py as enzyme
from enzyme_py import Forward, Reverse

X = 0.5
T = np.tanh(X)
S = 1.0 / (1.0 + np.exp(-X))
# Functions, and their first three derivatives at X.
FUNCTIONS: dict[str, tuple[Callable[[float], float], tuple[float, float, float]]] = {
    "tanh": (lambda t: np.tanh(t), (1 - T * T, -2 * T * (1 - T * T), (6 * T * T - 2) * (1 - T * T))),
    "logistic": (lambda t: 1.0 / (1.0 + np.exp(-t)), (S * (1 - S), S * (1 - S) * (1 - 2 * S), S * (1 - S) * (1 - 6 * S * (1 - S)))),
    "cbrt": (lambda t: np.cbrt(t), (X ** (-2 / 3) / 3, -2 * X ** (-5 / 3) / 9, 10 * X ** (-8 / 3) / 27)),
    # Zero times what is differentiated once more: half of the second derivative is that of the zero.
    "a residual that vanishes": (lambda t: (t * t - 0.25) ** 2, (0.0, 2.0, 12.0)),
}


def again(f: Any) -> Any:
    return enzyme.remat(f)


def in_steps(f: Any) -> Any:
    return lambda x: enzyme.checkpoint(lambda u, _: f(u), x, 1)


def backward_by_a_derivative(f: Any) -> Any:
    @enzyme.custom_vjp
    def own(x):
        return f(x)

    own.defvjp(lambda x: (f(x), x), lambda x, adjoint: (adjoint * enzyme.grad(lambda t: f(t))(x),))
    return lambda x: own(x)


CASES = [*((again, name) for name in FUNCTIONS), (in_steps, "tanh"), (backward_by_a_derivative, "logistic")]


@pytest.mark.parametrize(("made", "name"), CASES, ids=lambda one: getattr(one, "__name__", one))
def test_second_orders(made: Callable[[Any], Any], name: str) -> None:
    plain, (first, second, _) = FUNCTIONS[name]
    f = made(plain)
    assert enzyme.grad(f)(X) == pytest.approx(first, rel=1e-13, abs=1e-15)
    found = [enzyme.hvp(f, X, 1.0, outer=Forward, inner=Reverse), enzyme.grad(enzyme.grad(f))(X)]
    if made is again:
        found += [enzyme.grad(lambda x: enzyme.jvp(f, (x,), (1.0,))[1])(X), enzyme.hvp(f, X, 1.0, outer=Forward, inner=Forward)]
    np.testing.assert_allclose(found, second, rtol=1e-12)


@pytest.mark.parametrize("name", ["tanh", "a residual that vanishes"])
def test_third_orders(name: str) -> None:
    plain, (_, _, third) = FUNCTIONS[name]
    f = again(plain)
    assert enzyme.jvp(lambda x: enzyme.hvp(f, x, 1.0), (X,), (1.0,))[1] == pytest.approx(third, rel=1e-12)


def test_matrices() -> None:
    """Three layers, each made again: the Hessian by the weights is that of layers that are kept."""
    random = np.random.default_rng(0)
    w, v, x = random.normal(size=(3, 3)), random.normal(size=(3, 3)), random.normal(size=3)

    def layer(w, x):
        return np.tanh(w @ x)

    def deep(w, x, layer):
        for _ in range(3):
            x = layer(w, x)
        return np.sum(x * x)

    kept = enzyme.hvp(lambda w, x: deep(w, x, layer), w, v, x)
    for outer in (Forward, Reverse):
        made_again = enzyme.hvp(lambda w, x: deep(w, x, enzyme.remat(layer)), w, v, x, outer=outer)
        np.testing.assert_allclose(made_again, kept, rtol=1e-11)
