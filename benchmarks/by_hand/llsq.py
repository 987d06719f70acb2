"""llsq by hand: the powers of one point are kept for its backward sweep."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit
def gradient(x, n):
    by_x, powers = np.zeros(x.size), np.empty(x.size)
    for i in range(n):
        t = -1.0 + i * 2.0 / (n - 1.0)
        residual = float((t > 0.0) - (t < 0.0))
        power = 1.0
        for j in range(x.size):
            residual -= x[j] * power
            powers[j] = power
            power *= t
        for j in range(x.size):
            by_x[j] -= residual * powers[j]
    return by_x
