"""Records, lists, dicts and jitclasses that hold numbers; time steps, decompositions, dynamic programming."""

import math

import numba
import numpy as np
from numba.experimental import jitclass as _jc
from numba.typed import Dict as _TD
from numba.typed import List as _TL

_rec = np.dtype([("p", "f8"), ("v", "f8", (2,)), ("k", "i8")])


def records(x, c, n):
    r = np.zeros(3, dtype=_rec)
    for i in range(3):
        r[i].p = x[i]
        r[i].v[0] = x[i + 3]
        r[i].v[1] = x[i] * x[i + 3]
        r[i].k = i
    for t in range(n):
        for i in range(3):
            r[i].p += 0.1 * r[i].v[0]
            r[i].v[0] *= r[i].p
        r[1].p = 0.5
    s = 0.0
    for i in range(3):
        s += r[i].p ** 2 + r[i].v[0] ** 2 * r[i].k + r[i].v[1]
    return s


def typedlist(x, c, n):
    l = _TL()
    for i in range(3):
        l.append(x * (i + 1.0))
    l[1][2] = 0.5
    l[0] = c * x
    l[2][:] = l[1]
    s = 0.0
    for a in l:
        s += np.sum(a**2)
    return s


def typeddict(x, c, n):
    d = _TD()
    d[0] = x * x
    d[1] = x * 2.0
    d[0][1] = 0.5
    d[1][:] = d[0] * x
    return np.sum(d[1] ** 2)


@_jc([("a", numba.float64[:]), ("s", numba.float64)])
class _Box:
    def __init__(self, a, s):
        self.a = a
        self.s = s

    def step(self, v):
        self.a[0] = v
        self.s = self.s * self.a[1]
        self.a[2] = 0.5


def jitcls(x, c, n):
    b = _Box(x * x, x[3])
    for k in range(n):
        b.step(b.s * 0.5)
        b.a[3] = c[k]
        b.s += 0.1
    return np.sum(b.a**2) + b.s


def rows_list(x, c, n):
    a = np.outer(x, x)
    rows = [a[i] for i in range(3)]
    rows[1][0] = 0.5
    rows[2][:] = c
    rows[0], rows[1] = rows[1], rows[0]
    rows[0][2] = x[0]
    return np.sum(a**2)


def list_tuples(x, c, n):
    l = [(x[i], x * x[i]) for i in range(3)]
    l[1][1][2] = 0.5
    s = 0.0
    for v, a in l:
        s += v * np.sum(a**2)
    return s


def list_lists(x, c, n):
    l = [[x[i], x[i] * x[i + 1]] for i in range(3)]
    l[1][0] = 0.5
    l[2].append(x[5] ** 2)
    s = 0.0
    for q in l:
        for v in q:
            s += v**2
    return s


def list_slice(x, c, n):
    l = [v * v for v in x]
    l[1:3] = [0.5, l[0] * x[1]]
    del l[0]
    l.insert(1, x[4])
    l.reverse()
    s = 0.0
    for i, v in enumerate(l):
        s += v**2 * (i + 1)
    return s


def forelse(x, c, n):
    s = 0.0
    for i in range(6):
        s += x[i] ** 3
        if s > 100:
            break
    else:
        s *= x[0]
    return s


@numba.vectorize
def _vec(a, b):
    return a * b if a > 0 else b**2


def vect(x, c, n):
    return np.sum(_vec(x, x * x) ** 2)


def two_views(x, c, n):
    b = x * x
    p, q = _halves(b)
    p[1] = 0.5
    q[:] = p * x[:3]
    return np.sum(b**2)


@numba.njit
def _halves(b):
    return b[:3], b[3:]


def inout(x, c, n):
    w = np.zeros((2, 6))
    _ker(x, w)
    _ker(w[0], w)
    return np.sum(w**2)


@numba.njit(inline="never")
def _ker(a, w):
    for i in range(a.size):
        w[0, i] = a[i] * a[i]
        w[1, i] += a[i] * 0.5
    w[0, 1] = 0.5


def hetero(x, c, n):
    t = (x[0], x * x, 3, (x[1], x[2:]))
    return t[0] * np.sum(t[1]) * t[2] + t[3][0] * np.sum(t[3][1] ** 2)


