"""np.unique, np.isin and the operations of sets: a choice of items by a mask, from an array in order.

Numba walks two arrays at once, by lists and nested loops, which Enzyme refuses or crashes on. Of an item that
both sets have, the one of the first set is taken, with its derivative.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload, register_jitable

TARGET = "enzyme"


@register_jitable(forceinline=True)
def _distinct(values):  # type: ignore[no-untyped-def]  # compiled by Numba
    """Return the items in order, each once."""
    found = np.sort(values.ravel())
    is_new = np.ones(found.size, np.bool_)
    for i in range(1, found.size):
        is_new[i] = found[i] != found[i - 1]
    return found[is_new]


@register_jitable(forceinline=True)
def _is_among(values, others):  # type: ignore[no-untyped-def]
    """Tell of each item of a vector whether it is among others, which are in order."""
    places = np.searchsorted(others, values)
    found = np.zeros(values.size, np.bool_)
    for i in range(values.size):
        if places[i] < others.size:
            found[i] = others[places[i]] == values[i]
    return found


def _distinct_of(ar):  # type: ignore[no-untyped-def]  # NumPy's name
    return _distinct(ar)


def _are_numbers(*kinds: Any) -> bool:
    numbers = types.Float | types.Integer
    return all(isinstance(one, types.Array) and isinstance(one.dtype, numbers) for one in kinds)


def _is_false(given: Any) -> bool:
    return given is False or getattr(given, "value", None) is False


@overload(np.unique, target=TARGET, strict=False)  # annotations would count as a difference
def _unique(ar: Any) -> Callable[..., Any] | None:
    return _distinct_of if _are_numbers(ar) else None


@overload(np.intersect1d, target=TARGET, strict=False)
def _intersect1d(ar1: Any, ar2: Any, assume_unique: Any = False) -> Callable[..., Any] | None:
    if not _are_numbers(ar1, ar2) or not _is_false(assume_unique):
        return None

    def intersect1d(ar1, ar2, assume_unique=False):  # type: ignore[no-untyped-def]
        first = _distinct(ar1)
        return first[_is_among(first, _distinct(ar2))]

    return intersect1d


@overload(np.setdiff1d, target=TARGET, strict=False)
def _setdiff1d(ar1: Any, ar2: Any, assume_unique: Any = False) -> Callable[..., Any] | None:
    if not _are_numbers(ar1, ar2) or not _is_false(assume_unique):
        return None

    def setdiff1d(ar1, ar2, assume_unique=False):  # type: ignore[no-untyped-def]
        first = _distinct(ar1)
        return first[~_is_among(first, _distinct(ar2))]

    return setdiff1d


@overload(np.setxor1d, target=TARGET, strict=False)
def _setxor1d(ar1: Any, ar2: Any, assume_unique: Any = False) -> Callable[..., Any] | None:
    if not _are_numbers(ar1, ar2) or not _is_false(assume_unique):
        return None

    def setxor1d(ar1, ar2, assume_unique=False):  # type: ignore[no-untyped-def]
        first, second = _distinct(ar1), _distinct(ar2)
        left = first[~_is_among(first, second)]
        right = second[~_is_among(second, first)]
        return np.sort(np.concatenate((left, right)))

    return setxor1d


@overload(np.isin, target=TARGET, strict=False)
def _isin(
    element: Any, test_elements: Any, assume_unique: Any = False, invert: Any = False
) -> Callable[..., Any] | None:
    if not _are_numbers(element, test_elements):
        return None

    def isin(element, test_elements, assume_unique=False, invert=False):  # type: ignore[no-untyped-def]
        found = _is_among(element.ravel(), np.sort(test_elements.ravel()))
        return (found != invert).reshape(element.shape)

    return isin
