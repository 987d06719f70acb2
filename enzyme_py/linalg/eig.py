"""Eigenvalues and eigenvectors of any square matrix: np.linalg.eig and np.linalg.eigvals.

    work = [n | A | w | V]

The eigenvectors have norm one, and the largest component of a complex one is real: LAPACK says so, and
the derivative keeps both. They must be linearly independent.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload, register_jitable
from numba.np import linalg
from numba.np.numpy_support import numpy_version

from enzyme_py.frontend.external.ruled import new_work, ruled, size_in
from enzyme_py.linalg.quotients import over_gaps
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
_eig = primal_of(linalg.eig_impl)


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
    values, vectors = _eig(a)
    w[:] = values
    v[:] = vectors


def _forward(work, shadow):
    _a, w, v = _parts(work, work)
    da, dw, dv = _parts(shadow, work)
    inner = np.linalg.solve(v, da @ v)
    for i in range(len(w)):
        dw[i] = inner[i, i]
    dv[:] = v @ over_gaps(inner, w)
    for j in range(len(w)):
        dv[:, j] -= _scale(v[:, j], dv[:, j]) * v[:, j]


def _reverse(work, shadow):
    _a, w, v = _parts(work, work)
    da, dw, dv = _parts(shadow, work)
    free = np.empty_like(v)
    for j in range(len(w)):
        free[:, j] = _unscaled(v[:, j], dv[:, j])
    dual = adjoint(v)
    inner = over_gaps(dual @ free, conjugate(w))
    for i in range(len(w)):
        inner[i, i] = dw[i]
    da += np.linalg.solve(np.ascontiguousarray(dual), inner) @ dual
    dw[:] = 0.0
    dv[:] = 0.0


_decompose = ruled("eig", _primal, _forward, _reverse)


def _scale(v, tangent):
    """Return by how much of the vector itself its tangent must be less; only in compiled code."""
    raise RuntimeError


@overload(_scale, strict=False)
def _scale_for(v, tangent):
    if not isinstance(v.dtype, types.Complex):
        return lambda v, tangent: np.sum(v * tangent)

    def scale(v, tangent):
        k = _largest(v)
        along = np.sum(np.conj(v) * tangent).real
        return along + 1j * (tangent[k].imag / v[k].real)

    return scale


def _unscaled(v, pulled):
    """Return the adjoint of an eigenvector before it was scaled; only in compiled code."""
    raise RuntimeError


@overload(_unscaled, strict=False)
def _unscaled_for(v, pulled):
    if not isinstance(v.dtype, types.Complex):
        return lambda v, pulled: pulled - np.sum(v * pulled) * v

    def unscaled(v, pulled):
        k = _largest(v)
        along = np.sum(np.conj(v) * pulled)
        found = pulled - along.real * v
        found[k] -= 1j * (along.imag / v[k].real)
        return found

    return unscaled


@register_jitable
def _largest(v):
    """Return the place of the component that LAPACK has made real."""
    found = 0
    for i in range(len(v)):
        if abs(v[i].imag) <= abs(v[found].imag) and abs(v[i].real) > abs(v[found].real):
            found = i
    return found


@register_jitable(forceinline=True)
def _decomposed(a, like):
    must_be_square(a)
    n = a.shape[0]
    work = new_work((n,), n * (2 * n + 1), like)
    first, _w, _v = _parts(work, work)
    first[:] = a
    _decompose(work)
    return work


def _result_type(a: Any) -> Any:
    """Return the type of eigenvalues: since NumPy 2.5 a complex one for real matrices too."""
    always = numpy_version >= (2, 5) and not isinstance(a.dtype, types.Complex)
    return (
        np.result_type(str(a.dtype), np.complex64).type if always else np.dtype(str(a.dtype)).type
    )


@overload(np.linalg.eig, target=TARGET, strict=False)
def _np_eig(a):
    linalg.eig_impl(a)
    like = _result_type(a)

    def eig(a):
        work = _decomposed(a, like)
        _a, w, v = _parts(work, work)
        return w.copy(), v.T.copy().T

    return eig


@overload(np.linalg.eigvals, target=TARGET, strict=False)
def _np_eigvals(a):
    linalg.eigvals_impl(a)
    like = _result_type(a)

    def eigvals(a):
        work = _decomposed(a, like)
        _a, w, _v = _parts(work, work)
        return w.copy()

    return eigvals
