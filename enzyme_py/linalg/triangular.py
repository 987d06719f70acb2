"""Triangular systems, for the rules of factorisations.

    work = [n, count, adjoint? | L | B | X]

L is lower triangular and transposed here, so that LAPACK reads it as it is; its other triangle is not read.
B and X are transposed, one system a row.
"""

from __future__ import annotations

import numpy as np
from numba.extending import register_jitable

from enzyme_py.frontend.external.ruled import new_work, ruled, size_in
from enzyme_py.linalg.factors import substitute_lower
from enzyme_py.linalg.work import conjugate, first_of, matrix_at

_FIRST = first_of(3)


@register_jitable(forceinline=True)
def _parts(work, sizes):
    n, count = size_in(sizes, 1), size_in(sizes, 2)
    start = _FIRST + n * n
    return (
        matrix_at(work, _FIRST, n, n),
        matrix_at(work, start, count, n),
        matrix_at(work, start + count * n, count, n),
    )


@register_jitable
def lower_solved(lower, sides, is_adjoint):
    """Solve systems with the transpose of `lower`, a lower triangle, or with its adjoint.

    Each row of `sides` is the right side of one, each row of the result a solution.
    """
    count, n = sides.shape
    work = new_work((n, count, is_adjoint), n * (n + 2 * count), lower.dtype)
    first, right, x = _parts(work, work)
    first[:] = lower
    right[:] = sides
    _solve(work)
    return x.copy()


def _primal(work):
    lower, b, x = _parts(work, work)
    x[:] = b
    substitute_lower(lower, x, size_in(work, 3) == 1)


def _forward(work, shadow):
    lower, _b, x = _parts(work, work)
    d_lower, db, dx = _parts(shadow, work)
    slope = upper(d_lower)
    if size_in(work, 3):
        dx[:] = lower_solved(lower, db - x @ conjugate(slope).T, 1)
    else:
        dx[:] = lower_solved(lower, db - x @ slope, 0)


def _reverse(work, shadow):
    lower, _b, x = _parts(work, work)
    d_lower, db, dx = _parts(shadow, work)
    if size_in(work, 3):
        pulled = lower_solved(lower, dx, 0)
        d_lower -= upper(conjugate(pulled).T @ x)
    else:
        pulled = lower_solved(lower, dx, 1)
        d_lower -= upper(conjugate(x).T @ pulled)
    db += pulled
    dx[:] = 0.0


_solve = ruled("triangular", _primal, _forward, _reverse)


@register_jitable
def upper(a):
    """Return the upper triangle of a matrix, by blocks: np.triu chooses between elements."""
    found = np.zeros_like(a)
    for i in range(a.shape[0]):
        found[i, i:] = a[i, i:]
    return found


@register_jitable
def lower_half(a):
    """Return the lower triangle of a matrix with half of the diagonal."""
    found = np.zeros_like(a)
    for i in range(a.shape[0]):
        found[i, :i] = a[i, :i]
        found[i, i] = 0.5 * a[i, i]
    return found


@register_jitable
def hermitian(a):
    """Return the Hermitian matrix that has a lower triangle of this one, and its diagonal's real part."""
    half = lower_half(a)
    return half + conjugate(half).T
