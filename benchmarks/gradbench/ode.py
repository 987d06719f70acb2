"""ode: y' = f(x, y) on [0, 2] by s steps of Runge-Kutta; the derivative is that of the last component."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

import enzyme_py as enzyme

from .evaluation import Evaluation, warmed

END = 2.0


@numba.njit
def slope(x, y, out):
    out[0] = x[0]
    for i in range(1, x.size):
        out[i] = x[i] * y[i - 1]


@numba.njit
def solution(x, steps):
    n = x.size
    h = END / steps
    y = np.zeros(n)
    k1, k2, k3, k4 = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    between = np.empty(n)
    for _ in range(steps):
        slope(x, y, k1)
        for i in range(n):
            between[i] = y[i] + h * k1[i] / 2.0
        slope(x, between, k2)
        for i in range(n):
            between[i] = y[i] + h * k2[i] / 2.0
        slope(x, between, k3)
        for i in range(n):
            between[i] = y[i] + h * k3[i]
        slope(x, between, k4)
        for i in range(n):
            y[i] += h * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]) / 6.0
    return y


@numba.njit
def last_component(x, steps):
    return solution(x, steps)[-1]


_gradient = enzyme.grad(last_component)


def _primal(given: dict[str, Any]) -> Evaluation:
    x, steps = np.array(given["x"]), int(given["s"])
    return Evaluation(lambda: solution(x, steps), np.ndarray.tolist)


def _derivative(given: dict[str, Any]) -> Evaluation:
    x, steps = np.array(given["x"]), int(given["s"])
    return Evaluation(lambda: _gradient(x, steps), np.ndarray.tolist)


FUNCTIONS = {"primal": _primal, "gradient": _derivative}


def warm_up() -> None:
    """Compile."""
    warmed(FUNCTIONS, {"x": [0.5, 1.0], "s": 2})
