"""np.tile, which Numba does not have: for plain njit code and for kernels alike.

    np.tile(array, repetitions)      repetitions: an integer, or a tuple of integers

The result is filled row by row, a row being a run along the last axis, so that the inner loop copies
neighbours.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba.core import types
from numba.cpython.unsafe.tuple import tuple_setitem
from numba.extending import overload


def tile(A: Any, reps: Any) -> Callable[..., Any] | None:  # noqa: N803 - named as NumPy has it
    """Numba's overload of np.tile."""
    if not isinstance(A, types.Array) or A.ndim == 0:
        return None
    if isinstance(reps, types.Integer):

        def of_integer(A, reps):  # type: ignore[no-untyped-def]  # noqa: N803
            return np.tile(A, (reps,))

        return of_integer
    if not isinstance(reps, types.UniTuple) or not isinstance(reps.dtype, types.Integer):
        return None
    return _of_tuple(A.ndim, reps.count)


def _of_tuple(ndim: int, count: int) -> Callable[..., Any]:
    """Return the code for an array and a tuple of given lengths."""
    total = max(ndim, count)
    ones = (1,) * total
    new_axes, new_counts = total - ndim, total - count

    def of_tuple(A, reps):  # type: ignore[no-untyped-def]  # noqa: N803
        inside = counts = shape = ones
        for axis in range(ndim):
            inside = tuple_setitem(inside, new_axes + axis, A.shape[axis])
        for axis in range(count):
            counts = tuple_setitem(counts, new_counts + axis, reps[axis])
        for axis in range(total):
            shape = tuple_setitem(shape, axis, inside[axis] * counts[axis])
        source = np.ascontiguousarray(A).reshape(A.size)
        result = np.empty(shape, A.dtype)
        flat = result.reshape(result.size)
        width = inside[total - 1]
        rows = result.size // (width * counts[total - 1]) if result.size > 0 else 0
        place = 0
        for row in range(rows):
            rest, start, step = row, 0, width
            for back in range(total - 1):
                axis = total - 2 - back
                start += rest % shape[axis] % inside[axis] * step
                rest //= shape[axis]
                step *= inside[axis]
            for _ in range(counts[total - 1]):
                for column in range(width):
                    flat[place + column] = source[start + column]
                place += width
        return result

    return of_tuple


# Numba compares the signature with that of the code returned, and annotations are part of it.
tile.__annotations__.clear()
overload(np.tile)(tile)