def upwind(x, c, n):
    u = x.copy()
    for t in range(n):
        f = np.zeros(7)
        for i in range(6):
            a = 0.5 * (u[i] + u[i - 1])
            f[i] = 0.5 * u[i - 1] ** 2 if a > 0 else 0.5 * u[i] ** 2
        f[6] = f[0]
        for i in range(6):
            u[i] -= 0.1 * (f[i + 1] - f[i])
    return np.sum(u**3)


def mc(x, c, n):
    np.random.seed(3)
    s = 0.0
    for t in range(n):
        z = np.random.normal()
        s += max(x[0] * np.exp(x[1] * z) - x[2], 0.0)
    return s / n


def bspline(x, c, n):
    t = np.arange(10.0)
    d = x.copy()
    u = 3.3
    for r in range(1, 4):
        for j in range(3, r - 1, -1):
            a = (u - t[j]) / (t[j + 4 - r] - t[j])
            d[j] = (1 - a) * d[j - 1] + a * d[j]
    return d[3] ** 2


def viterbi(x, c, n):
    d = x[:3].copy()
    for t in range(n):
        e = np.empty(3)
        for j in range(3):
            b = -1e9
            for i in range(3):
                v = d[i] + x[3 + (i + j) % 3] * c[t]
                if v > b:
                    b = v
            e[j] = b - (c[t] - x[j]) ** 2
        d = e
    return np.max(d)


def levenshtein(x, c, n):
    D = np.zeros((7, 7))
    for i in range(7):
        D[i, 0] = i * 0.7
        D[0, i] = i * 0.7
    for i in range(6):
        for j in range(6):
            D[i + 1, j + 1] = min(D[i, j] + abs(x[i] - c[j]), D[i, j + 1] + 0.7, D[i + 1, j] + 0.7)
    return D[6, 6] ** 2


def dtw(x, c, n):
    D = np.full((7, 7), np.inf)
    D[0, 0] = 0.0
    for i in range(6):
        for j in range(6):
            D[i + 1, j + 1] = (x[i] - c[j]) ** 2 + min(D[i, j], D[i, j + 1], D[i + 1, j])
    return D[6, 6]


def gauss_seidel(x, c, n):
    y = np.zeros(6)
    for t in range(n):
        for i in range(6):
            y[i] = (
                c[i] - (x[i] * (y[i - 1] if i > 0 else 0.0) + x[i] * (y[i + 1] if i < 5 else 0.0))
            ) / (4 + x[i] ** 2)
    return np.sum(y**2)


def cg(x, c, n):
    A = np.outer(x, x) + 4 * np.eye(6)
    y = np.zeros(6)
    r = c - A @ y
    p = r.copy()
    rs = r @ r
    for t in range(n):
        Ap = A @ p
        a = rs / (p @ Ap)
        y += a * p
        r -= a * Ap
        q = r @ r
        p = r + (q / rs) * p
        rs = q
    return np.sum(y**2)


def power_it(x, c, n):
    A = np.outer(x, x) + np.diag(c + 2)
    v = np.ones(6)
    for t in range(n):
        v = A @ v
        v /= np.linalg.norm(v)
    return v @ A @ v


def householder(x, c, n):
    A = np.outer(x, x) + np.diag(c + 2.0)
    R = A.copy()
    for k in range(5):
        v = R[k:, k].copy()
        v[0] += math.copysign(np.sqrt(v @ v), v[0])
        v /= np.sqrt(v @ v)
        R[k:, k:] -= 2.0 * np.outer(v, v @ R[k:, k:])
    s = 0.0
    for i in range(6):
        s += math.log(abs(R[i, i]))
    return s


def jacobi_rot(x, c, n):
    A = np.outer(x, x) + np.diag(c + 2.0)
    for p in range(2):
        for q in range(p + 1, 3):
            t = 0.5 * math.atan2(2 * A[p, q], A[q, q] - A[p, p])
            co = math.cos(t)
            si = math.sin(t)
            J = np.eye(6)
            J[p, p] = co
            J[q, q] = co
            J[p, q] = si
            J[q, p] = -si
            A = J.T @ A @ J
    return A[0, 0] ** 2 + A[1, 1]


def lstm(x, c, n):
    h = np.zeros(2)
    s = np.zeros(2)
    W = np.outer(x, c)[:4, :4] * 1.0
    L = 0.0
    for t in range(n):
        z = W @ np.concatenate((h, c[t : t + 2]))
        i = 1 / (1 + np.exp(-z[:2]))
        g = np.tanh(z[2:])
        s = 0.9 * s + i * g
        h = i * np.tanh(s)
        L += np.sum((h - c[t]) ** 2)
    return L
