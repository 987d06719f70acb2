"""Plain arithmetic carried from turn to turn: no function whose slope is kept hides what is read again."""

import numba
import numpy as np

X = np.array([0.7, -0.4, 0.35, 0.9, -0.8, 0.2])


C = np.array([0.3, 0.8, -0.5, 0.25, 0.9, -0.1])


def carried(x, c, n):
    v = x.copy()
    for t in range(n):
        v = v * v * 0.5 + x
    return np.sum(v)


def carried2(x, c, n):
    v = x.copy()
    w = c * x
    for t in range(n):
        v, w = w * v, v + w * w
    return np.sum(v * w)


def carried_mat(x, c, n):
    a = np.outer(x, c)
    for t in range(n):
        a = a @ a * 0.3 + np.outer(c, x)
    return np.sum(a * a)


def matvec(x, c, n):
    a = np.outer(x, c) + np.eye(6)
    h = x * 1.0
    for t in range(n):
        h = a @ h * 0.5
        h = h * h
    return np.sum(h)


def matvec2(x, c, n):
    a = np.outer(x, c) + np.eye(6)
    h = x * 1.0
    s = 0.0
    for t in range(n):
        z = a @ h
        h = z * h * 0.3
        s += z @ h
    return s


def grow(x, c, n):
    y = x[:1] * 1.0
    for t in range(n):
        y = np.concatenate((y, y * y[-1] * x[t : t + 1]))
    return np.sum(y * y)


def grow2(x, c, n):
    y = np.empty(0)
    for t in range(6):
        y = np.append(y, x[t] * x[t])
    return np.sum(y * y * c)


def temp_once(x, c, n):
    s = 0.0
    for t in range(n):
        u = x * c[t]
        v = u * x
        w = v * u
        s += np.sum(w * v)
    return s


def temp_branch(x, c, n):
    s = 0.0
    v = x * 1.0
    for t in range(n):
        if c[t] > 0.1:
            v = v * x
        else:
            v = v * v
        s += np.sum(v * v)
    return s


def temp_slice(x, c, n):
    v = x * 1.0
    s = 0.0
    for t in range(n):
        v[1:] = v[:-1] * v[1:]
        v[0] = v[-1] * v[0]
        s += v[2] * v[3]
    return s


def temp_slice2(x, c, n):
    v = x * 1.0
    for t in range(n):
        v[1:-1] += v[2:] * v[:-2]
    return np.sum(v * v)


def temp_slice3(x, c, n):
    v = x * 1.0
    for t in range(n):
        v[:-1] *= v[1:]
    return np.sum(v * v)


def temp_slice4(x, c, n):
    v = x * 1.0
    for t in range(n):
        v[1:] = v[:-1] * v[1:]
    return v[2]


def rev_slice(x, c, n):
    v = x * 1.0
    for t in range(n):
        v *= v[::-1]
    return np.sum(v)


def rev_slice2(x, c, n):
    v = x * 1.0
    for t in range(n):
        v[:] = v[::-1] * v
    return np.sum(v * c)


def roll(x, c, n):
    v = x * 1.0
    for t in range(n):
        v = np.roll(v, 1) * v + c
    return np.sum(v * v)


def tr(x, c, n):
    a = np.outer(x, c)
    for t in range(n):
        a = a.T * a
    return np.sum(a)


def tr2(x, c, n):
    a = np.outer(x, c) + 1.0
    for t in range(n):
        a[:] = a.T * a * 0.5
    return np.sum(a)


def rows(x, c, n):
    a = np.outer(x, c) + 1.0
    for t in range(n):
        for i in range(1, 6):
            a[i] *= a[i - 1]
    return np.sum(a)


def rows_s(x, c, n):
    a = np.outer(x, c) + 1.0
    for i in range(6):
        a[i] /= np.sum(a[i] * a[i])
    for j in range(6):
        a[:, j] *= np.sum(a[:, j])
    return np.sum(a * a)


