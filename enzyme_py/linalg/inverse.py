"""The inverse of a matrix, and its powers: np.linalg.inv, np.linalg.matrix_power.

    work = [n | A | X]     X transposed, as LAPACK leaves it

The derivative of X is -X dA X, so the rules are two products each.
"""

from __future__ import annotations

import numpy as np
from numba.core import types
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


@overload(np.linalg.matrix_power, target=TARGET, strict=False)
def _np_matrix_power(a, n):
    """Numba's own has a path without a return, so that its result may be None, and exchanges buffers in a loop."""
    if isinstance(n, types.Integer):
        linalg.matrix_power_impl(a, n)  # says what is no matrix
        return _matrix_power
    return None


def _matrix_power(a, n):
    size, rest, bits = a.shape[0], abs(n), 0
    if n == 0:
        return np.eye(size).astype(a.dtype)
    if size != a.shape[1]:
        raise ValueError("input must be a square array")
    while rest >> bits != 0:
        bits += 1
    squares = np.empty((bits, size, size), a.dtype)  # a, a^2, a^4
    products = np.empty((bits, size, size), a.dtype)
    if n < 0 and size > 0:
        squares[0] = np.linalg.inv(a)
    else:
        squares[0] = a
    for i in range(1, bits):
        squares[i] = np.dot(squares[i - 1], squares[i - 1])
    if rest == 3:
        return np.dot(squares[1], squares[0])
    count = 0
    for i in range(bits):
        if rest >> i & 1:
            if count == 0:
                products[0] = squares[i]
            else:
                products[count] = np.dot(products[count - 1], squares[i])
            count += 1
    return products[count - 1].copy()
