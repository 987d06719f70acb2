"""stop_gradient and ignore_derivatives: a value whose derivative is zero by decree.

Inside a differentiated kernel the value passes through a function that Enzyme is told to be
inactive; elsewhere it is just copied. Arrays are copied in both cases, so that writing to the
result means the same everywhere. How Numba lowers it is in stop_lowering.py.
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")


def stop_gradient(value: T) -> T:
    """Return the value, as a constant to every derivative taken through it.

    Takes numbers, arrays, and tuples of these. Also called `ignore_derivatives`.

    Examples:
        >>> enzyme.grad(lambda x: x * enzyme.stop_gradient(x))(3.0)
        3.0
    """
    copy: T = _stopped(value)
    return copy


def _stopped(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, tuple):
        parts = [_stopped(part) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value


ignore_derivatives = stop_gradient
