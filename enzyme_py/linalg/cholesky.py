"""Cholesky's factor: np.linalg.cholesky.

    work = [n | A | L]

LAPACK reads the lower triangle of A alone, and the real part of its diagonal: so these alone have a
derivative, as differences of the function show.
"""

from __future__ import annotations

import numpy as np
from numba.extending import overload, register_jitable
from numba.np import linalg

from enzyme_py.frontend.external.ruled import new_work, ruled, size_in
from enzyme_py.linalg.triangular import hermitian, lower_half, lower_solved, upper
from enzyme_py.linalg.work import (
    TARGET,
    adjoint,
    conjugate,
    first_of,
    matrix_at,
    must_be_square,
    primal_of,
)

_FIRST = first_of(1)
_cholesky = primal_of(linalg.cho_impl)


@register_jitable(forceinline=True)
def _parts(work, sizes):
    n = size_in(sizes, 1)
    return matrix_at(work, _FIRST, n, n), matrix_at(work, _FIRST + n * n, n, n)


def _primal(work):
    a, lower = _parts(work, work)
    lower[:] = _cholesky(a)


@register_jitable
def _between(lower, inner, is_adjoint):
    """Return L^-1 M L^-H of a matrix M, or L^-H M L^-1; `lower` is L transposed."""
    left = lower_solved(lower, inner.T, is_adjoint).T
    return conjugate(lower_solved(lower, conjugate(left), is_adjoint))


def _forward(work, shadow):
    _a, lower = _parts(work, work)
    da, tangent = _parts(shadow, work)
    tangent[:] = lower @ lower_half(_between(lower.T, hermitian(da), 0))


def _reverse(work, shadow):
    _a, lower = _parts(work, work)
    da, pulled = _parts(shadow, work)
    inner = lower_half(adjoint(lower) @ upper(pulled.T).T)
    found = _between(lower.T, inner, 1)
    da += lower_half(found + adjoint(found))
    pulled[:] = 0.0


_factor = ruled("cholesky", _primal, _forward, _reverse)


@overload(np.linalg.cholesky, target=TARGET, strict=False)
def _np_cholesky(a):
    linalg.cho_impl(a)
    return _factored


def _factored(a):
    must_be_square(a)
    n = a.shape[0]
    work = new_work((n,), 2 * n * n, a.dtype)
    first, lower = _parts(work, work)
    first[:] = a
    _factor(work)
    return lower.copy()
