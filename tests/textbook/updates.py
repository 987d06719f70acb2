"""Arrays that are updated: by masks, lists of places, slices, swaps, in loops of textbooks."""

import math

import numba
import numpy as np


def mask_assign(x, c, n):
    b = x * x
    b[c > 0.2] = c[c > 0.2]
    return np.sum(b * b * b)


def mask_scalar(x, c, n):
    b = x * x
    b[b > 0.3] = 0.25
    return np.sum(b**3)


def mask_add(x, c, n):
    b = x * x
    b[c > 0.2] += x[c > 0.2]
    return np.sum(b**3)


def fancy(x, c, n):
    i = np.array([0, 2, 2, 1])
    b = x * x
    b[i] = x[:4] * 2.0
    return np.sum(b**3)


def fancy_const(x, c, n):
    i = np.array([0, 2, 1])
    b = x * x
    b[i] = c[:3]
    return np.sum(b**3)


def fancy_read(x, c, n):
    i = np.array([0, 2, 2, 5])
    return np.sum(x[i] ** 3)


def three(x, c, n):
    a = np.zeros((2, 3, 6))
    for i in range(2):
        for j in range(3):
            a[i, j] = x * (i + 1) + j
    b = a[:, 1, :]
    b *= x
    a[1, :, 2] = c[:3]
    return np.sum(a**2) + np.sum(b**3)


def three_t(x, c, n):
    a = x.reshape((1, 2, 3))
    t = np.transpose(a, (2, 0, 1)).copy()
    t[1, 0, :] = 0.5
    return np.sum(t**3) + t[0, 0, 1] * x[0]


def swap_bufs(x, c, n):
    u = x.copy()
    w = np.zeros_like(u)
    for t in range(n):
        for i in range(1, u.size - 1):
            w[i] = u[i] + 0.1 * (u[i + 1] - 2 * u[i] + u[i - 1]) * u[i]
        u, w = w, u
    return np.sum(u**3)


def inplace_stencil(x, c, n):
    u = x.copy()
    for t in range(n):
        u[1:-1] += 0.1 * (u[2:] - 2 * u[1:-1] + u[:-2]) * u[1:-1]
    return np.sum(u**3)


