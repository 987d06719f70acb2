"""Pseudo-inverses and least squares: np.linalg.pinv and np.linalg.lstsq.

    work = [m, n, known? | A | relative cutoff | P]

The derivative is the one at constant rank (Golub and Pereyra, 1973), and is finite where singular values
are equal. With the third size set, the caller has already written P, and only its derivative is wanted.
"""

from __future__ import annotations

import numpy as np
from numba.extending import overload, register_jitable
from numba.np import linalg

from enzyme_py.frontend.external.ruled import new_work, ruled, size_in
from enzyme_py.linalg.work import (
    TARGET,
    adjoint,
    check_finite,
    conjugate,
    first_of,
    matrix_at,
    primal_of,
    real_type,
)

_FIRST = first_of(3)
_svd = primal_of(linalg.svd_impl)


@register_jitable(forceinline=True)
def _parts(work, sizes):
    m, n = size_in(sizes, 1), size_in(sizes, 2)
    second = _FIRST + m * n
    return (
        matrix_at(work, _FIRST, m, n),
        work[second : second + 1],
        matrix_at(work, second + 1, n, m),
    )


def _primal(work):
    a, cutoff, p = _parts(work, work)
    if size_in(work, 3) == 0:
        u, s, vh = _svd(a, False)
        p[:] = _inverted(u, s, vh, cutoff[0].real * s[0])


@register_jitable
def _inverted(u, s, vh, cutoff):
    """Return the pseudo-inverse by singular values above a cutoff.

    Numba's own calls BLAS for conjugate transposes, which the products of kernels do not know.
    """
    scaled = np.zeros((len(s), len(u)), u.dtype)
    for i in range(len(s)):
        if s[i] > cutoff:
            scaled[i] = conjugate(u[:, i]) / s[i]
    return adjoint(vh) @ scaled


def _forward(work, shadow):
    a, _cutoff, p = _parts(work, work)
    da, _, dp = _parts(shadow, work)
    slope, dual = adjoint(da), adjoint(p)
    rows = p @ (dual @ slope)
    columns = slope @ dual @ p
    dp[:] = rows - rows @ a @ p + columns - p @ (a @ columns) - p @ da @ p


def _reverse(work, shadow):
    a, _cutoff, p = _parts(work, work)
    da, _, dp = _parts(shadow, work)
    pulled, dual = adjoint(dp), adjoint(p)
    rows = (pulled @ p) @ dual
    columns = dual @ (p @ pulled)
    da += rows - a @ (p @ rows) + columns - columns @ p @ a - dual @ dp @ dual
    dp[:] = 0.0


_invert = ruled("pinv", _primal, _forward, _reverse)


@overload(np.linalg.pinv, target=TARGET, strict=False)
def _np_pinv(a, rcond=1.0e-15):
    linalg.pinv_impl(a)

    def pinv(a, rcond=1.0e-15):
        m, n = a.shape
        if m == 0 or n == 0:
            return np.zeros((m, n), a.dtype).T
        work = new_work((m, n, 0), 2 * m * n + 1, a.dtype)
        first, cutoff, p = _parts(work, work)
        first[:] = a
        cutoff[0] = rcond
        _invert(work)
        return p.T.copy().T

    return pinv


@overload(np.linalg.lstsq, target=TARGET, strict=False)
def _np_lstsq(a, b, rcond=-1.0):
    linalg.lstsq_impl(a, b)
    real = real_type(a.dtype)
    smallest = float(np.finfo(real).eps)

    def lstsq(a, b, rcond=-1.0):
        m, n = a.shape
        if m == 0 or n == 0 or b.size == 0:
            raise np.linalg.LinAlgError("Arrays cannot be empty")
        if b.shape[0] != m:
            raise np.linalg.LinAlgError(
                "Incompatible array sizes, system is not dimensionally valid."
            )
        check_finite(b)
        u, s, vh = np.linalg.svd(a, False)
        cutoff = (smallest if rcond < 0.0 else rcond) * s[0]
        rank = 0
        for value in s:
            rank += value > cutoff
        work = new_work((m, n, 1), 2 * m * n + 1, a.dtype)
        first, _cutoff, p = _parts(work, work)
        first[:] = a
        p[:] = _inverted(u, s, vh, cutoff)
        _invert(work)
        x = p @ np.ascontiguousarray(b)
        if rank < n or m <= n:
            return x, np.empty(0, real), rank, s
        left = b - np.ascontiguousarray(a) @ x
        squares = left.real**2 + left.imag**2
        return x, _sums(squares), rank, s

    return lstsq


def _sums(squares):
    raise RuntimeError


@overload(_sums, strict=False)
def _sums_for(squares):
    if squares.ndim == 1:

        def total(squares):
            found = np.empty(1, squares.dtype)
            found[0] = np.sum(squares)
            return found

        return total
    return lambda squares: np.sum(squares, 0)
