"""One number out of whatever a kernel returns, so that every kernel has a gradient."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload


def total(result: Any) -> Any:
    """Return a weighted sum of v + v^2 / 2 over all numbers v of a result.

    Outside of compiled code a complex number is taken as the value of an analytic function.
    """
    flat = np.ravel(np.asarray(result))
    return sum(math.cos(1.7 * k + 0.3) * (v + 0.5 * v * v) for k, v in enumerate(flat))


def total_of_complex(result: Any) -> float:
    """Return the same for complex numbers, as `total` does it in compiled code."""
    flat = np.ravel(np.asarray(result))
    parts = ((k, v.real + 0.7 * v.imag) for k, v in enumerate(flat))
    return sum(math.cos(1.7 * k + 0.3) * (p + 0.5 * p * p) for k, p in parts)


def inner(left: Any, right: Any) -> float:
    """Return the real inner product of two numbers or arrays of one shape."""
    return float(np.sum(np.conj(left) * right).real)


@overload(total)
def _total(result: Any) -> Any:
    if isinstance(result, types.Array):
        if isinstance(result.dtype, types.Complex):

            def of_complex_array(result: Any) -> Any:
                value = 0.0
                k = 0
                for v in result.flat:
                    part = v.real + 0.7 * v.imag
                    value += math.cos(1.7 * k + 0.3) * (part + 0.5 * part * part)
                    k += 1
                return value

            return of_complex_array

        def of_array(result: Any) -> Any:
            value = 0.0
            k = 0
            for v in result.flat:
                value += math.cos(1.7 * k + 0.3) * (v + 0.5 * v * v)
                k += 1
            return value

        return of_array
    if isinstance(result, types.Complex):

        def of_complex(result: Any) -> Any:
            part = result.real + 0.7 * result.imag
            return math.cos(0.3) * (part + 0.5 * part * part)

        return of_complex
    if isinstance(result, types.Number | types.Boolean):

        def of_number(result: Any) -> Any:
            v = float(result)
            return math.cos(0.3) * (v + 0.5 * v * v)

        return of_number
    return None


@overload(inner)
def _inner(left: Any, right: Any) -> Any:
    def of_real_numbers(left: Any, right: Any) -> Any:
        return left * right

    def of_complex_numbers(left: Any, right: Any) -> Any:
        return left.real * right.real + left.imag * right.imag

    def of_real_arrays(left: Any, right: Any) -> Any:
        value = 0.0
        for a, b in zip(left.flat, right.flat):
            value += a * b
        return value

    def of_complex_arrays(left: Any, right: Any) -> Any:
        value = 0.0
        for a, b in zip(left.flat, right.flat):
            value += a.real * b.real + a.imag * b.imag
        return value

    is_array = isinstance(left, types.Array)
    if isinstance(left.dtype if is_array else left, types.Complex):
        return of_complex_arrays if is_array else of_complex_numbers
    return of_real_arrays if is_array else of_real_numbers
