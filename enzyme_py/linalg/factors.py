"""LU factors as LAPACK makes them, and substitution in triangles; for what rules do not look into.

Matrices stand transposed here, so that LAPACK and BLAS read them as they are; right sides and solutions
are rows. BLAS's `trsm` substitutes, not LAPACK's `getrs`: OpenBLAS starts its threads for each call of that
one, and waits for them, even for a matrix of four rows (measured: 1 us without them, 900 us on a busy
machine with two cores).
"""

from __future__ import annotations

import numpy as np
from numba.extending import register_jitable

from enzyme_py.linalg.work import INTEGER, fortran

_LEFT, _LOWER, _UPPER, _PLAIN, _ADJOINT, _UNIT = np.frombuffer(b"LLUNCU", np.uint8)


@register_jitable
def factored(a, factors, pivots):
    """Write the factors of `a`; false where a pivot is zero."""
    n = a.shape[0]
    factors[:] = a.T
    numbers = np.array([n, max(n, 1), 0], INTEGER)
    size, leading, info = numbers[0:1], numbers[1:2], numbers[2:3]
    fortran("getrf", factors, (size, size, factors, leading, pivots, info))
    return info[0] == 0


@register_jitable
def _substituted(triangle, rows, is_lower, is_adjoint, is_unit):
    count, n = rows.shape
    numbers = np.array([n, count, max(n, 1)], INTEGER)
    size, sides, leading = numbers[0:1], numbers[1:2], numbers[2:3]
    letters = np.array(
        [
            _LEFT,
            _LOWER if is_lower else _UPPER,
            _ADJOINT if is_adjoint else _PLAIN,
            _UNIT if is_unit else _PLAIN,
        ],
        np.uint8,
    )
    one = np.ones(1, triangle.dtype)
    side, half, way, diagonal = letters[0:1], letters[1:2], letters[2:3], letters[3:4]
    given = (side, half, way, diagonal, size, sides, one, triangle, leading, rows, leading)
    fortran("trsm", triangle, given)


@register_jitable
def substitute(factors, pivots, rows, is_adjoint):
    """Solve with factors, or with the adjoint of what they are factors of, in place."""
    count, n = rows.shape
    if is_adjoint:
        _substituted(factors, rows, False, True, False)
        _substituted(factors, rows, True, True, True)
        for k in range(count):
            for i in range(n - 1, -1, -1):
                other = pivots[i] - 1
                rows[k, i], rows[k, other] = rows[k, other], rows[k, i]
    else:
        for k in range(count):
            for i in range(n):
                other = pivots[i] - 1
                rows[k, i], rows[k, other] = rows[k, other], rows[k, i]
        _substituted(factors, rows, True, False, True)
        _substituted(factors, rows, False, False, False)


@register_jitable
def substitute_lower(lower, rows, is_adjoint):
    """Solve with a lower triangle, or with its adjoint, in place."""
    for i in range(lower.shape[0]):
        if lower[i, i] == 0.0:
            raise np.linalg.LinAlgError("Matrix is singular: its derivative does not exist.")
    _substituted(lower, rows, True, is_adjoint, False)
