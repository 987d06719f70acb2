"""Writing through views, containers and helpers."""

from collections import namedtuple

import numba
import numpy as np

_St = namedtuple("_St", "p v")  # noqa: PYI024  Numba knows these


def add_out(x, c, n):
    b = np.empty(6)
    np.add(x, c, b)
    np.multiply(b, x, b)
    return np.sum(b**2)


def sin_out(x, c, n):
    b = x.copy()
    np.sin(b, b)
    b[2] = c[2]
    np.exp(b, b)
    return np.sum(b)


def fill(x, c, n):
    b = x * x
    s = np.sum(b**2)
    b.fill(0.5)
    return s + np.sum(b * x)


def dots(x, c, n):
    b = x * x
    b[...] = c
    return np.sum(b * x)


def filldiag(x, c, n):
    a = np.outer(x, x)
    np.fill_diagonal(a, 0.5)
    return np.sum(a**2)


def t_write(x, c, n):
    a = np.outer(x, x)
    a.T[1] = c
    return np.sum(a**2)


def real_write(x, c, n):
    z = x * (1 + 2j)
    z.real[1] = 0.5
    z.imag[2] = c[2]
    return np.sum((z * z).real)


def real_write2(x, c, n):
    z = x * (1 + 2j)
    r = z.real
    r[:] = c
    return np.sum((z * np.conj(z)).real)


def rows_iter(x, c, n):
    a = np.outer(x, x)
    for row in a:
        row[0] = 0.5
    return np.sum(a**2)


def rows_iter2(x, c, n):
    a = np.outer(x, x)
    for row in a:
        row *= x
    return np.sum(a**2)


def rows_enum(x, c, n):
    a = np.outer(x, x)
    for i, row in enumerate(a):
        row[i] = c[i]
    return np.sum(a**2)


def rows_zip(x, c, n):
    a = np.outer(x, x)
    b = np.outer(c, x)
    for r, q in zip(a, b):
        r[1:] = q[:-1]
        q[0] = 2.0
    return np.sum(a**2) + np.sum(b**2)


def chain_index(x, c, n):
    a = np.outer(x, x)
    a[0][1] = 0.5
    a[2][:] = c
    return np.sum(a**2)


def atleast(x, c, n):
    b = x * x
    np.atleast_2d(b)[0, 1] = 0.5
    return np.sum(b**2)


def expand(x, c, n):
    b = x * x
    np.expand_dims(b, 0)[0, 1] = 0.5
    return np.sum(b**2)


def ascontig(x, c, n):
    b = x * x
    np.ascontiguousarray(b)[1] = 0.5
    return np.sum(b**2)


def asarr(x, c, n):
    b = x * x
    np.asarray(b)[1] = 0.5
    return np.sum(b**2)


def neg1(x, c, n):
    a = np.outer(x, x)
    a.reshape(-1)[3] = 0.5
    return np.sum(a**2)


def flat_w(x, c, n):
    a = np.outer(x, x)
    for k in range(0, 36, 7):
        a.flat[k] = c[0]
    return np.sum(a**2)


def splitv(x, c, n):
    b = x * x
    p, q = np.split(b, 2)
    p[0] = 0.5
    q[:] = c[:3]
    return np.sum(b**2)


def slices_of_slices(x, c, n):
    b = x * x
    v = b[1:]
    u = v[::2]
    u[1] = 0.5
    v[0] = c[0]
    return np.sum(b**2)


def neg_stride(x, c, n):
    b = x * x
    v = b[::-1]
    v[1:3] = c[1:3]
    return np.sum(b**2)


def nt_write(x, c, n):
    s = _St(x[:3].copy(), x[3:].copy())
    for k in range(n):
        s.p[:] = s.p + 0.1 * s.v
        s.v[0] = c[k]
        s.v[1:] *= 0.9
    return np.sum(s.p**2) + np.sum(s.v**2)


def nt_replace(x, c, n):
    s = _St(x[:3].copy(), x[3:].copy())
    for k in range(n):
        s = _St(s.p + 0.1 * s.v, np.sin(s.p))
    return np.sum(s.p**2) + np.sum(s.v**2)


def tuple_arr(x, c, n):
    t = (x * x, x * 2.0)
    t[0][1] = 0.5
    t[1][:] = t[0] * x
    return np.sum(t[1] ** 2)


def closure_w(x, c, n):
    b = x * x

    def put(a, i, v):
        a[i] = v

    put(b, 1, 0.5)
    put(b, 2, c[2])
    put(b, 3, x[0])
    return np.sum(b**2)


@numba.njit
def _view(a):
    return a[1:4]


def helper_view(x, c, n):
    b = x * x
    _view(b)[1] = 0.5
    return np.sum(b**2)


@numba.njit(inline="never")
def _zero(a, i):
    a[i] = 0.5


def helper_zero(x, c, n):
    b = x * x
    for i in range(3):
        _zero(b, i)
    return np.sum(b**2)


@numba.njit
def _pick(a, b, k):
    return a if k > 2 else b


def helper_pick(x, c, n):
    a = x * x
    b = x * 3.0
    w = _pick(a, b, n)
    w[1] = 0.5
    return np.sum(a**2) + np.sum(b**2)
