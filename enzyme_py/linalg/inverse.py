"""The inverse of a matrix: np.linalg.inv.

    work = [n | A | X]     X transposed, as LAPACK leaves it

The derivative of X is -X dA X, so the rules are two products each.
"""

from __future__ import annotations

import numpy as np
from numba.extending import overload, register_jitable
from numba.np import linalg

from enzyme_py.frontend.external.ruled import new_work, ruled, size_in
from enzyme_py.linalg.work import (
    TARGET,
    conjugate,
    first_of,
    matrix_at,
    must_be_square,
    primal_of,
)

_FIRST = first_of(1)
_inv = primal_of(linalg.inv_impl)


@register_jitable(forceinline=True)
def _parts(work, sizes):
    n = size_in(sizes, 1)
    return matrix_at(work, _FIRST, n, n), matrix_at(work, _FIRST + n * n, n, n)


def _primal(work):
    a, x = _parts(work, work)
    x[:] = _inv(a).T


def _forward(work, shadow):
    _a, x = _parts(work, work)
    da, dx = _parts(shadow, work)
    dx[:] = -(x @ da.T @ x)


def _reverse(work, shadow):
    _a, x = _parts(work, work)
    da, dx = _parts(shadow, work)
    own = conjugate(x)
    da -= own @ dx.T @ own
    dx[:] = 0.0


_invert = ruled("inv", _primal, _forward, _reverse)


@overload(np.linalg.inv, target=TARGET, strict=False)
def _np_inv(a):
    linalg.inv_impl(a)
    return _inverse


def _inverse(a):
    must_be_square(a)
    n = a.shape[0]
    work = new_work((n,), 2 * n * n, a.dtype)
    first, x = _parts(work, work)
    first[:] = a
    _invert(work)
    return x.copy().T
