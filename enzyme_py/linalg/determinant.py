"""Determinants: np.linalg.det and np.linalg.slogdet.

    work = [n | A | determinant]
    work = [n | A | sign, logarithm]

The derivative of the determinant by A are the cofactors. They exist where A is singular too, and there
are computed from singular values. Their own derivative, the second one, needs the inverse.
"""

from __future__ import annotations

import numpy as np
from numba.core import types
from numba.extending import overload, register_jitable
from numba.np import linalg

from enzyme_py.frontend.external.ruled import new_work, ruled, size_in
from enzyme_py.linalg.factors import factored, substitute
from enzyme_py.linalg.work import (
    INTEGER,
    TARGET,
    conjugate,
    first_of,
    matrix_at,
    must_be_square,
    primal_of,
    real_type,
)

_FIRST = first_of(1)
_log_det = primal_of(linalg.slogdet_impl)
_svd = primal_of(linalg.svd_impl)


@register_jitable(forceinline=True)
def _parts(work, sizes):
    n = size_in(sizes, 1)
    return matrix_at(work, _FIRST, n, n), work[_FIRST + n * n :]


def _primal(work):
    a, found = _parts(work, work)
    sign, logarithm = _log_det(a)
    found[0] = sign * np.exp(logarithm)


def _forward(work, shadow):
    a, found = _parts(work, work)
    da, tangent = _parts(shadow, work)
    tangent[0] = np.sum(_cofactors(a, found[0]) * da)


def _reverse(work, shadow):
    a, found = _parts(work, work)
    da, pulled = _parts(shadow, work)
    da += pulled[0] * conjugate(_cofactors(a, found[0]))
    pulled[0] = 0.0


_determinant = ruled("det", _primal, _forward, _reverse)


@register_jitable(forceinline=True)
def _cofactor_parts(work, sizes):
    n = size_in(sizes, 1)
    return (
        matrix_at(work, _FIRST, n, n),
        matrix_at(work, _FIRST + n * n, n, n),
        work[_FIRST + 2 * n * n :],
    )


@register_jitable
def _cofactors(a, determinant):
    n = a.shape[0]
    work = new_work((n,), 2 * n * n + 1, a.dtype)
    first, cofactors, value = _cofactor_parts(work, work)
    first[:] = a
    value[0] = determinant
    _cofactor(work)
    return cofactors.copy()


def _cofactor_primal(work):
    """Write the cofactors; the determinant comes with the work array, and has no derivative here."""
    a, cofactors, value = _cofactor_parts(work, work)
    n = a.shape[0]
    factors, pivots = np.empty((n, n), a.dtype), np.empty(n, INTEGER)
    inverse = np.zeros((n, n), a.dtype)  # its rows are the columns of the inverse
    is_regular = factored(a, factors, pivots)
    if is_regular:
        for i in range(n):
            inverse[i, i] = 1.0
        substitute(factors, pivots, inverse, False)
        condition = np.sqrt(np.sum(np.abs(a) ** 2) * np.sum(np.abs(inverse) ** 2))
        is_regular = condition < _largest_condition(a)
    if is_regular:
        cofactors[:] = value[0] * inverse
    else:
        cofactors[:] = _from_singular_values(a)


def _largest_condition(a):
    """Return up to which condition number the inverse gives cofactors; only in compiled code."""
    raise RuntimeError


@overload(_largest_condition, strict=False)
def _largest_condition_for(a):
    largest = float(np.finfo(real_type(a.dtype)).eps ** -0.5)

    def limit(a):
        return largest

    return limit


@register_jitable
def _from_singular_values(a):
    n = a.shape[0]
    u, s, vh = _svd(a, False)
    sign = _log_det(u)[0] * _log_det(vh)[0]
    scaled = np.empty((n, n), a.dtype)
    for i in range(n):
        others = 1.0
        for j in range(n):
            if j != i:
                others *= s[j]
        scaled[i, :] = others * vh[i, :]
    return sign * (conjugate(u) @ conjugate(scaled))


def _cofactor_forward(work, shadow):
    a, cofactors, _ = _cofactor_parts(work, work)
    da, tangent, _ = _cofactor_parts(shadow, work)
    inverse = np.linalg.inv(a)
    tangent[:] = (np.sum(cofactors * da) * inverse - inverse @ da @ cofactors.T).T


def _cofactor_reverse(work, shadow):
    a, cofactors, _ = _cofactor_parts(work, work)
    da, pulled, _ = _cofactor_parts(shadow, work)
    inverse = conjugate(np.linalg.inv(a))
    own = conjugate(cofactors)
    da += np.sum(pulled.T * inverse) * own - inverse.T @ pulled.T @ own
    pulled[:] = 0.0


_cofactor = ruled("cofactors", _cofactor_primal, _cofactor_forward, _cofactor_reverse)


@overload(np.linalg.det, target=TARGET, strict=False)
def _np_det(a):
    linalg.det_impl(a)
    return _det


def _det(a):
    must_be_square(a)
    n = a.shape[0]
    work = new_work((n,), n * n + 1, a.dtype)
    first, found = _parts(work, work)
    first[:] = a
    _determinant(work)
    return found[0]


def _log_primal(work):
    a, found = _parts(work, work)
    found[0], found[1] = _log_det(a)


def _log_forward(work, shadow):
    a, found = _parts(work, work)
    da, tangent = _parts(shadow, work)
    trace = np.sum(np.linalg.inv(a).T * da)
    tangent[0] = _turned(found[0], trace)
    tangent[1] = trace.real


def _log_reverse(work, shadow):
    a, found = _parts(work, work)
    da, pulled = _parts(shadow, work)
    da += _pulled_trace(found[0], pulled) * conjugate(np.linalg.inv(a)).T
    pulled[:] = 0.0


_logarithm = ruled("slogdet", _log_primal, _log_forward, _log_reverse)


def _turned(sign, trace):
    """Return the tangent of the sign, which turns with the imaginary part; a real one stays."""
    raise RuntimeError


@overload(_turned, strict=False)
def _turned_for(sign, trace):
    def turned(sign, trace):
        return 1j * trace.imag * sign

    def stays(sign, trace):
        return 0.0

    return turned if isinstance(sign, types.Complex) else stays


def _pulled_trace(sign, pulled):
    """Return the adjoint of the trace of A^-1 dA; only in compiled code."""
    raise RuntimeError


@overload(_pulled_trace, strict=False)
def _pulled_trace_for(sign, pulled):
    def turned(sign, pulled):
        return pulled[1].real - 1j * (sign * np.conj(pulled[0])).imag

    def stays(sign, pulled):
        return pulled[1]

    return turned if isinstance(sign, types.Complex) else stays


@overload(np.linalg.slogdet, target=TARGET, strict=False)
def _np_slogdet(a):
    linalg.slogdet_impl(a)

    def slogdet(a):
        must_be_square(a)
        n = a.shape[0]
        work = new_work((n,), n * n + 2, a.dtype)
        first, found = _parts(work, work)
        first[:] = a
        _logarithm(work)
        return found[0], found[1].real

    return slogdet
