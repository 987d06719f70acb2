"""Sorting and selecting, as the copy of each item from its place: order first, then gather.

The order of numbers is a constant. Numba sorts and partitions by exchanging items in loops whose number of
turns nobody knows; Enzyme would keep every exchange, and refuses most of it. Here functions that it
does not look into (rules/orders.py) find the order, and what is differentiated is
`x[i] = copy[order[i]]`. They are the same algorithms, so equal items stay in the same places.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.typing import signature
from numba.extending import intrinsic, register_jitable
from numba.np import arraymath, arrayobj
from numba.np.arrayobj import make_array

from enzyme_py.rules.orders import ORDER, SELECT

_sort_func = arrayobj.get_sort_func
_SELECTING = (
    "_collect_percentiles_inner",
    "_select",
    "_select_w_nan",
    "_select_two",
    "_arg_select_w_nan",
)
_USUAL = {name: getattr(arraymath, name) for name in _SELECTING}
_POINTER = ir.IntType(8).as_pointer()
_SIZE = ir.IntType(64)


@contextlib.contextmanager
def gathered_sorts() -> Iterator[None]:
    """Within the block, what Numba compiles sorts and selects by this file."""
    arrayobj.get_sort_func = _get_sort_func
    for name, own in _OWN.items():
        setattr(arraymath, name, own)
    try:
        yield
    finally:
        arrayobj.get_sort_func = _sort_func
        for name, usual in _USUAL.items():
            setattr(arraymath, name, usual)


def _finder(family: str, kind: str) -> Any:
    """Return `find(values, numbers, order)`: the call of a function of rules/orders.py."""

    @intrinsic
    def find(typing_context, values, numbers, order):  # type: ignore[no-untyped-def]
        def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> Any:
            name = f"{family}.{kind}.{sig.args[0].dtype}"
            given, result = (make_array(sig.args[i])(context, builder, args[i]) for i in (0, 2))
            counts = [given.nitems, *cgutils.unpack_tuple(builder, args[1])]
            function = cgutils.get_or_insert_function(
                builder.module,
                ir.FunctionType(ir.VoidType(), [_POINTER, *[_SIZE] * len(counts), _POINTER]),
                name,
            )
            data, places = (builder.bitcast(one.data, _POINTER) for one in (given, result))
            builder.call(function, [data, *counts, places])
            return context.get_dummy_value()

        return signature(types.none, values, numbers, order), lower

    return find


@register_jitable
def _gather(values, old, order):  # type: ignore[no-untyped-def]  # compiled by Numba
    for i in range(order.size):
        values[i] = old[order[i]]


_find_with_nan = _finder(SELECT, "nan")


def _selector(find: Any) -> Any:
    def selected(values, k, low, high):  # type: ignore[no-untyped-def]
        old = values.copy()
        order = np.empty(old.size, np.int64)
        find(old, (k, low, high), order)
        _gather(values, old, order)

    return register_jitable(selected)


@register_jitable
def _selected_with_places(values, k, low, high, places):  # type: ignore[no-untyped-def]
    old = values.copy()
    order = np.empty(old.size, np.int64)
    _find_with_nan(old, (k, low, high), order)
    _gather(values, old, order)
    _gather(places, places.copy(), order)


_selected = _selector(_finder(SELECT, "plain"))
_selected_with_nan = _selector(_find_with_nan)


@register_jitable
def _select(arry, k, low, high, idx=None):  # type: ignore[no-untyped-def]  # Numba's names
    _selected(arry, k, low, high)
    return arry[k]


@register_jitable
def _select_w_nan(arry, k, low, high, idx=None):  # type: ignore[no-untyped-def]
    _selected_with_nan(arry, k, low, high)
    return arry[k]


@register_jitable
def _arg_select_w_nan(arry, k, low, high, idx=None):  # type: ignore[no-untyped-def]
    _selected_with_places(arry, k, low, high, idx)
    return arry[k]


@register_jitable
def _select_two(arry, k, low, high):  # type: ignore[no-untyped-def]
    _selected(arry, k, low, high)
    _selected(arry, k + 1, k + 1, high)
    return arry[k], arry[k + 1]


@register_jitable
def _collect_percentiles_inner(a, q):  # type: ignore[no-untyped-def]
    """Return percentiles of numbers without NaN; as Numba's, but it sorts once, and not for each."""
    n = len(a)
    found = np.sort(a)
    below = above = 0
    for i in range(n):
        below += found[i] == -np.inf
        above += found[i] == np.inf
    finite = n - below - above
    out = np.empty(len(q), np.float64)
    for i in range(len(q)):
        if n == 1:
            out[i] = found[0]
        elif q[i] == 100:
            out[i] = found[n - 1] if below < n and above == 0 else np.nan
        elif q[i] == 0:
            is_mixed = finite == 1 and above > 1 and below != 1
            is_lost = finite < n and (
                finite == 0 or (above == 1 and n == 2) or below > 1 or is_mixed
            )
            out[i] = np.nan if is_lost else found[0]
        else:
            rank = 1 + (n - 1) * np.true_divide(q[i], 100.0)
            first = math.floor(rank)
            part = rank - first
            k = int(first - 1)
            out[i] = found[k] * (1 - part) + found[k + 1] * part
    return out


_OWN = {
    "_collect_percentiles_inner": _collect_percentiles_inner,
    "_select": _select,
    "_select_w_nan": _select_w_nan,
    "_select_two": _select_two,
    "_arg_select_w_nan": _arg_select_w_nan,
}


def _get_sort_func(kind: str, lt_impl: Any, is_argsort: bool = False) -> Any:
    """Return the function that sorts, or orders, an array."""
    kind = "mergesort" if kind == "stable" else kind
    key = (kind, lt_impl.__name__, is_argsort)
    if key not in _made:
        _made[key] = _sorter(kind, is_argsort)
    return _made[key]


_made: dict[tuple[str, str, bool], Any] = {}


def _sorter(kind: str, is_argsort: bool) -> Any:
    find = _finder(ORDER, kind)

    def order_of(values):  # type: ignore[no-untyped-def]
        order = np.empty(values.size, np.intp)
        find(values.copy(), (), order)
        return order

    def sort(values):  # type: ignore[no-untyped-def]
        if values.ndim == 1:
            _sort_row(values)
        else:
            for index in np.ndindex(values.shape[:-1]):
                _sort_row(values[index])

    @register_jitable
    def _sort_row(values):  # type: ignore[no-untyped-def]
        old = values.copy()
        order = np.empty(old.size, np.intp)
        find(old, (), order)
        _gather(values, old, order)

    return register_jitable(order_of if is_argsort else sort)
