"""lse: the logarithm of a sum of exponentials."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

import enzyme_py as enzyme

from .evaluation import Evaluation, warmed


@numba.njit(fastmath=True)
def log_sum_exp(x):
    largest = np.max(x)
    total = 0.0
    for value in x:
        total += np.exp(value - largest)
    return np.log(total) + largest


_gradient = enzyme.grad(log_sum_exp)


def _primal(given: dict[str, Any]) -> Evaluation:
    x = np.array(given["x"])
    return Evaluation(lambda: log_sum_exp(x))


def _derivative(given: dict[str, Any]) -> Evaluation:
    x = np.array(given["x"])
    return Evaluation(lambda: _gradient(x), np.ndarray.tolist)


FUNCTIONS = {"primal": _primal, "gradient": _derivative}


def warm_up() -> None:
    """Compile."""
    warmed(FUNCTIONS, {"x": [0.5, 1.0]})
