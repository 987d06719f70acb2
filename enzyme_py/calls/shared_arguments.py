"""Arguments that share memory: harmless as long as the kernel does not write to it.

A derivative takes arrays for different ones, each with a shadow of its own. If `f(x, x)` writes to its first argument, what it
reads of the second is no input any more, and the derivative would be right for neither reading. Whether a kernel writes
is known only behind it: what it left in the common elements is compared with what was there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from enzyme_py.errors import ShadowError
from enzyme_py.foundations.places import where_is


class Shared(NamedTuple):
    """Two arguments with memory in common, and what was in it."""

    names: tuple[str, str]
    first: np.ndarray
    second: np.ndarray
    before: np.ndarray


def check_unwritten(kernel: Any, shared: Sequence[Shared]) -> None:
    """Raise if the kernel has written to memory that two arguments have in common."""
    for one in shared:
        if _has_changed_in_common(one):
            first, second = one.names
            message = f"`{first}` and `{second}` share memory to which the kernel writes"
            remedy = f"a derivative takes them for two arrays: pass a copy of one, {second}.copy()"
            raise ShadowError(message, where=where_is(kernel, first), remedy=remedy)


def _has_changed_in_common(shared: Shared) -> bool:
    now, before = shared.first, shared.before
    is_nan = np.not_equal(now, now) & np.not_equal(before, before)
    changed = (now != before) & ~is_nan
    if not changed.any() or now.itemsize != shared.second.itemsize:
        return bool(changed.any())
    return bool(np.isin(_addresses(now)[changed], _addresses(shared.second)).any())


def _addresses(array: np.ndarray) -> np.ndarray:
    """Return where each element of an array lies."""
    steps = np.ogrid[tuple(map(slice, array.shape))]
    moved = sum(step * stride for step, stride in zip(steps, array.strides, strict=True))
    return np.broadcast_to(array.__array_interface__["data"][0] + moved, array.shape)
