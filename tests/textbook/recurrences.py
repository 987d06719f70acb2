"""Tables that a loop fills from its own entries, in memory that an outer loop makes anew; updates in place."""

import math

import numba
import numpy as np

X = np.array([0.7, -0.4, 0.35, 1.1, -0.9, 0.2, 0.55, -0.3])


C = np.array([0.3, 0.8, -0.5, 0.25, 1.2, -0.1, 0.4, 0.9])


def dist3(x, c, n):
    y = x * 1.0
    s = 0.0
    for t in range(n):
        u = y * c
        for i in range(3, u.size):
            u[i] = u[i - 3] * u[i] + x[i]
        s += np.sum(u * u)
        y = u * 0.5
    return s


def dist2(x, c, n):
    s = 0.0
    for t in range(n):
        u = x * c[t]
        for i in range(2, u.size):
            u[i] = u[i - 2] * u[i] + x[i]
        for i in range(u.size):
            s += u[i] * u[i]
    return s


def dptable(x, c, n):
    s = 0.0
    m = x.size
    for t in range(n):
        D = np.zeros((m + 1, m + 1))
        for i in range(m):
            for j in range(m):
                D[i + 1, j + 1] = (
                    D[i, j] * x[i]
                    + D[i, j + 1] * c[j] * 0.5
                    + D[i + 1, j] * x[j] * 0.5
                    + (x[i] - c[j] * t) ** 2
                )
        s += D[m, m]
    return s


def hist_in_loop(x, c, n):
    s = 0.0
    m = x.size
    for t in range(n):
        u = np.zeros((5, m))
        u[0] = x * c[t]
        for k in range(4):
            for i in range(1, m - 1):
                u[k + 1, i] = u[k, i] * (u[k, i + 1] - u[k, i - 1]) + u[k, i]
        s += np.sum(u[4] ** 2)
    return s


def hist_in_fn(x, c, n):
    s = 0.0
    for t in range(n):
        s += _hist(x * c[t])
    return s


@numba.njit
def _hist(y):
    m = y.size
    u = np.zeros((5, m))
    u[0] = y
    for k in range(4):
        for i in range(1, m - 1):
            u[k + 1, i] = u[k, i] * (u[k, i + 1] - u[k, i - 1]) + u[k, i]
    return np.sum(u[4] ** 2)


def tri(x, c, n):
    s = 0.0
    m = x.size
    for t in range(n):
        b = x * c[t]
        for i in range(m):
            for j in range(i):
                b[i] -= 0.3 * b[j] * x[j]
        s += np.sum(b**2)
    return s


def tri_nl(x, c, n):
    s = 0.0
    m = x.size
    for t in range(n):
        b = x * c[t]
        for i in range(m):
            for j in range(i):
                b[i] -= 0.1 * b[j] * b[i]
        s += np.sum(b**2)
    return s


def chol_in(x, c, n):
    s = 0.0
    m = 4
    for t in range(n):
        a = np.outer(x[:4], x[:4]) * c[t] * c[t] + np.eye(4) * 2
        l = np.zeros((m, m))
        for i in range(m):
            for j in range(i + 1):
                v = a[i, j]
                for p in range(j):
                    v -= l[i, p] * l[j, p]
                l[i, j] = math.sqrt(v) if i == j else v / l[j, j]
        for i in range(m):
            s += math.log(l[i, i])
    return s


def lu_in(x, c, n):
    s = 0.0
    m = 4
    for t in range(n):
        a = np.outer(x[:4], c[:4]) * c[t] + np.eye(4) * 2
        for p in range(m):
            for i in range(p + 1, m):
                f = a[i, p] / a[p, p]
                for j in range(p, m):
                    a[i, j] -= f * a[p, j]
        q = 1.0
        for i in range(m):
            q *= a[i, i]
        s += q
    return s


def legendre(x, c, n):
    s = 0.0
    m = x.size
    for t in range(n):
        p = np.empty(m)
        p[0] = 1.0
        p[1] = x[t]
        for k in range(2, m):
            p[k] = ((2 * k - 1) * x[t] * p[k - 1] - (k - 1) * p[k - 2]) / k
        s += np.sum(c * p)
    return s


def fib(x, c, n):
    s = 0.0
    for t in range(n):
        p = np.empty(12)
        p[0] = x[t]
        p[1] = x[t + 1]
        p[2] = x[t + 2]
        for k in range(3, 12):
            p[k] = p[k - 1] * p[k - 3] + p[k - 2]
        s += p[11]
    return s


def prefix(x, c, n):
    s = 0.0
    m = x.size
    for t in range(n):
        u = x * c[t]
        d = 1
        while d < m:
            v = u.copy()
            for i in range(d, m):
                u[i] = v[i] + v[i - d] * v[i]
            d *= 2
        s += np.sum(u)
    return s


