"""llsq: least squares of a polynomial against the sign, at n points of [-1, 1]."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

import enzyme_py as enzyme

from .evaluation import Evaluation, warmed


@numba.njit
def half_squares(x, n):
    total = 0.0
    for i in range(n):
        t = -1.0 + i * 2.0 / (n - 1.0)
        residual = float((t > 0.0) - (t < 0.0))
        power = 1.0
        for coefficient in x:
            residual -= coefficient * power
            power *= t
        total += residual * residual
    return total / 2.0


_gradient = enzyme.grad(half_squares)


def _primal(given: dict[str, Any]) -> Evaluation:
    x, n = np.array(given["x"]), int(given["n"])
    return Evaluation(lambda: half_squares(x, n))


def _derivative(given: dict[str, Any]) -> Evaluation:
    x, n = np.array(given["x"]), int(given["n"])
    return Evaluation(lambda: _gradient(x, n), np.ndarray.tolist)


FUNCTIONS = {"primal": _primal, "gradient": _derivative}


def warm_up() -> None:
    """Compile."""
    warmed(FUNCTIONS, {"x": [0.5, 1.0], "n": 3})
