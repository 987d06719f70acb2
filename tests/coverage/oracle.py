"""Slopes without automatic differentiation: a complex step, or extrapolated differences.

A complex step is exact to rounding, but only for kernels that are analytic and that NumPy runs on
complex numbers; it is believed where the differences confirm it. The differences are Ridders':
central, with shrinking steps, extrapolated, and with an estimate of their own error.
"""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

STEP, SHRINK, ROUNDS = 4e-3, 1.6, 9
IMAGINARY = 1e-40


@dataclass(frozen=True)
class Slope:
    """A number and the error that is allowed to whoever is compared with it."""

    value: float
    error: float
    exact: bool


def differences(f: Callable[[float], float], step: float = STEP) -> Slope:
    """Return the slope of f at 0."""
    table: list[list[float]] = []
    best = Slope(float("nan"), float("inf"), exact=False)
    for _ in range(ROUNDS):
        row = [(f(step) - f(-step)) / (2 * step)]
        factor = SHRINK**2
        for older in table[-1] if table else ():
            row.append(row[-1] + (row[-1] - older) / (factor - 1))
            factor *= SHRINK**2
            error = max(abs(row[-1] - row[-2]), abs(row[-1] - older))
            if error <= best.error:
                best = Slope(row[-1], error, exact=False)
        table.append(row)
        step /= SHRINK
    return best


def slope(along: Callable[[Any], Any], *, is_analytic: bool) -> Slope:
    """Return the slope at 0 of a function of a real step, which may take an imaginary one."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        found = differences(lambda t: float(np.real(along(t))))
        if is_analytic:
            with contextlib.suppress(Exception):
                exact = float(np.imag(along(1j * IMAGINARY)) / IMAGINARY)
                if abs(exact - found.value) <= 1e-6 * (1.0 + abs(exact)) + 10 * found.error:
                    return Slope(exact, 1e-13 * (1.0 + abs(exact)), exact=True)
    return found
