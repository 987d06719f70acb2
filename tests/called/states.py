"""Objects that hold an array, a number and a count, and a function of each that changes all three."""

from __future__ import annotations

import numba
import numpy as np
from numba.experimental import jitclass, structref


@jitclass([("a", numba.float64[:]), ("v", numba.float64), ("n", numba.int64)])
class Kept:
    """A class of Numba's."""

    def __init__(self, a, v, n):
        self.a = a
        self.v = v
        self.n = n

    def grow(self, p):
        self.v = self.v * 0.9 + 0.1 * p
        self.a[self.n % self.a.size] += 0.1 * self.v
        return self.v * self.a[0]


@structref.register
class _FieldsType(numba.types.StructRef):
    def preprocess_fields(self, fields):
        return tuple((name, numba.types.unliteral(type_)) for name, type_ in fields)


class Fields(structref.StructRefProxy):
    """A record that is known by its address."""


structref.define_proxy(Fields, _FieldsType, ["a", "v", "n"])


@numba.njit
def grow(o, p):
    """Change a record as `Kept.grow` does."""
    o.v = o.v * 0.9 + 0.1 * p
    o.a[o.n % o.a.size] += 0.1 * o.v
    return o.v * o.a[0]


@numba.njit
def grow_items(o, p):
    """Change three lists or dicts of one item."""
    o[1][0] = o[1][0] * 0.9 + 0.1 * p
    o[0][0][o[2][0] % o[0][0].size] += 0.1 * o[1][0]
    return o[1][0] * o[0][0][0]


@numba.njit
def view(a):
    """Return an array of any layout: what an object holds has one type."""
    return a[::-1][::-1]


NAMES = {"np": np, "Kept": Kept, "Fields": Fields, "grow": grow, "grow_items": grow_items, "view": view}
