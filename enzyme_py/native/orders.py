"""The functions of rules/orders.py, compiled by Numba the first time that a derivative names them.

They are Numba's own algorithms, so that equal items come to stand where the primal has them.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba import carray, types
from numba.extending import register_jitable
from numba.np import arraymath, arrayobj

from enzyme_py.rules.orders import ORDER, SELECT

_sort_func = arrayobj.get_sort_func


def order_address(name: str) -> int:
    """The address of one of the functions."""
    return int(_compiled(name).address)


@functools.cache
def _compiled(name: str) -> Any:
    family, kind, of = name.split(".")
    item = getattr(types, of)
    values, order, size = types.CPointer(item), types.CPointer(types.int64), types.int64
    if family == ORDER:
        signature = types.void(values, size, order)
        function = _sorter(kind, arrayobj.lt_implementation(item))
    elif family == SELECT:
        signature = types.void(values, size, size, size, size, order)
        with_nan = arraymath.nan_aware_less_than
        function = _selector(with_nan if kind == "nan" else arraymath.less_than)
    else:
        signature = types.void(values, size, values, size, order)
        function = _SEARCHES[kind]
    return numba.cfunc(signature, error_model="numpy")(function)


def _sorter(kind: str, less_than: Callable[..., Any]) -> Callable[..., None]:
    ordered = _sort_func(kind, less_than, is_argsort=True)

    def sort(values, size, order):  # type: ignore[no-untyped-def]  # compiled by Numba
        found = ordered(carray(values, (size,)))
        result = carray(order, (size,))
        for i in range(size):
            result[i] = found[i]

    return sort


def _selector(less_than: Callable[..., Any]) -> Callable[..., None]:
    partition = register_jitable(arraymath._partition_factory(less_than, argpartition=True))
    selected = register_jitable(arraymath._select_factory(partition))

    def select(values, size, k, low, high, order):  # type: ignore[no-untyped-def]
        result = carray(order, (size,))
        for i in range(size):
            result[i] = i
        selected(carray(values, (size,)).copy(), k, low, high, result)

    return select


def _search_left(values, size, points, count, places):  # type: ignore[no-untyped-def]
    found = np.searchsorted(carray(values, (size,)), carray(points, (count,)), "left")
    result = carray(places, (count,))
    for i in range(count):
        result[i] = found[i]


def _search_right(values, size, points, count, places):  # type: ignore[no-untyped-def]
    found = np.searchsorted(carray(values, (size,)), carray(points, (count,)), "right")
    result = carray(places, (count,))
    for i in range(count):
        result[i] = found[i]


_SEARCHES = {"left": _search_left, "right": _search_right}
