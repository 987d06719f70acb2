"""Tuples and named tuples as trees: the four walks that scenarios need."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np


def tree_map(function: Callable[..., Any], tree: Any, *others: Any) -> Any:
    """Apply to each leaf, keeping the tuples; None stays None."""
    if tree is None:
        return None
    if isinstance(tree, tuple):
        parts = [tree_map(function, *branches) for branches in zip(tree, *others, strict=True)]
        return type(tree)(*parts) if hasattr(tree, "_fields") else tuple(parts)
    return function(tree, *others)


def leaves(tree: Any) -> Iterator[Any]:
    """The arrays and numbers of a tree, left to right."""
    if tree is None:
        return
    if isinstance(tree, tuple):
        for branch in tree:
            yield from leaves(branch)
    else:
        yield tree


def is_floating(leaf: Any) -> bool:
    """Whether a leaf can carry a derivative."""
    return np.asarray(leaf).dtype.kind in "fc"


def inner(left: Any, right: Any) -> float:
    """The real inner product of two trees; a complex number counts as a pair of reals."""
    pairs = zip(leaves(left), leaves(right), strict=True)
    return float(sum(np.sum(np.conj(a) * b).real for a, b in pairs if is_floating(a)))


def basis(tree: Any) -> Iterator[Any]:
    """Every unit direction of a tree: one per float, two (1 and 1j) per complex number."""
    zero = tree_map(lambda leaf: np.zeros_like(np.asarray(leaf, dtype=widest(leaf))), tree)
    for target in leaves(zero):
        for position in np.ndindex(target.shape):
            for unit in (1.0, 1j) if target.dtype.kind == "c" else (1.0,):
                target[position] = unit
                yield tree_map(np.copy, zero)
                target[position] = 0.0


def widest(leaf: Any) -> type:
    return complex if np.asarray(leaf).dtype.kind == "c" else float
