"""The kernel of a solution that is defined by equations: its value by a solver, its slope by them.

With y = solver(x), residual(x, y) = 0, and C the inverse of the residual's slope by y, taken as a
constant, the step y - C residual(x, y) leaves the value as it is, and has the right first
derivative by x: -C d residual/dx. Each further step makes one more order right, because the error
of the step before is multiplied by I - C d residual/dy, which is zero at the solution. The solver
itself is not differentiated, and neither is any linear algebra.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba.core import types
from numba.extending import overload

from enzyme_py.foundations.keeping import kept_with_kernel, released
from enzyme_py.modes import Forward
from enzyme_py.transforms.jacobians.jacobian import Jacobian, jacobian_runner
from enzyme_py.transforms.plans.structures import defined
from enzyme_py.transforms.values.copies import copy_of
from enzyme_py.transforms.values.inverse import constant_inverse
from enzyme_py.transforms.values.stop import stop_gradient


@kept_with_kernel
def implicit_kernel(solver: Any, residual: Any, order: int, tolerance: float) -> Any:
    """Return the kernel with the solver's arguments and result, and the equations' derivatives."""
    slope = Jacobian(residual, Forward, argnums=(-1,), is_single=True, by_output=True)
    steps = [
        f"y_{i + 1} = y_{i} - corrections(inverse, residual(*arguments, y_{i}))"
        for i in range(order)
    ]
    text = "\n    ".join(
        [
            "def solution(*arguments):",
            "fixed = stop_gradient(arguments)",
            "y_0 = stop_gradient(solver(*copy_of(fixed)))",
            "inverse = constant_inverse(as_matrix(slope(*fixed, y_0), y_0))",
            "check(corrections(inverse, residual(*fixed, y_0)), y_0, tolerance)",
            *steps,
            f"return y_{order}",
        ]
    )
    scope = {
        "solver": solver,
        "residual": residual,
        "tolerance": tolerance,
        "slope": jacobian_runner(slope),
        "stop_gradient": stop_gradient,
        "copy_of": copy_of,
        "constant_inverse": constant_inverse,
        "as_matrix": _as_matrix,
        "corrections": _corrections,
        "check": _check,
    }
    solution = defined(text, "solution", scope)
    solution.__name__ = solution.__qualname__ = f"solution_of_{residual.py_func.__name__}"
    return released(numba.njit(solution))


def _as_matrix(slope: Any, y: Any) -> Any:
    raise RuntimeError


@overload(_as_matrix, strict=False)  # annotations would count as a difference
def _slope_as_matrix(slope: Any, y: Any) -> Callable[..., Any]:
    if isinstance(y, types.Array):
        return lambda slope, y: slope.reshape((y.size, y.size))
    return lambda slope, y: slope  # noqa: ARG005


def _corrections(inverse: Any, residuals: Any) -> Any:
    raise RuntimeError


@overload(_corrections, strict=False)
def _corrections_of(inverse: Any, residuals: Any) -> Callable[..., Any]:
    return _of_array if isinstance(residuals, types.Array) else _of_number


def _of_array(inverse, residuals):  # type: ignore[no-untyped-def]  # compiled by Numba
    flat = np.ascontiguousarray(residuals).reshape(residuals.size)
    return (inverse @ flat).reshape(residuals.shape)


def _of_number(inverse, residuals):  # type: ignore[no-untyped-def]
    return inverse * residuals


def _check(corrections: Any, y: Any, tolerance: Any) -> Any:
    raise RuntimeError


@overload(_check, strict=False)
def _check_solution(corrections: Any, y: Any, tolerance: Any) -> Callable[..., Any]:
    return _check_array if isinstance(y, types.Array) else _check_number


def _check_array(corrections, y, tolerance):  # type: ignore[no-untyped-def]
    largest = 0.0
    for value in y.flat:
        largest = max(largest, abs(value))
    for correction in corrections.flat:
        if not abs(correction) <= tolerance * (1.0 + largest):
            raise ValueError(
                "the solver of an implicit function returned no solution: a Newton step changes it"
            )


def _check_number(corrections, y, tolerance):  # type: ignore[no-untyped-def]
    if not abs(corrections) <= tolerance * (1.0 + abs(y)):
        raise ValueError(
            "the solver of an implicit function returned no solution: a Newton step changes it"
        )
