"""What random kernels may call: plain jitted functions, compiled once for all kernels of a process."""

import math
from collections import namedtuple

import numba
import numpy as np
from numba.typed import List as TypedList

__all__ = [
    "GRID",
    "STEPS",
    "TABLE",
    "WHOLE",
    "Point",
    "TypedList",
    "filled",
    "helper",
    "joined",
    "math",
    "pair",
    "polynomial",
    "repeated",
    "scaled",
]

Point = namedtuple("Point", "u v")  # noqa: PYI024  Numba knows these

# What kernels capture; some of the numbers are zeros, and there are more than any n but of STEPS.
MOST = 40
TABLE = np.resize([0.0, -0.75, 0.5, 0.0, 1.0, -0.25, 0.125], MOST)
GRID = np.where(np.eye(MOST) > 0, 0.0, np.cos(np.add.outer(6.0 * np.arange(MOST), np.arange(MOST))))
STEPS = (0.0, 0.5, -1.0, 0.25, 0.0, 0.75)
WHOLE = np.array([2, 0, 5, 1, 3, 4, *range(MOST - 1, 5, -1)])


@numba.njit
def helper(u, v):  # type: ignore[no-untyped-def]
    """Branch on a number."""
    if u > 0.0456:
        return u * np.cos(v)
    return np.sin(u) + 0.5 * v


@numba.njit
def pair(u, w):  # type: ignore[no-untyped-def]
    """Return a tuple."""
    return u * 2.0, np.sum(w) * 0.25 + u


@numba.njit
def repeated(u, depth):  # type: ignore[no-untyped-def]
    """Call itself."""
    if depth == 0:
        return u
    return np.sin(repeated(u * 0.9, depth - 1))


@numba.njit
def polynomial(u, degree):  # type: ignore[no-untyped-def]
    """Return from the middle of a loop."""
    result = 0.25
    for power in range(degree + 5):
        if power == degree:
            return result
        result = result * np.tanh(u) + 0.5
    return 0.0


@numba.njit
def scaled(w, u):  # type: ignore[no-untyped-def]
    """Fill an array of its own."""
    out = np.empty(w.size)
    for i in range(w.size):
        out[i] = w[i] * u + 0.1
    return out


@numba.njit
def filled(out, w):  # type: ignore[no-untyped-def]
    """Write to its argument, and return it."""
    for i in range(w.size - 1):
        out[i] = w[i + 1] * 0.5
    return out


@numba.njit
def joined(w, u):  # type: ignore[no-untyped-def]
    """Make an array of a list's items."""
    items = [w[0]]
    for i in range(1, w.size):
        items.append(items[i - 1] * 0.5 + w[i] * u)
    return np.array(items)
