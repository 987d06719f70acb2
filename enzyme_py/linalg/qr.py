"""Orthogonal and triangular factors: np.linalg.qr.

    work = [m, n | A | Q transposed | R]

The first min(m, n) columns of A decide Q, and must be linearly independent for a derivative to exist. LAPACK
makes the diagonal of R real, so that of Q^H dQ is what is left: imaginary.
"""

from __future__ import annotations

import numpy as np
from numba.extending import overload, register_jitable
from numba.np import linalg

from enzyme_py.frontend.external.ruled import new_work, ruled, size_in
from enzyme_py.linalg.triangular import lower_half, lower_solved, upper
from enzyme_py.linalg.work import TARGET, adjoint, conjugate, first_of, matrix_at, primal_of

_FIRST = first_of(2)
_qr = primal_of(linalg.qr_impl)


@register_jitable(forceinline=True)
def _parts(work, sizes):
    m, n = size_in(sizes, 1), size_in(sizes, 2)
    k = min(m, n)
    return (
        matrix_at(work, _FIRST, m, n),
        matrix_at(work, _FIRST + m * n, k, m),
        matrix_at(work, _FIRST + m * n + k * m, k, n),
    )


def _primal(work):
    a, qt, r = _parts(work, work)
    orthogonal, triangle = _qr(a)
    qt[:] = orthogonal.T
    r[:] = triangle


def _forward(work, shadow):
    _a, qt, r = _parts(work, work)
    da, dqt, dr = _parts(shadow, work)
    k = len(r)
    lower = conjugate(r[:, :k])
    own = conjugate(qt)
    slope = conjugate(lower_solved(lower, conjugate(da[:, :k]), 0))
    inner = own @ slope
    half = lower_half(inner)
    turn = half - adjoint(half)
    dqt[:] = (slope + qt.T @ (turn - inner)).T
    dr[:] = upper(own @ da - turn @ r)


def _reverse(work, shadow):
    _a, qt, r = _parts(work, work)
    da, dqt, dr = _parts(shadow, work)
    k = len(r)
    lower = conjugate(r[:, :k])
    q, dq = qt.T, dqt.T
    triangle = upper(dr)
    inner = conjugate(qt) @ dq
    turn = inner - triangle @ adjoint(r)
    slope = dq + q @ (lower_half(turn - adjoint(turn)) - inner)
    da += q @ triangle
    da[:, :k] += conjugate(lower_solved(lower, conjugate(slope), 1))
    dqt[:] = 0.0
    dr[:] = 0.0


_factor = ruled("qr", _primal, _forward, _reverse)


@overload(np.linalg.qr, target=TARGET, strict=False)
def _np_qr(a):
    linalg.qr_impl(a)
    return _factored


def _factored(a):
    m, n = a.shape
    if m == 0 or n == 0:
        raise np.linalg.LinAlgError("Arrays cannot be empty")
    k = min(m, n)
    work = new_work((m, n), m * n + k * (m + n), a.dtype)
    first, qt, r = _parts(work, work)
    first[:] = a
    _factor(work)
    return qt.copy().T, r.T.copy().T
