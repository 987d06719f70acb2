"""What random kernels may call: plain jitted functions, compiled once for all kernels of a process."""

import math
from collections import namedtuple

import numba
import numpy as np
from numba import prange
from numba.typed import List as TypedList

import enzyme_py as enzyme

__all__ = [
    "GRID",
    "PACKED",
    "PACKED_OF_DOUBLES",
    "RECORD",
    "RECORD_OF_DOUBLES",
    "STEPS",
    "TABLE",
    "WHOLE",
    "Point",
    "TypedList",
    "advanced",
    "axes_summed",
    "branched",
    "changed",
    "changed_at",
    "chosen",
    "filled",
    "first_moved_back",
    "folded",
    "grown",
    "halved",
    "helper",
    "in_both",
    "in_shape",
    "in_turn",
    "items_summed",
    "joined",
    "kept_if",
    "math",
    "of_shape",
    "pair",
    "polynomial",
    "prange",
    "put_in_order",
    "repeated",
    "root",
    "row_by_row",
    "scaled",
    "smoothed",
    "sum_of_partials",
    "turned_round",
    "weighted",
    "woven",
]

Point = namedtuple("Point", "u v")  # noqa: PYI024  Numba knows these
RECORD = np.dtype([("u", float), ("count", np.int64), ("v", float, (2,)), ("w", np.float32)], align=True)
PACKED = np.dtype([("u", float), ("w", np.float32), ("v", float)])
# Of these, differences say what is right: those of float32 have no digits.
RECORD_OF_DOUBLES = np.dtype([("u", float), ("count", np.int64), ("v", float, (2,)), ("w", float)], align=True)
PACKED_OF_DOUBLES = np.dtype([("u", float), ("w", float), ("v", float)])

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


@enzyme.custom_vjp
def root(u):  # type: ignore[no-untyped-def]
    """Search a root by Newton's method; the adjoint is a rule."""
    r = u
    for _ in range(30):
        r = 0.5 * (r + u / r)
    return r


root.defvjp(lambda u: (math.sqrt(u), math.sqrt(u)), lambda r, by_root: (0.5 * by_root / r,))


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


@numba.njit
def folded(w, i):  # type: ignore[no-untyped-def]
    """Call itself, and use an item behind that."""
    if i >= w.size:
        return 0.75
    return np.sin(w[i]) * folded(w, i + 1) + 0.1 * w[i]


@numba.njit
def halved(w):  # type: ignore[no-untyped-def]
    """Call itself twice, with parts of an array."""
    if w.size < 2:
        return np.sum(w)
    middle = w.size // 2
    return np.tanh(halved(w[:middle]) * halved(w[middle:]) + 0.25 * w[middle])


@numba.njit
def branched(w, i):  # type: ignore[no-untyped-def]
    """Call itself twice, and multiply what comes of one by itself."""
    if i >= w.size:
        return 0.5
    left, right = branched(w, 2 * i + 1), branched(w, 2 * i + 2)
    return np.tanh(w[i] * left + right * right)


@numba.njit
def woven(out, w, i):  # type: ignore[no-untyped-def]
    """Call itself between two writes to its argument."""
    if i < w.size:
        out[i] = np.tanh(w[i])
        woven(out, w, i + 1)
        out[i] *= out[i - 1] + 0.5
    return out


@numba.njit
def chosen(w, places):  # type: ignore[no-untyped-def]
    """Ask a set of each place. (Numba's own loops over sets crash without LLVM's optimisation, as here.)"""
    total = 0.0
    for k, v in enumerate(w):
        if k in places:
            total += w[k - 1] * np.cos(v)
    return total


@numba.njit
def kept_if(u, numbers):  # type: ignore[no-untyped-def]
    """Ask a set."""
    return u * np.cos(u) if 2 in numbers else 0.5


@numba.njit
def partials(w):  # type: ignore[no-untyped-def]
    """Count while it yields."""
    product = 1.0
    for i in range(w.size):
        product *= np.cos(w[i])
        yield product


@numba.njit
def sum_of_partials(w):  # type: ignore[no-untyped-def]
    """Read a generator."""
    total = 0.0
    for i, v in enumerate(partials(w)):
        total += v * w[i]
    return total