def gs_ortho(x, c, n):
    a = np.outer(x, c) + np.diag(c + 1.5)
    for j in range(6):
        for k in range(j):
            a[:, j] -= (
                np.dot(np.ascontiguousarray(a[:, k]), np.ascontiguousarray(a[:, j])) * a[:, k]
            )
        a[:, j] /= np.sqrt(np.sum(a[:, j] ** 2))
    return np.sum(a * np.outer(c, x))


def cums(x, c, n):
    v = x * 1.0
    for t in range(n):
        v = np.cumsum(v) * v
    return np.sum(v)


def lists(x, c, n):
    l = [v for v in x]
    for t in range(n):
        for i in range(len(l) - 1):
            l[i] = l[i] * l[i + 1]
    s = 0.0
    for v in l:
        s += v
    return s


def lists2(x, c, n):
    l = [x * 1.0]
    for t in range(n):
        l.append(l[-1] * l[0])
        l[0] = l[-1] * l[0]
    s = 0.0
    for v in l:
        s += np.sum(v)
    return s


def dicts(x, c, n):
    d = {0: x[0], 1: x[1], 2: x[2]}
    for t in range(n):
        for k in range(2):
            d[k] = d[k] * d[k + 1]
    return d[0] + d[1] * d[2]


def cplx(x, c, n):
    z = x + 1j * c
    for t in range(n):
        for i in range(5):
            z[i] = z[i] * z[i + 1]
    return np.sum(z.real * z.imag)


def f32acc(x, c, n):
    s = x[0] * x[1]
    for i in range(5):
        s = s * x[i] + x[i + 1] * s
    return s


def nested3(x, c, n):
    u = x * 1.0
    for a in range(2):
        for b in range(2):
            for i in range(5):
                u[i] = u[i] * u[i + 1] + 0.1 * a * u[i] * u[i]
            u[5] = u[5] * u[0] + b
    return np.sum(u * u)


def whilep(x, c, n):
    u = x * 1.0
    k = 0
    while k < n:
        i = 0
        while i < 5:
            u[i] = u[i] * u[i + 1]
            i += 1
        k += 1
    return np.sum(u)


def brk(x, c, n):
    u = x * 1.0
    for t in range(n):
        for i in range(5):
            u[i] = u[i] * u[i + 1]
            if abs(u[i]) < 0.02:
                break
    return np.sum(u)


def cont(x, c, n):
    u = x * 1.0
    for t in range(n):
        for i in range(5):
            if c[i] < 0:
                continue
            u[i] = u[i] * u[i + 1]
    return np.sum(u)


def early(x, c, n):
    u = x * 1.0
    for t in range(n):
        for i in range(5):
            u[i] = u[i] * u[i + 1] + 0.1
            if t == 2 and i == 3:
                return np.sum(u * u)
    return np.sum(u)


@numba.njit
def _upd(u):
    for i in range(u.size - 1):
        u[i] = u[i] * u[i + 1]


def infn(x, c, n):
    u = x * 1.0
    for t in range(n):
        _upd(u)
    return np.sum(u * u)


@numba.njit
def _upd2(u, i):
    u[i] = u[i] * u[i + 1]


def infn2(x, c, n):
    u = x * 1.0
    for t in range(n):
        for i in range(5):
            _upd2(u, i)
    return np.sum(u * u)


def infn3(x, c, n):
    a = np.outer(x, c) + 1.0
    for t in range(n):
        for i in range(6):
            _upd(a[i])
        for i in range(6):
            _upd(a[:, i])
    return np.sum(a * a)


def tup(x, c, n):
    u = x * 1.0
    v = c * x
    for t in range(n):
        for w in (u, v):
            for i in range(5):
                w[i] = w[i] * w[i + 1]
        u[5] = v[0] * u[5]
    return np.sum(u) + np.sum(v * v)