def rk_hist(x, c, n):
    s = 0.0
    for t in range(n):
        y = np.zeros((6, 2))
        y[0, 0] = x[t]
        y[0, 1] = x[t + 1]
        for k in range(5):
            y[k + 1, 0] = y[k, 0] + 0.1 * y[k, 1]
            y[k + 1, 1] = y[k, 1] - 0.1 * y[k, 0] * y[k, 0] * x[5]
        s += y[5, 0] * y[5, 1]
    return s


def bwd(x, c, n):
    s = 0.0
    m = x.size
    for t in range(n):
        u = x * c[t]
        for i in range(m - 3, -1, -1):
            u[i] = u[i + 2] * u[i] + x[i]
        s += np.sum(u**2)
    return s


def ring(x, c, n):
    m = x.size
    u = x.copy()
    s = 0.0
    for t in range(3 * n):
        u[t % m] = u[(t + 1) % m] * u[(t + 3) % m] + 0.1 * u[t % m]
        s += u[t % m]
    return s


def window(x, c, n):
    w = np.zeros(3)
    s = 0.0
    for i in range(x.size):
        w[:-1] = w[1:]
        w[-1] = x[i]
        s += w[0] * w[1] * w[2] + w[1] * w[2]
    return s


def window2(x, c, n):
    w = np.zeros(3)
    s = 0.0
    for i in range(x.size):
        for k in range(2):
            w[k] = w[k + 1]
        w[2] = x[i] * s + 0.3
        s += w[0] * w[1] * w[2] + w[1] * w[2]
    return s


def stack(x, c, n):
    st = np.zeros(20)
    top = 0
    for i in range(x.size):
        st[top] = x[i]
        top += 1
        while top > 1 and (i % 3 == 2):
            st[top - 2] = st[top - 2] * st[top - 1]
            top -= 1
    s = 0.0
    for k in range(top):
        s += st[k] * st[k]
    return s


def heapify(x, c, n):
    h = x * x
    for i in range(h.size // 2 - 1, -1, -1):
        k = i
        while True:
            j = 2 * k + 1
            if j >= h.size:
                break
            if j + 1 < h.size and h[j + 1] > h[j]:
                j += 1
            if h[k] >= h[j]:
                break
            t = h[k]
            h[k] = h[j]
            h[j] = t
            k = j
    return np.sum(h * c)


def bubble(x, c, n):
    h = x * x
    for i in range(h.size):
        for j in range(h.size - 1 - i):
            if h[j] > h[j + 1]:
                h[j], h[j + 1] = h[j + 1], h[j]
    return np.sum(h * c * h)


def jac_sweep(x, c, n):
    u = np.outer(x, c)
    for t in range(n):
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                u[i, j] = (
                    0.25 * (u[i - 1, j] * u[i + 1, j] + u[i, j - 1] * u[i, j + 1]) + 0.1 * u[i, j]
                )
    return np.sum(u**2)


def givens(x, c, n):
    a = np.outer(x[:4], c[:4]) + np.eye(4) * 2
    for j in range(3):
        for i in range(3, j, -1):
            r = math.sqrt(a[i - 1, j] ** 2 + a[i, j] ** 2)
            co = a[i - 1, j] / r
            si = a[i, j] / r
            for k in range(4):
                p = a[i - 1, k]
                q = a[i, k]
                a[i - 1, k] = co * p + si * q
                a[i, k] = -si * p + co * q
    s = 0.0
    for i in range(4):
        s += a[i, i] ** 3
    return s


def fftip(x, c, n):
    re = x.copy()
    im = np.zeros(8)
    m = 1
    while m < 8:
        for k in range(0, 8, 2 * m):
            for j in range(m):
                a = -math.pi * j / m
                wr = math.cos(a)
                wi = math.sin(a)
                tr = wr * re[k + j + m] - wi * im[k + j + m]
                ti = wr * im[k + j + m] + wi * re[k + j + m]
                re[k + j + m] = re[k + j] - tr
                im[k + j + m] = im[k + j] - ti
                re[k + j] += tr
                im[k + j] += ti
        m *= 2
    return np.sum(re**2 * c) + np.sum(im**3)


def neville(x, c, n):
    p = x.copy()
    t = np.arange(8.0)
    z = 2.3
    for k in range(1, 8):
        for i in range(8 - k):
            p[i] = ((z - t[i + k]) * p[i] + (t[i] - z) * p[i + 1] * p[i + 1]) / (t[i] - t[i + k])
    return p[0]


def casteljau(x, c, n):
    p = x.copy()
    for k in range(1, 8):
        for i in range(8 - k):
            p[i] = 0.4 * p[i] * p[i] + 0.6 * p[i + 1] * p[i]
    return p[0]
