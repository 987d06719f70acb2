"""Pseudo-inverses and least squares: np.linalg.pinv and np.linalg.lstsq.

    work = [m, n, known? | A | cutoff, relative and absolute | P]

The derivative is the one at constant rank (Golub and Pereyra, 1973), and is finite where singular values are equal. With the third size set,
the caller has already written P and the cutoff, and only the derivative of P is wanted.

Singular values below the cutoff that are not zero are no matter of rank: P is a function of the others, and these depend on
all. Its derivative in the vectors of a value s that is kept and another one, t, that is cut off, with B = U^H dA V, and conversely:

    (s B[s, t] + t conj(B[t, s])) / (s (s^2 - t^2)),        of constant rank: B[s, t] / s^2

What is more is added where such a t is above rounding. It is its own adjoint, and written without the vectors: 1 / (s^2 - t^2) is the sum of
t^2k / s^(2k + 2), powers of P^H P from the left and of what is cut off from the right.
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
_TURNS = 30  # the sum has converged where what is kept and what is cut off differ by 1e-8 of each other
_svd = primal_of(linalg.svd_impl)


@register_jitable(forceinline=True)
def _parts(work, sizes):
    m, n = size_in(sizes, 1), size_in(sizes, 2)
    second = _FIRST + m * n
    return (
        matrix_at(work, _FIRST, m, n),
        work[second : second + 2],
        matrix_at(work, second + 2, n, m),
    )


def _primal(work):
    a, cutoff, p = _parts(work, work)
    if size_in(work, 3) == 0:
        u, s, vh = _svd(a, False)
        cutoff[1] = cutoff[0].real * s[0]
        p[:] = _inverted(u, s, vh, cutoff[1].real)


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


@register_jitable
def _beside_the_rank(a, p, cutoff, slope):
    """Return what singular values that are cut off add to the adjoint of a slope of A, or of P; zeros if they are rounding."""
    added = np.zeros(a.shape, a.dtype)
    rounding = np.finfo(a.real.dtype).eps * max(a.shape)
    if cutoff[0].real <= rounding:
        return added
    cut = a - a @ p @ a
    if np.max(np.abs(cut)) <= rounding * np.max(np.abs(a)):
        return added
    dual, turned = adjoint(p), adjoint(cut)
    upper = a @ (p @ slope)
    lower = (slope @ p) @ a
    both = (upper @ p) @ a
    upper, lower = upper - both, lower - both
    bound = cutoff[1].real * cutoff[1].real
    added += dual @ (p @ (_summed(upper + dual @ adjoint(lower) @ cut, dual @ p * bound, turned @ cut / bound) - upper))
    added += (_summed(lower + cut @ adjoint(upper) @ dual, cut @ turned / bound, p @ dual * bound) - lower) @ p @ dual
    return added


@register_jitable
def _summed(x, left, right):
    """Return X + L X R + L^2 X R^2 + ..., twice as many terms in each turn (Smith, 1968)."""
    for _ in range(_TURNS):
        x = x + left @ x @ right
        left, right = left @ left, right @ right
    return x


def _forward(work, shadow):
    a, cutoff, p = _parts(work, work)
    da, _, dp = _parts(shadow, work)
    slope, dual = adjoint(da), adjoint(p)
    rows = p @ (dual @ slope)
    columns = slope @ dual @ p
    dp[:] = rows - rows @ a @ p + columns - p @ (a @ columns) - p @ da @ p
    dp += adjoint(_beside_the_rank(a, p, cutoff, da))


def _reverse(work, shadow):
    a, cutoff, p = _parts(work, work)
    da, _, dp = _parts(shadow, work)
    pulled, dual = adjoint(dp), adjoint(p)
    rows = (pulled @ p) @ dual
    columns = dual @ (p @ pulled)
    da += rows - a @ (p @ rows) + columns - columns @ p @ a - dual @ dp @ dual
    da += _beside_the_rank(a, p, cutoff, np.ascontiguousarray(pulled))
    dp[:] = 0.0


_invert = ruled("pinv", _primal, _forward, _reverse)


@overload(np.linalg.pinv, target=TARGET, strict=False)
def _np_pinv(a, rcond=1.0e-15):
    linalg.pinv_impl(a)

    def pinv(a, rcond=1.0e-15):
        m, n = a.shape
        if m == 0 or n == 0:
            return np.zeros((m, n), a.dtype).T
        work = new_work((m, n, 0), 2 * m * n + 2, a.dtype)
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
        relative = smallest if rcond < 0.0 else rcond
        rank = 0
        for value in s:
            rank += value > relative * s[0]
        work = new_work((m, n, 1), 2 * m * n + 2, a.dtype)
        first, cutoff, p = _parts(work, work)
        first[:] = a
        cutoff[:] = relative, relative * s[0]
        p[:] = _inverted(u, s, vh, relative * s[0])
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
