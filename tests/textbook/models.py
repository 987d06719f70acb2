"""Particles, filters, likelihoods, small solvers; branches, lists and exceptions around them."""

import math

import numpy as np


def lj(x, c, n):
    p = np.zeros((3, 2))
    for i in range(3):
        p[i, 0] = x[2 * i] * 2 + i
        p[i, 1] = x[2 * i + 1] - i * i
    e = 0.0
    for i in range(3):
        for j in range(i):
            d = p[i] - p[j]
            r2 = np.sum(d * d) + 0.5
            s = 1 / r2**3
            e += s * s - s
    return e


def nbody(x, c, n):
    p = x.reshape((3, 2)) * 1.0
    v = np.zeros((3, 2))
    for t in range(n):
        for i in range(3):
            for j in range(3):
                if i != j:
                    d = p[j] - p[i]
                    r = math.sqrt(d[0] ** 2 + d[1] ** 2 + 0.1)
                    v[i] += 0.01 * d / r**3
        p += 0.1 * v
    return np.sum(p**2)


def conv(x, c, n):
    s = np.zeros(8)
    for i in range(6):
        for j in range(3):
            s[i + j] += x[i] * x[j]
    return np.sum(s**2)


def kalman(x, c, n):
    P = np.eye(2) * 2.0
    s = x[:2].copy()
    F = np.array([[1.0, 0.1], [0.0, 1.0]]) * 1.0
    F[1, 1] = x[5]
    for t in range(n):
        s = F @ s
        P = F @ P @ F.T + 0.1 * np.eye(2)
        y = c[t] - s[0]
        S = P[0, 0] + 0.5
        K = P[:, 0] / S
        s = s + K * y
        P = P - np.outer(K, P[0])
    return np.sum(s**2) + np.trace(P)


def hmm(x, c, n):
    A = np.exp(np.outer(x[:3], x[3:]))
    for i in range(3):
        A[i] /= np.sum(A[i])
    al = np.ones(3) / 3
    ll = 0.0
    for t in range(n):
        al = (al @ A) * np.exp(-((c[t] - x[:3]) ** 2))
        z = np.sum(al)
        al = al / z
        ll += math.log(z)
    return ll


def iir(x, c, n):
    y = np.zeros(6)
    for i in range(6):
        y[i] = x[i] - (0.3 * y[i - 1] if i > 0 else 0.0) + (0.1 * x[0] * y[i - 2] if i > 1 else 0.0)
    return np.sum(y**2)


def cplx(x, c, n):
    z = np.zeros(6, np.complex128)
    for i in range(6):
        z[i] = x[i] + 1j * x[5 - i]
    z[1] = 2.0 + 1j
    z[2:4] *= 1j
    z[4] = abs(z[4])
    return np.sum(np.abs(z) ** 2) + z[0].real * z[5].imag


def fft_hand(x, c, n):
    z = np.zeros(6, np.complex128)
    for k in range(6):
        for j in range(6):
            z[k] += x[j] * np.exp(-2j * math.pi * k * j / 6)
    return np.sum(np.abs(z) ** 3)


def keepd(x, c, n):
    a = x.reshape((2, 3))
    m = a.sum(axis=1).reshape((2, 1))
    d = a - m / 3
    return np.sum(d**3)


def softmax(x, c, n):
    e = np.exp(x - np.max(x))
    p = e / np.sum(e)
    return -np.sum(c * np.log(p))


def gmm(x, c, n):
    s = 0.0
    for i in range(6):
        l = np.array([-((c[i] - x[0]) ** 2), -((c[i] - x[1]) ** 2) * x[2] ** 2])
        m = np.max(l)
        s += m + math.log(np.sum(np.exp(l - m)))
    return s


def logdet(x, c, n):
    a = np.outer(x, x) + np.diag(x * x + 1.0)
    l = np.linalg.cholesky(a)
    return 2 * np.sum(np.log(np.diag(l))) + (np.linalg.solve(a, c) @ x)


def welford(x, c, n):
    m = 0.0
    s = 0.0
    for i in range(6):
        d = x[i] - m
        m += d / (i + 1)
        s += d * (x[i] - m)
    return s / 6 * m


def bisect_(x, c, n):
    lo = 0.0
    hi = 3.0
    for k in range(60):
        mid = 0.5 * (lo + hi)
        if mid**3 - x[0] - 2 > 0:
            hi = mid
        else:
            lo = mid
    return x[1] ** 2 + 0 * lo


def mat_pow(x, c, n):
    a = x[:4].reshape((2, 2)) * 1.0
    r = np.eye(2)
    for k in range(n):
        r = r @ a
    return np.sum(r**2)


def early(x, c, n):
    for i in range(6):
        if x[i] < -0.5:
            return np.sum(x[: i + 1] ** 3)
    return 0.0


def trycatch(x, c, n):
    s = 0.0
    for i in range(6):
        try:
            if c[i] < 0:
                raise ValueError
            s += x[i] ** 3
        except Exception:
            s += x[i]
    return s


def strs(x, c, n):
    mode = "cube" if n > 2 else "sq"
    return np.sum(x**3) if mode == "cube" else np.sum(x**2)


def opt(x, c, n):
    y = None
    if n > 2:
        y = x * x
    if y is not None:
        return np.sum(y**2)
    return 0.0


def setd(x, c, n):
    s = {1, 2, 3}
    t = 0.0
    for k in s:
        t += x[k] ** 3
    return t


def pop_list(x, c, n):
    l = [v for v in x]
    t = 0.0
    while len(l) > 1:
        a = l.pop()
        l[-1] = l[-1] * a + 0.1
        t += l[0]
    return l[0] + t


def heap(x, c, n):
    l = [v * v for v in x]
    l.sort()
    return l[0] * l[1] + l[5] ** 2
