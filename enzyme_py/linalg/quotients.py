"""Quotients by eigenvalues, their gaps or their sums, where zero by zero is zero.

    work = [rows, columns, kind | X | w | Q]

    Q[i, j] = X[i, j] / w[j], / (w[j] - w[i]) off the diagonal and 0 on it, or / (w[j] + w[i])

Where two eigenvalues are equal, the derivatives of their vectors do not exist; those of a function that
does not depend on the choice of vectors do, and there the vectors' adjoints make X zero. Zero by zero
is zero here, and anything else by zero is NaN. So it is in the derivatives too, and no plain branch
would do that: one on X == 0 has a derivative that is zero without a word.
"""

from __future__ import annotations

import numpy as np
from numba.extending import register_jitable

from enzyme_py.frontend.external.ruled import new_work, ruled, size_in
from enzyme_py.linalg.work import conjugate, first_of, matrix_at

_FIRST = first_of(3)
_COLUMNS, _GAPS, _SUMS = range(3)


@register_jitable(forceinline=True)
def _parts(work, sizes):
    rows, columns = size_in(sizes, 1), size_in(sizes, 2)
    middle = _FIRST + rows * columns
    return (
        matrix_at(work, _FIRST, rows, columns),
        work[middle : middle + columns],
        matrix_at(work, middle + columns, rows, columns),
    )


@register_jitable
def _over(x, w, kind):
    rows, columns = x.shape
    work = new_work((rows, columns, kind), (2 * rows + 1) * columns, x.dtype)
    first, values, found = _parts(work, work)
    first[:] = x
    values[:] = w
    _divide(work)
    return found.copy()


@register_jitable
def over_columns(x, w):
    """Divide each column of x by a number of its own."""
    return _over(x, w, _COLUMNS)


@register_jitable
def over_gaps(x, w):
    """Divide what stands off the diagonal by w[j] - w[i]; the diagonal becomes zero."""
    return _over(x, w, _GAPS)


@register_jitable
def over_sums(x, w):
    """Divide by w[j] + w[i]."""
    return _over(x, w, _SUMS)


def _primal(work):
    x, w, found = _parts(work, work)
    kind = size_in(work, 3)
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            divisor = w[j]
            if kind == _GAPS:
                divisor -= w[i]
            elif kind == _SUMS:
                divisor += w[i]
            if kind == _GAPS and i == j:
                found[i, j] = 0.0
            elif divisor == 0.0:
                found[i, j] = 0.0 if x[i, j] == 0.0 else np.nan
            else:
                found[i, j] = x[i, j] / divisor


def _forward(work, shadow):
    _x, w, found = _parts(work, work)
    dx, dw, tangent = _parts(shadow, work)
    kind = size_in(work, 3)
    tangent[:] = _over(dx - found * _divisors(dw, found.shape[0], kind), w, kind)


def _reverse(work, shadow):
    _x, w, found = _parts(work, work)
    dx, dw, pulled = _parts(shadow, work)
    kind = size_in(work, 3)
    own = _over(pulled, conjugate(w), kind)
    dx += own
    slopes = conjugate(found) * own
    for i in range(slopes.shape[0]):
        dw -= slopes[i]
        if kind == _GAPS:
            dw[i] += np.sum(slopes[i])
        if kind == _SUMS:
            dw[i] -= np.sum(slopes[i])
    pulled[:] = 0.0


_divide = ruled("quotients", _primal, _forward, _reverse)


@register_jitable
def _divisors(w, rows, kind):
    found = np.empty((rows, len(w)), w.dtype)
    for i in range(rows):
        if kind == _GAPS:
            found[i, :] = w - w[i]
        elif kind == _SUMS:
            found[i, :] = w + w[i]
        else:
            found[i, :] = w
    return found
