"""Linear systems: np.linalg.solve.

    work = [n, count, adjoint?, factored? | A | LU | pivots | B | X]

LU are the factors of A as LAPACK leaves them. Nothing is derived from them: the rules know the solution's
derivative by A itself, and solve their own systems with the same factors. B and X are transposed, one
system a row. With the third size set, the system is that of A's adjoint.
"""

from __future__ import annotations

import numpy as np
from numba.extending import overload, register_jitable
from numba.np import linalg

from enzyme_py.frontend.external.ruled import new_work, ruled, size_in
from enzyme_py.linalg.factors import factored, substitute
from enzyme_py.linalg.work import (
    INTEGER,
    TARGET,
    check_finite,
    conjugate,
    first_of,
    matrix_at,
    must_be_square,
)

_FIRST = first_of(4)


@register_jitable(forceinline=True)
def _sides(work, sizes):
    n, count = size_in(sizes, 1), size_in(sizes, 2)
    start = _FIRST + n * (2 * n + 1)
    return (
        matrix_at(work, _FIRST, n, n),
        matrix_at(work, start, count, n),
        matrix_at(work, start + count * n, count, n),
    )


@register_jitable(forceinline=True)
def _factors(work):
    n = size_in(work, 1)
    start = _FIRST + n * n
    return matrix_at(work, start, n, n), work[start + n * n : start + n * n + n]


def _primal(work):
    n = size_in(work, 1)
    a, b, x = _sides(work, work)
    factors, kept = _factors(work)
    pivots = np.empty(n, INTEGER)
    if size_in(work, 4) == 0:
        check_finite(a)
        check_finite(b)
        if not factored(a, factors, pivots):
            raise np.linalg.LinAlgError("Matrix is singular to machine precision.")
        for i in range(n):
            kept[i] = pivots[i]
    else:
        for i in range(n):
            pivots[i] = int(kept[i].real)
    x[:] = b
    substitute(factors, pivots, x, size_in(work, 3) == 1)


@register_jitable
def _again(work, is_adjoint, sides):
    """Solve further systems with the same matrix or its adjoint, one a row."""
    n, count = size_in(work, 1), sides.shape[0]
    system = new_work((n, count, is_adjoint, 1), n * (2 * n + 1 + 2 * count), work.dtype)
    system[_FIRST : _FIRST + n * (2 * n + 1)] = work[_FIRST : _FIRST + n * (2 * n + 1)]
    _, b, x = _sides(system, system)
    b[:] = sides
    _solve(system)
    return x.copy()


def _forward(work, shadow):
    _a, _b, x = _sides(work, work)
    da, db, dx = _sides(shadow, work)
    if size_in(work, 3):
        dx[:] = _again(work, 1, db - x @ conjugate(da))
    else:
        dx[:] = _again(work, 0, db - x @ da.T)


def _reverse(work, shadow):
    _a, _b, x = _sides(work, work)
    da, db, dx = _sides(shadow, work)
    if size_in(work, 3):
        pulled = _again(work, 0, dx)
        da -= x.T @ conjugate(pulled)
    else:
        pulled = _again(work, 1, dx)
        da -= pulled.T @ conjugate(x)
    db += pulled
    dx[:] = 0.0


_solve = ruled("solve", _primal, _forward, _reverse)


@overload(np.linalg.solve, target=TARGET, strict=False)
def _np_solve(a, b):
    linalg.solve_impl(a, b)  # its checks of types
    return _solve_vector if b.ndim == 1 else _solve_matrix


def _solve_vector(a, b):
    n = a.shape[0]
    must_be_square(a)
    if b.shape[0] != n:
        raise np.linalg.LinAlgError("Incompatible array sizes, system is not dimensionally valid.")
    work = new_work((n, 1, 0, 0), n * (2 * n + 3), a.dtype)
    first, right, x = _sides(work, work)
    first[:] = a
    right[0, :] = b
    _solve(work)
    return x[0].copy()


def _solve_matrix(a, b):
    n, count = b.shape
    must_be_square(a)
    if a.shape[0] != n:
        raise np.linalg.LinAlgError("Incompatible array sizes, system is not dimensionally valid.")
    work = new_work((n, count, 0, 0), n * (2 * n + 1 + 2 * count), a.dtype)
    first, right, x = _sides(work, work)
    first[:] = a
    right[:] = b.T
    _solve(work)
    return x.copy().T