def swap_elem(x, c, n):
    b = x * x
    for i in range(n // 2):
        b[i], b[5 - i] = b[5 - i], b[i]
    return b[0] ** 3 + 2 * b[1] ** 2 + b[5]


def swap_rows(x, c, n):
    a = x.reshape((2, 3)) * 1.0
    t = a[0].copy()
    a[0] = a[1]
    a[1] = t * t
    return np.sum(a**3)


def sort_inplace(x, c, n):
    b = x * x
    b.sort()
    return b[0] * b[1] ** 2 + b[5] ** 3


def newton(x, c, n):
    y = 1.0
    for k in range(50):
        d = (y * y * y - x[0] * x[0] - 2.0) / (3 * y * y)
        y -= d
        if abs(d) < 1e-14:
            break
    return y * x[1]


def whileconv(x, c, n):
    s = 0.0
    t = 1.0
    k = 0
    while abs(t) > 1e-12 and k < 200:
        t *= x[0] * 0.5 / (k + 1)
        s += t
        k += 1
    return s * x[2]


def ndenum(x, c, n):
    a = x.reshape((2, 3))
    s = 0.0
    for (i, j), v in np.ndenumerate(a):
        s += v**3 * (i + j)
    return s


def ndindex(x, c, n):
    a = x.reshape((2, 3)).copy()
    s = 0.0
    for i in np.ndindex(a.shape):
        a[i] *= a[i]
        s += a[i] * x[i[1]]
    return s


def nditer(x, c, n):
    s = 0.0
    for v in np.nditer(x):
        s += v.item() ** 3
    return s


def flatiter(x, c, n):
    a = x.reshape((2, 3)).copy()
    s = 0.0
    for v in a.flat:
        s += v**3
    return s


def alias(x, c, n):
    b = x
    b2 = x.copy()
    b2[1:] = b[:-1] * b[1:]
    return np.sum(b2**2)


def overlap(x, c, n):
    b = x * x
    b[1:] = b[:-1]
    return np.sum(b**3)


def overlap2(x, c, n):
    b = x * x
    b[:-1] = b[1:] * c[1:]
    return np.sum(b**3)


def overlap_loop(x, c, n):
    b = x * x
    for k in range(n):
        b[1:] = b[:-1]
    return np.sum(b**3)


def empty_arr(x, c, n):
    b = x[:0]
    s = np.sum(b * b)
    for k in range(n):
        b = np.concatenate((b, x[k : k + 1] ** 2))
        s += np.sum(b) * b[-1]
    return s


def bools(x, c, n):
    m = x > 0.1
    s = 0.0
    for i in range(6):
        if m[i]:
            s += x[i] ** 3
        else:
            m[i] = True
    return s * np.sum(m)


def argsort_gather(x, c, n):
    i = np.argsort(x)
    y = x[i]
    return np.sum(y * np.arange(6.0) * y)


def ints(x, c, n):
    k = (x * 9.7).astype(np.int64)
    return np.sum(k * x**2)


def minmax_track(x, c, n):
    best = -1e9
    j = 0
    for i in range(6):
        if x[i] * x[i] > best:
            best = x[i] * x[i]
            j = i
    return best * x[j]


def two_d_loop(x, c, n):
    a = np.outer(x, x)
    for i in range(6):
        a[i, i] = c[i]
        for j in range(i):
            a[i, j] = a[j, i] * 0.5
    return np.sum(a**2)


def cholesky_hand(x, c, n):
    m = np.outer(x, x) + np.eye(6) * 3.0
    for j in range(6):
        for k in range(j):
            for i in range(j, 6):
                m[i, j] -= m[i, k] * m[j, k]
        d = math.sqrt(m[j, j])
        for i in range(j, 6):
            m[i, j] /= d
    s = 0.0
    for i in range(6):
        s += math.log(m[i, i])
    return s


def lu_hand(x, c, n):
    m = np.outer(x, c) + np.eye(6) * 3.0
    b = x * x
    for k in range(6):
        for i in range(k + 1, 6):
            f = m[i, k] / m[k, k]
            m[i, k:] -= f * m[k, k:]
            b[i] -= f * b[k]
    for k in range(5, -1, -1):
        for j in range(k + 1, 6):
            b[k] -= m[k, j] * b[j]
        b[k] /= m[k, k]
    return np.sum(b**2)


def thomas(x, c, n):
    N = 6
    a = np.full(N, -1.0)
    b = 2.5 + x * x
    d = c * x
    cp = np.zeros(N)
    dp = np.zeros(N)
    cp[0] = a[0] / b[0]
    dp[0] = d[0] / b[0]
    for i in range(1, N):
        m = b[i] - a[i] * cp[i - 1]
        cp[i] = a[i] / m
        dp[i] = (d[i] - a[i] * dp[i - 1]) / m
    y = np.zeros(N)
    y[N - 1] = dp[N - 1]
    for i in range(N - 2, -1, -1):
        y[i] = dp[i] - cp[i] * y[i + 1]
    return np.sum(y**2)


def rk4(x, c, n):
    y = x[:2].copy()
    h = 0.1
    for t in range(n):
        k1 = _rhs(y, x)
        k2 = _rhs(y + h / 2 * k1, x)
        k3 = _rhs(y + h / 2 * k2, x)
        k4 = _rhs(y + h * k3, x)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return np.sum(y**2)


@numba.njit
def _rhs(y, p):
    return np.array([p[2] * y[1], -p[3] * np.sin(y[0]) - p[4] * y[1]])


def verlet(x, c, n):
    p = x[:2].copy()
    v = x[2:4].copy()
    a = -(p**3)
    for t in range(n):
        p += 0.1 * v + 0.005 * a
        an = -(p**3)
        v += 0.05 * (a + an)
        a = an
    return np.sum(p**2) + np.sum(v**2)


def hist(x, c, n):
    h = np.zeros(3)
    for i in range(6):
        h[int(abs(x[i]) * 2.9) % 3] += x[i] ** 2
    return np.sum(h**2)


def interp_table(x, c, n):
    s = 0.0
    for i in range(6):
        t = (x[i] + 2) * 1.2
        k = int(t)
        f = t - k
        s += (1 - f) * c[k] + f * c[(k + 1) % 6] * x[i]
    return s


def poly(x, c, n):
    s = 0.0
    for i in range(6):
        s = s * x[0] + c[i] * x[i]
    return s


def dictacc(x, c, n):
    d = {0: 0.0, 1: 0.0}
    for i in range(6):
        d[i % 2] += x[i] ** 2
    return d[0] * d[1]


def listarr(x, c, n):
    l = [x * 1.0]
    for k in range(n):
        l.append(np.sin(l[-1]) * x)
    s = 0.0
    for a in l:
        s += np.sum(a**2)
    return s


def tuplestate(x, c, n):
    st = (x[0], x[1] * x[2])
    for k in range(n):
        st = (st[0] * st[1] + x[3], np.sin(st[0]))
    return st[0] + st[1] ** 2


def read_in_both_loops(x, c, n):
    y, s = x * c, 0.0
    x += c
    for i in range(x.size):
        a = x[i] * np.sin(y[i])
        for j in range(x.size):
            s += a * x[j] * (i - 0.7 * j)
    x[:] = 0.0
    return s