@numba.njit
def weighted(items):  # type: ignore[no-untyped-def]
    """Read a list."""
    total = 0.0
    for i, v in enumerate(items):
        total += np.sin(v) * (i + 1)
    return total


@numba.njit
def grown(items, w):  # type: ignore[no-untyped-def]
    """Change a list of its caller's."""
    for v in w:
        items.append(np.tanh(items[-1] * v))
    items[0] *= 0.5
    return items[0] + items[-1]


@numba.njit
def changed(found, u):  # type: ignore[no-untyped-def]
    """Change a dict of its caller's."""
    found[1] = np.tanh(found[0]) * u + found.get(1, 0.0)
    found[2] = found.pop(1) * 0.5
    return found[2] * np.cos(found[0])


@numba.njit
def in_shape(y, shape):  # type: ignore[no-untyped-def]
    """Return an array in a shape that its caller gives."""
    return np.reshape(y, shape)


@numba.njit
def of_shape(shape, u):  # type: ignore[no-untyped-def]
    """Fill a new array of a shape that its caller gives."""
    out = np.empty(shape)
    for count, place in enumerate(np.ndindex(shape)):
        out[place] = u * np.cos(count)
    return out


@numba.njit
def first_moved_back(y):  # type: ignore[no-untyped-def]
    """Return a view with the first axis as the last one."""
    return np.moveaxis(y, 0, -1)


@numba.njit
def in_both(y, other):  # type: ignore[no-untyped-def]
    """Return two arrays of each of two."""
    return np.sin(y) * other, y - 0.5 * other


@numba.njit
def row_by_row(y):  # type: ignore[no-untyped-def]
    """Fill the rows of a new array, each of its own row and the one before."""
    out = np.zeros(y.shape)
    for i in range(len(y)):
        out[i] = np.sin(y[i]) + 0.25 * out[i - 1] * y[i - 1]
    return out


@numba.njit
def axes_summed(y):  # type: ignore[no-untyped-def]
    """Sum by the first axis, square, and sum the rest."""
    part = np.sum(y, axis=0)
    return np.sum(np.sin(part) * part)


@numba.njit
def items_summed(y):  # type: ignore[no-untyped-def]
    """Multiply each number by its count."""
    total = 0.0
    for count, item in enumerate(y.flat):
        total += np.sin(item) * (count % 3 + 1)
    return total


@numba.njit
def turned_round(point):  # type: ignore[no-untyped-def]
    """Return another named tuple."""
    return Point(point.v * 0.75, np.sin(point.u) + 0.25 * point.v)


@numba.njit
def in_turn(items, w):  # type: ignore[no-untyped-def]
    """Read a tuple of numbers by an index that only the run knows."""
    total = 0.0
    for i, v in enumerate(w):
        total += items[i % 3] * v
    return total


@numba.njit
def advanced(v, o):  # type: ignore[no-untyped-def]
    """Write the first element, and return the rest; or a part of another array."""
    for i in range(2):
        v[i] = v[i] * v[i + 1] + 0.1 * o[i]
    if v.size > 4:
        return v[1:]
    return o[1:]


@numba.njit
def changed_at(v, u, i):  # type: ignore[no-untyped-def]
    """Read two arrays, which may be one, and write one of them in between."""
    before = u[i] * v[i]
    for j in range(3):
        v[j] = v[j] * u[j + 1] if j != i else 0.5 * v[j]
        before += np.sin(u[j] * v[i])
    return before + u[i] * v[0]


@numba.njit
def put_in_order(v, u, i):  # type: ignore[no-untyped-def]
    """Return two arrays, that with the larger element first."""
    if v[i] < u[i]:
        return u, v
    return v, u


@numba.njit
def smoothed(v, t):  # type: ignore[no-untyped-def]
    """Replace all elements by means of what stands beside them, twice, by way of two buffers that change places."""
    old, new = v.copy(), np.empty(v.size)
    for _ in range(2):
        for i in range(v.size):
            new[i] = old[i] * old[i - 1] + 0.2 * t
        old, new = new, old
    v[:] = old
    return np.sum(new * old)
