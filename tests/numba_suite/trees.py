"""Values of kernels as trees: numbers, arrays, and tuples and lists of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.numba_suite.recording import copied, has_floats


def leaves(value: Any) -> list[Any]:
    """Return the numbers, arrays and other things of a value, in order."""
    return (
        [leaf for one in value for leaf in leaves(one)]
        if isinstance(value, (tuple, list))
        else [value]
    )


def floats_of(value: Any) -> list[np.ndarray]:
    """Return the arrays and numbers of floats of a value, each as an array."""
    return [np.asarray(one) for one in leaves(value) if one is not None and has_floats(one)]


def mapped(function: Callable[[Any], Any], value: Any, other: Callable[[Any], Any]) -> Any:
    """Return a value with its floats replaced by what a function of each gives, and all else by another's."""
    if isinstance(value, tuple):
        parts = [mapped(function, one, other) for one in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if isinstance(value, list):
        return [mapped(function, one, other) for one in value]
    return function(value) if has_floats(value) else other(value)


def like(value: Any, array: np.ndarray) -> Any:
    """Return numbers in the form of a leaf: an array with its strides, or a number of its type."""
    if isinstance(value, np.ndarray):
        made = copied(value)
        made.flags.writeable = True
        made[...] = array
        return made
    return type(value)(array[()])


def drawn(random: np.random.Generator, value: Any) -> np.ndarray:
    """Return random numbers, each as large as that of a leaf, or up to one where that is none."""
    array = np.asarray(value)
    size = np.abs(array)
    size = np.where((size == 0) | ~np.isfinite(size), 1.0, size)
    numbers = random.uniform(-1, 1, array.shape)
    if array.dtype.kind == "c":
        numbers = numbers + 1j * random.uniform(-1, 1, array.shape)
    return size * numbers


def inner(left: Any, right: Any) -> float:
    pairs = zip(floats_of(left), floats_of(right), strict=True)
    return float(sum(np.sum(np.real(np.conj(one) * other)) for one, other in pairs))


def magnitude(left: Any, right: Any) -> float:
    pairs = zip(floats_of(left), floats_of(right), strict=True)
    return float(sum(np.sum(np.abs(one) * np.abs(other)) for one, other in pairs))


def same(left: Any, right: Any) -> bool:
    """Tell whether two values are equal bit for bit; any NaN is as good as another."""
    ones, others = leaves(left), leaves(right)
    if len(ones) != len(others):
        return False
    return all(_same_leaf(one, other) for one, other in zip(ones, others, strict=True))


def _same_leaf(one: Any, other: Any) -> bool:
    if isinstance(one, np.random.Generator):
        return isinstance(other, np.random.Generator)  # a draw changes it
    if not has_floats(one):
        return bool(np.all(np.asarray(one == other))) if one is not None else other is None
    a, b = np.asarray(one), np.asarray(other)
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if a.dtype.kind == "c":
        return _same_leaf(a.real, b.real) and _same_leaf(a.imag, b.imag)
    both = np.isnan(a) & np.isnan(b)
    return bool(np.all(both | ((a == b) & (np.signbit(a) == np.signbit(b)))))
