"""Singular values and vectors: np.linalg.svd, and the values alone for norms, condition and rank.

    work = [m, n, rows of U^T, rows of V^H | A | U transposed | s | V^H]

With full matrices the last columns of U (or rows of V^H) span what the others leave; which vectors do
that is free, and their tangents here have no part within that space. Likewise, the pair of vectors of a
singular value is known up to a common factor of absolute value one.
"""

from __future__ import annotations

import numpy as np
from numba.extending import overload, register_jitable
from numba.np import linalg

from enzyme_py.frontend.external.ruled import new_work, ruled, size_in
from enzyme_py.linalg.quotients import over_columns, over_gaps, over_sums
from enzyme_py.linalg.work import TARGET, adjoint, conjugate, first_of, matrix_at, primal_of

_FIRST = first_of(4)
_svd = primal_of(linalg.svd_impl)


@register_jitable(forceinline=True)
def _parts(work, sizes):
    m, n, left, right = size_in(sizes, 1), size_in(sizes, 2), size_in(sizes, 3), size_in(sizes, 4)
    k = min(m, n)
    second = _FIRST + m * n
    third = second + left * m
    return (
        matrix_at(work, _FIRST, m, n),
        matrix_at(work, second, left, m),
        work[third : third + k],
        matrix_at(work, third + k, right, n),
    )


def _primal(work):
    a, ut, s, vh = _parts(work, work)
    u, values, v = _svd(a, len(ut) > len(s) or len(vh) > len(s))
    ut[:] = u.T
    s[:] = values
    vh[:] = v


def _forward(work, shadow):
    _a, ut, s, vh = _parts(work, work)
    da, dut, ds, dvh = _parts(shadow, work)
    k = len(s)
    u, v = ut[:k].T, adjoint(vh[:k])
    slope = conjugate(ut[:k]) @ da
    inner = slope @ v
    for i in range(k):
        ds[i] = inner[i, i].real
    even = over_gaps(inner + adjoint(inner), s + s)  # half of it: 0.5 would make float64 of float32
    odd = over_sums(inner - adjoint(inner), s + s)
    dut[:k] = (u @ (even + odd)).T
    dvh[:k] = adjoint(v @ (even - odd))
    if len(da) > k:
        outer = over_columns(da @ v, s)
        dut[:k] += (outer - u @ (conjugate(ut[:k]) @ outer)).T
        if len(ut) > k:
            dut[k:] = -(ut[k:] @ conjugate(outer) @ ut[:k])
    if da.shape[1] > k:
        outer = over_columns(adjoint(slope), s)
        dvh[:k] += adjoint(outer - v @ (vh[:k] @ outer))
        if len(vh) > k:
            dvh[k:] = -(vh[k:] @ outer @ vh[:k])


def _reverse(work, shadow):
    _a, ut, s, vh = _parts(work, work)
    da, dut, ds, dvh = _parts(shadow, work)
    k = len(s)
    u, v = ut[:k].T, adjoint(vh[:k])
    du, dv = dut[:k].T, adjoint(dvh[:k])
    left = conjugate(ut[:k]) @ du
    right = vh[:k] @ dv
    even = over_gaps(left + right, s + s)
    odd = over_sums(left - right, s + s)
    inner = even + adjoint(even) + odd - adjoint(odd)
    for i in range(k):
        inner[i, i] += ds[i].real
    da += u @ inner @ vh[:k]
    if len(da) > k:
        outer = du - u @ left
        if len(ut) > k:
            outer -= ut[k:].T @ (conjugate(dut[k:]) @ u)
        da += over_columns(outer, s) @ vh[:k]
    if da.shape[1] > k:
        outer = dv - v @ right
        if len(vh) > k:
            outer -= adjoint(vh[k:]) @ (dvh[k:] @ v)
        da += u @ adjoint(over_columns(outer, s))
    dut[:] = 0.0
    ds[:] = 0.0
    dvh[:] = 0.0


_decompose = ruled("svd", _primal, _forward, _reverse)


@register_jitable(forceinline=True)
def _decomposed(a, full_matrices):
    m, n = a.shape
    k = min(m, n)
    if k == 0:
        raise np.linalg.LinAlgError("Arrays cannot be empty")
    left, right = (m, n) if full_matrices else (k, k)
    work = new_work((m, n, left, right), m * n + left * m + k + right * n, a.dtype)
    first, _u, _s, _vh = _parts(work, work)
    first[:] = a
    _decompose(work)
    return work


@overload(np.linalg.svd, target=TARGET, strict=False)
def _np_svd(a, full_matrices=1):
    linalg.svd_impl(a)

    def svd(a, full_matrices=1):
        work = _decomposed(a, full_matrices)
        _a, ut, s, vh = _parts(work, work)
        return ut.copy().T, s.real.copy(), vh.T.copy().T

    return svd


@overload(linalg._compute_singular_values, target=TARGET, strict=False)
def _singular_values(a):
    def singular_values(a):
        work = _decomposed(a, False)
        _a, _ut, s, _vh = _parts(work, work)
        return s.real.copy()

    return singular_values
