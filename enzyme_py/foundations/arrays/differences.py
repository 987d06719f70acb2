"""Slopes by finite differences, with an estimate of their own error.

    slope = slope_along(g)            # of a function of one number, at 0
    slope.value, slope.error

`g(h)` is the kernel moved by h along a direction. Five points give two central differences, of step h
and 2h, whose combination is the slope to fourth order. The error is estimated, not assumed:

* the two step widths are compared with each other: where they disagree, curvature, a jump or noise does;
* the slopes from the right and from the left are compared at both widths: at a kink they differ by a
  jump that does not shrink with h, where a smooth function's difference halves;
* the rounding of the values themselves, over the step.

A direction moves every number in proportion to its size, so positive numbers stay positive, and numbers
of any magnitude are moved by a step that fits. Values are numbers, arrays, tuples and typed lists of
these; integers and whatever else has no derivative stay.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import typeof

from enzyme_py.annotations import is_typed_list, zeros_with_strides

ROUNDINGS = 16.0  # of the kernel's own result, in units: what a short sum loses
SMALLEST_SHARE = 0.01  # of the largest number of an array: how far its zeros are moved


@dataclass(frozen=True)
class Slope:
    """A slope, how far it may be off, and the largest value from which it was computed."""

    value: float
    error: float
    size: float

    @property
    def is_conclusive(self) -> bool:
        """Whether there is one: differences of NaN and infinity, and past a raise, are none."""
        return math.isfinite(self.value) and math.isfinite(self.error)


def slope_along(g: Callable[[float], float], precision: float) -> Slope:
    """Return the slope of g at 0: the better of two steps, each with its error."""
    wide = _slope(g, precision**0.2, precision)
    if wide.error <= precision**0.4 * abs(wide.value):
        return wide
    narrow = _slope(g, precision ** (1 / 3), precision)
    return min(wide, narrow, key=lambda one: one.error if one.is_conclusive else math.inf)


def _slope(g: Callable[[float], float], step: float, precision: float) -> Slope:
    here, ahead, behind = g(0.0), g(step), g(-step)
    far_ahead, far_behind = g(2 * step), g(-2 * step)
    narrow, wide = (ahead - behind) / (2 * step), (far_ahead - far_behind) / (4 * step)
    bend = (ahead - 2 * here + behind) / step
    far_bend = (far_ahead - 2 * here + far_behind) / (2 * step)
    jump = 2 * bend - far_bend  # of the slope at 0; what a smooth function has halves with the step
    largest = max(map(abs, (here, ahead, behind, far_ahead, far_behind)))
    noise = ROUNDINGS * precision * largest / step
    return Slope((4 * narrow - wide) / 3, abs(narrow - wide) + abs(jump) + noise, largest)


def precision_of(*values: Any) -> float:
    """Return the largest unit of rounding among the numbers of some values."""
    kinds = [np.asarray(leaf).dtype for value in values for leaf in leaves_of(value)]
    units = [float(np.finfo(kind).eps) for kind in kinds if kind.kind in "fc"]
    return max(units, default=float(np.finfo(float).eps))


def is_float(leaf: Any) -> bool:
    """Tell whether a leaf is a floating point number or an array of them."""
    return isinstance(leaf, (float, complex, np.floating, np.complexfloating)) or (
        isinstance(leaf, np.ndarray) and leaf.dtype.kind in "fc"
    )


def leaves_of(tree: Any) -> Iterator[Any]:
    """Yield what is in the tuples and lists of a value, None left out."""
    if isinstance(tree, (tuple, list)) or is_typed_list(tree):
        for branch in tree:
            yield from leaves_of(branch)
    elif tree is not None:
        yield tree


def mapped(function: Callable[..., Any], tree: Any, *others: Any) -> Any:
    """Return a value of the same structure, with a function of its leaves in their places."""
    if tree is None:
        return None
    if is_typed_list(tree):
        from numba.typed import List

        made = List.empty_list(typeof(tree).item_type) if len(tree) else List()
        for branches in zip(tree, *others, strict=True):
            made.append(mapped(function, *branches))
        return made
    if isinstance(tree, (tuple, list)):
        parts = [mapped(function, *branches) for branches in zip(tree, *others, strict=True)]
        return type(tree)(*parts) if hasattr(tree, "_fields") else type(tree)(parts)
    return function(tree, *others)


def same_but(leaf: Any, values: Any = None) -> Any:
    """Return a copy of a leaf, with other values if they are given: same strides, same dtype."""
    if not isinstance(leaf, np.ndarray):
        return leaf if values is None else type(leaf)(values)
    kept = zeros_with_strides(leaf) if leaf.dtype.kind in "biufc" else leaf.copy(order="K")
    kept[...] = leaf if values is None else values
    kept.flags.writeable = leaf.flags.writeable  # a type of its own to Numba
    return kept


def copy_of(tree: Any) -> Any:
    """Return a copy of a value: arrays in memory of their own, of the very same type."""
    return mapped(same_but, tree)


def moved(tree: Any, direction: Any, step: float) -> Any:
    """Return a value a step along a direction; None is no direction."""
    if direction is None:
        return copy_of(tree)
    return mapped(
        lambda x, t: same_but(x, x + step * t) if is_float(x) else same_but(x), tree, direction
    )


def direction_like(tree: Any, random: np.random.Generator, *, is_scaled: bool = False) -> Any:
    """Return a random direction of a value; None where nothing in it is floating point.

    Its numbers lie between 1/2 and 1 in size, or, if scaled, between half and whole of those moved.
    """
    if not any(map(is_float, leaves_of(tree))):
        return None

    def drawn(leaf: Any) -> Any:
        if not is_float(leaf):
            return same_but(leaf)
        values = _signs(np.shape(leaf), random)
        if np.iscomplexobj(leaf):
            values = values + 1j * _signs(np.shape(leaf), random)
        made = same_but(leaf, values * _sizes(leaf) if is_scaled else values)
        if isinstance(made, np.ndarray):
            made.flags.writeable = True
        return made

    return mapped(drawn, tree)


def _signs(shape: tuple[int, ...], random: np.random.Generator) -> Any:
    return random.uniform(0.5, 1.0, shape) * random.choice((-1.0, 1.0), shape)


def _sizes(leaf: Any) -> Any:
    sizes = np.abs(np.asarray(leaf, dtype=complex if np.iscomplexobj(leaf) else float))
    finite = sizes[np.isfinite(sizes)]
    largest = float(finite.max()) if finite.size else 0.0
    return np.maximum(sizes, SMALLEST_SHARE * largest) if largest > 0.0 else np.ones_like(sizes)


def inner(left: Any, right: Any) -> float:
    """Return the real inner product of two values of one structure, None being zero."""
    if left is None or right is None:
        return 0.0
    if isinstance(left, (tuple, list)) or is_typed_list(left):
        return sum(inner(a, b) for a, b in zip(left, right, strict=True))
    if not is_float(left):
        return 0.0
    return float(np.sum(np.conj(left) * right).real)
