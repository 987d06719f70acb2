"""Eigenvalues and eigenvectors of Hermitian matrices: np.linalg.eigh and np.linalg.eigvalsh.

    work = [n | A | w | V]     V transposed, as LAPACK leaves it

LAPACK reads the lower triangle of A alone, as for Cholesky's factor. An eigenvector is known up to a
factor of absolute value one; its tangent here has no part along itself.
"""

from __future__ import annotations

import numpy as np
from numba.extending import overload, register_jitable
from numba.np import linalg

from enzyme_py.frontend.external.ruled import new_work, ruled, size_in
from enzyme_py.linalg.quotients import over_gaps
from enzyme_py.linalg.triangular import hermitian, lower_half
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
_eigh = primal_of(linalg.eigh_impl)


@register_jitable(forceinline=True)
def _parts(work, sizes):
    n = size_in(sizes, 1)
    start = _FIRST + n * n
    return (
        matrix_at(work, _FIRST, n, n),
        work[start : start + n],
        matrix_at(work, start + n, n, n),
    )


def _primal(work):
    a, w, v = _parts(work, work)
    values, vectors = _eigh(a)
    w[:] = values
    v[:] = vectors.T


def _forward(work, shadow):
    _a, w, v = _parts(work, work)
    da, dw, dv = _parts(shadow, work)
    inner = conjugate(v) @ hermitian(da) @ v.T
    for i in range(len(w)):
        dw[i] = inner[i, i].real
    dv[:] = over_gaps(inner, w).T @ v


def _reverse(work, shadow):
    _a, w, v = _parts(work, work)
    da, dw, dv = _parts(shadow, work)
    inner = over_gaps(conjugate(v) @ dv.T, w)
    for i in range(len(w)):
        inner[i, i] = dw[i].real
    found = v.T @ inner @ conjugate(v)
    da += lower_half(found + adjoint(found))
    dw[:] = 0.0
    dv[:] = 0.0


_decompose = ruled("eigh", _primal, _forward, _reverse)


@register_jitable(forceinline=True)
def _decomposed(a):
    must_be_square(a)
    n = a.shape[0]
    work = new_work((n,), n * (2 * n + 1), a.dtype)
    first, _w, _v = _parts(work, work)
    first[:] = a
    _decompose(work)
    return work


@overload(np.linalg.eigh, target=TARGET, strict=False)
def _np_eigh(a):
    linalg.eigh_impl(a)

    def eigh(a):
        work = _decomposed(a)
        _a, w, v = _parts(work, work)
        return w.real.copy(), v.copy().T

    return eigh


@overload(np.linalg.eigvalsh, target=TARGET, strict=False)
def _np_eigvalsh(a):
    linalg.eigvalsh_impl(a)

    def eigvalsh(a):
        work = _decomposed(a)
        _a, w, _v = _parts(work, work)
        return w.real.copy()

    return eigvalsh
