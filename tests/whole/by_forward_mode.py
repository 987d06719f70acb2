"""A gradient by forward mode, one coordinate after the other.

Forward mode keeps nothing, so it cannot take a wrong number for what was there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import enzyme_py as enzyme


def gradient_by_forward_mode(function: Any, x: np.ndarray, *others: Any) -> np.ndarray:
    """Return the gradient of a scalar function with respect to its first argument, a vector."""
    still = [np.zeros(one.size) if isinstance(one, np.ndarray) else None for one in others]
    return np.array(
        [enzyme.jvp(function, (x.copy(), *others), (way, *still))[1] for way in np.eye(x.size)]
    )
