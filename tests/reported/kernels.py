"""Kernels after reports of wrong gradients and crashes: what users of Enzyme's other front ends wrote, in Numba's form.

The numbers are those of issues of EnzymeAD/Enzyme.jl, where no other project is named. The programs are written anew, of a vector x and a vector c
of twelve numbers each; those without a number are what such programs compute besides. Asked are all four combinations of modes, by both arguments, and
the same where both are written over behind the last use.
"""

import math

import numpy as np


def gram(x, c):
    """3004: the inverse of a small matrix of products, in a loop."""
    X = x.reshape(4, 3)
    t = 0.0
    for k in range(2):
        P = X[:, k : k + 2]
        K = np.empty((2, 2))
        K[0, 0] = np.dot(np.ascontiguousarray(P[:, 0]), np.ascontiguousarray(P[:, 0]))
        K[0, 1] = K[1, 0] = np.dot(np.ascontiguousarray(P[:, 1]), np.ascontiguousarray(P[:, 0]))
        K[1, 1] = np.dot(np.ascontiguousarray(P[:, 1]), np.ascontiguousarray(P[:, 1]))
        K += 0.1 * np.eye(2)
        t += np.trace(np.linalg.inv(K))
    return t


def masked(x, c):
    """3614: a stencil of three branches, by a mask of the neighbours."""
    u = x.reshape(3, 4)
    n, m = u.shape
    s = np.zeros((n, m))
    mask = c.reshape(3, 4) > 0.55
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            if mask[i, j]:
                s[i, j] = 0.0
            elif mask[i - 1, j] or mask[i + 1, j]:
                s[i, j] = u[i, j] * (u[i + 1, j] - u[i - 1, j])
            else:
                r = (u[i, j] - u[i - 1, j]) / (u[i + 1, j] - u[i, j] + 1e-3)
                s[i, j] = max(0.0, max(min(2 * r, 1.0), min(r, 2.0))) * u[i, j]
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            u[i, j] += 0.1 * s[i, j]
    return np.sum(u * u * u)


def bern(x, c):
    """2564: a likelihood of Bernoulli draws."""
    X = np.outer(x, c)
    eta = np.sum(X * x, axis=1)
    y = c > 0.5
    return np.sum(np.where(y, -np.log1p(np.exp(-eta)), -np.log1p(np.exp(eta))))


def exits(x, c):
    """1392 of Enzyme: a loop in a loop, either of which may end both."""
    i = 0
    s = 0.0
    a = 1.0
    while True:
        s += x[i % 12] * a
        i += 1
        if s > 2.5:
            j = 0
            while True:
                a *= 1.0 + 0.1 * x[j % 12]
                j += 1
                if a > 1.8:
                    return s * a
                if j > 7:
                    break
            if i > 20:
                break
        if i > 30:
            return s
    return s * a * a


def single(x, c):
    """3165 of Enzyme: elementary functions of float32."""
    y = x.astype(np.float32)
    t = np.full(12, np.float32(0.6))
    out = 0.0
    s0 = np.exp(np.arctan2(np.cos(y[0]), np.sin(y[0]) + np.float32(2.0)))
    for i in range(12):
        t0 = s0 + y[i]
        t2 = s0 + np.cos(np.arcsinh(np.sqrt(s0) / (y[i] + 1))) + t0
        t[i] = t[i] * np.log(s0 ** t[i] + 1) + t2
        out += t[i] * t2
    return out


def recur(x, c):
    """701: a new array in each iteration."""
    v = c[:3].copy()
    for i in range(12):
        v = np.cos(v + x[i])
    return np.sum(v)


def recur2(x, c):
    """701: the same array in each iteration."""
    v = c[:3].copy()
    for i in range(12):
        v[:] = np.cos(v + x[i])
    return np.sum(v)


def logit(x, c):
    """1239: a multinomial logit of groups of several sizes."""
    X = np.outer(c, x)[:, :3]
    th = x[:3]
    d = X @ th
    s = 0.0
    for lo, hi in ((0, 5), (5, 7), (7, 12)):
        z = d[lo:hi]
        m = np.max(z)
        s -= c[lo:hi] @ z - (m + np.log(np.sum(np.exp(z - m))))
    return s


def images(x, c):
    """602 of Enzyme: arrays of an inner loop that ends early."""
    t = 0.0
    for k in range(5):
        b = np.empty(6)
        for i in range(6):
            b[i] = np.sin(x[i] * k)
        q = 0.0
        for i in range(6):
            q += b[i] * c[i]
            if q > 1.0:
                break
        t += q * q
    return t


def state(x, c):
    """362: buffers that are written from step to step."""
    p = x.reshape(4, 3)
    X = np.zeros((2, 10))
    data = np.zeros(2)
    a = c[0]
    for i in range(2):
        X[i, 0] = p[3, i]
    for t in range(1, 10):
        for i in range(2):
            X[i, t] = p[0, i] * X[i, t - 1] + p[1, i] * data[i]
            data[i] = p[2, i] * data[i] + p[0, 2] * X[i, t - 1] + a
    return np.sum(X * X)


def dets(x, c):
    """2868: determinants of copies in one buffer."""
    s = 0.0
    tmp = np.zeros((2, 2))
    for k in range(3):
        tmp[:] = c[4 * k : 4 * k + 4].reshape(2, 2)
        tmp *= np.diag(x[2 * k : 2 * k + 2]) + 0.1
        s += np.linalg.det(tmp)
    return s


def maxes(x, c):
    """2708 of Enzyme: maxima in an array."""
    d = np.full(3, -1e9)
    F = x.reshape(4, 3)
    for i in range(4):
        for j in range(3):
            f = F[i, j] * c[j]
            d[j] = max(d[j], f)
    return d[0] * d[1] + d[2]


def student(x, c):
    """2412: choices by distribution functions."""
    s = 0.0
    for i in range(4):
        u = x[3 * i : 3 * i + 3]
        acc = 1.0
        for k in range(3):
            p = 0.5 * (1 + math.erf((c[k] - u[k]) / (c[i] * math.sqrt(2.0) + 0.1)))
            s += acc * p * u[k]
            acc *= 1 - p
    return s


def rk(x, c):
    """Runge and Kutta's steps."""
    y = x[:4].copy()
    h = 0.05
    A = np.outer(c[:4], c[4:8])
    for t in range(15):
        k1 = A @ y * np.sin(y)
        k2 = A @ (y + h / 2 * k1)
        k3 = A @ (y + h / 2 * k2) - y
        k4 = np.tanh(A @ (y + h * k3))
        y += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return y @ y


def push(x, c):
    """2209: a list that grows."""
    v = [x[0]]
    for i in range(1, 8):
        v.append(v[-1] * x[i] + v[i // 2])
    w = [a * a for a in v if a > 0.01]
    return sum(w)


def adaptive(x, c):
    """Steps of an adaptive size."""
    t = 0.0
    y = x[0]
    h = 0.1
    n = 0
    while t < 1.0 and n < 200:
        k1 = -y * x[1] + x[2]
        k2 = -(y + h * k1) * x[1] + x[2]
        e = abs(h * (k2 - k1) / 2)
        if e < 1e-3:
            t += h
            y += h * (k1 + k2) / 2
        h = min(h * 1.2 if e < 5e-4 else h * 0.5, 1.0 - t + 1e-12)
        n += 1
    return y


def mlp(x, c):
    """Layers with leaky units."""
    W = x.reshape(4, 3)
    h = c[:3].copy()
    tot = 0.0
    for l in range(4):
        z = W[:3] @ h + W[3] * 0.1
        h = np.where(z > 0, z, 0.01 * z)
        tot += np.sum(h) * 0.1
    return tot + h @ h


def foo1(x, c):
    """432: an array that is set to zero and filled in each iteration."""
    u = x.reshape(3, 4)
    v = np.zeros_like(u)
    for _ in range(2):
        v[:] = 0.0
        v += c[0] * u
        u += v**2
    return np.sum(u * u)


def foo2(x, c):
    """432: the same as loops."""
    u = x.reshape(3, 4)
    v = np.zeros_like(u)
    n, m = u.shape
    for _ in range(2):
        for j in range(m):
            for i in range(n):
                v[i, j] = 0.0
        for j in range(m):
            for i in range(n):
                v[i, j] += c[0] * u[i, j]
        for j in range(m):
            for i in range(n):
                u[i, j] += v[i, j] ** 2
    return np.sum(u * u)


def offs(x, c):
    """388: sums of slices."""
    h = np.zeros(12)
    h[:] = x[:] * c
    return np.sum(h[1:] * h[:-1])


def bnorm(x, c):
    """1869: batch normalisation."""
    X = x.reshape(3, 2, 2)
    mean = np.empty(2)
    var = np.empty(2)
    for k in range(2):
        mean[k] = np.mean(X[:, k, :])
        var[k] = np.var(X[:, k, :])
    s = c[:2] / np.sqrt(var + 1e-5)
    b = c[2:4] - mean * s
    y = X * s.reshape(1, 2, 1) + b.reshape(1, 2, 1)
    return np.sum(np.abs(y) ** 3)


def masks(x, c):
    """2858: a mask in an array."""
    J = np.empty(12, dtype=np.bool_)
    for i in range(12):
        J[i] = x[i] >= 0.5
    r = np.empty(12)
    for i in range(12):
        r[i] = J[i] * x[i] * c[i]
    return r[0] + r @ r


def sw(x, c):
    """1310: forces of three bodies."""
    P = x.reshape(4, 3)
    F = np.zeros((4, 3))
    e = 0.0
    for i in range(4):
        for j in range(i + 1, 4):
            d = P[j] - P[i]
            r = np.sqrt(d @ d) + 0.1
            if r < c[0] * 3:
                f = (c[1] * r**-4 - 1.0) * np.exp(1.0 / (r - c[0] * 3 - 0.1))
                e += f
                F[i] += f * d / r
                F[j] -= f * d / r
            for k in range(4):
                if k != i and k != j:
                    d2 = P[k] - P[i]
                    r2 = np.sqrt(d2 @ d2) + 0.1
                    e += c[2] * (d @ d2 / (r * r2) + 1 / 3) ** 2
    return e + np.sum(F * F)


def born(x, c):
    """2637: Born radii."""
    n = 6
    I = np.zeros(n)
    B = np.zeros(n)
    for i in range(n):
        for j in range(n):
            if i != j:
                r = abs(x[i] - x[j]) + 0.3
                U = r + c[j]
                L = max(c[i], abs(r - c[j])) + 0.05
                I[i] += 0.5 * (
                    1 / L
                    - 1 / U
                    + (r - c[j] ** 2 / r) * (1 / U**2 - 1 / L**2) / 4
                    + 0.5 * np.log(L / U) / r
                )
    for i in range(n):
        psi = I[i] * c[i]
        B[i] = 1 / (1 / c[i] - np.tanh(psi - 0.8 * psi**2 + 4.85 * psi**3) / (c[i] + 0.2))
    return np.sum(B * x[:n])


def chol(x, c):
    """1254: systems by Cholesky factors."""
    M = x[:9].reshape(3, 3)
    A = M @ M.T + np.eye(3)
    L = np.linalg.cholesky(A)
    y = np.linalg.solve(L, c[:3])
    return np.sum(np.linalg.solve(L.T, y)) + np.sum(np.log(np.diag(L)))


def onehot(x, c):
    """3065: the cross entropy of classes."""
    P = x.reshape(3, 4)
    s = 0.0
    for j in range(4):
        m = np.max(P[:, j])
        l = m + np.log(np.sum(np.exp(P[:, j] - m)))
        for i in range(3):
            y = 1.0 if i == j % 3 else 0.0
            s -= y * (P[i, j] - l) * c[j]
    return s


def outer34(x, c):
    """2071: an outer product."""
    return np.sum((x**3).reshape(12, 1) * (x**4).reshape(1, 12)) * c[0]


def rosen(x, c):
    """152724 of Rust: Rosenbrock's function into an array of results."""
    y = np.zeros(2)
    for i in range(12):
        y[0] += c[0] * x[i] ** 2
    for i in range(11):
        y[1] += (c[1] - x[i]) ** 2 + c[2] * (x[i + 1] - x[i] ** 2) ** 2
    return y[0] * y[1]


def gelu(x, c):
    """1429: a dense layer with gelu."""
    W = np.outer(x[:4], c[:3])
    h = W @ x[4:7]
    h = 0.5 * h * (1 + np.tanh(np.sqrt(2 / np.pi) * (h + 0.044715 * h**3)))
    return np.sum(h * h)


def mm(x, c):
    """2002 of Enzyme: minima and maxima by comparisons."""
    P = x.reshape(3, 4)
    lo = np.empty(4)
    hi = np.empty(4)
    for j in range(4):
        lo[j] = P[0, j]
        hi[j] = P[0, j]
    for i in range(3):
        for j in range(4):
            v = P[i, j] * c[j]
            if v <= lo[j]:
                lo[j] = v
            if v >= hi[j]:
                hi[j] = v
    return np.sum((hi - lo) ** 2) + lo @ hi


def matchain(x, c):
    """Products and an inverse."""
    A = x.reshape(3, 4)
    B = c.reshape(4, 3)
    C = A @ B
    D = C @ C.T
    E = np.linalg.inv(D + np.eye(3))
    return np.trace(E @ C) + np.sum(C * E)


def kalman(x, c):
    """A Kalman filter."""
    m = x[:2].copy()
    P = np.eye(2) * c[0]
    F = np.array([[1.0, 0.1], [0.0, 1.0]])
    ll = 0.0
    for t in range(5):
        m = F @ m
        P = F @ P @ F.T + c[1] * np.eye(2) * 0.1
        S = P[0, 0] + c[2]
        r = x[t + 3] - m[0]
        K = P[:, 0] / S
        ll -= 0.5 * (np.log(S) + r * r / S)
        m = m + K * r
        P = P - np.outer(K, P[0])
    return ll


def gp(x, c):
    """The likelihood of a Gaussian process."""
    n = 6
    K = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            K[i, j] = np.exp(-((x[i] - x[j]) ** 2) / (2 * c[0] ** 2)) + (c[1] if i == j else 0.0)
    L = np.linalg.cholesky(K)
    a = np.linalg.solve(K, x[6:])
    return 0.5 * x[6:] @ a + np.sum(np.log(np.diag(L)))


def conv(x, c):
    """Two convolutions."""
    y = np.zeros(12)
    for i in range(12):
        for k in range(3):
            if 0 <= i + k - 1 < 12:
                y[i] += x[i + k - 1] * c[k]
    z = np.zeros(12)
    for i in range(12):
        for k in range(3):
            if 0 <= i + k - 1 < 12:
                z[i] += max(y[i + k - 1], 0.0) * c[3 + k]
    return z @ z


def attention(x, c):
    """Attention."""
    Q = x.reshape(4, 3)
    Kk = c.reshape(4, 3)
    S = Q @ Kk.T / np.sqrt(3.0)
    s = 0.0
    for i in range(4):
        e = np.exp(S[i] - np.max(S[i]))
        e /= np.sum(e)
        o = e @ Kk
        s += o @ Q[i]
    return s


def gs(x, c):
    """Gram and Schmidt's orthogonalisation."""
    A = x[:9].reshape(3, 3) + 2 * np.eye(3)
    Q = np.zeros((3, 3))
    for j in range(3):
        v = A[:, j].copy()
        for i in range(j):
            v -= (Q[:, i] @ A[:, j]) * Q[:, i]
        Q[:, j] = v / np.sqrt(v @ v)
    return np.sum(Q * c[:9].reshape(3, 3))


def power(x, c):
    """The power method, with buffers that change places."""
    A = np.outer(x[:4], c[:4])
    A = A + A.T + np.eye(4)
    v = c[4:8].copy()
    w = np.empty(4)
    for t in range(8):
        np.dot(A, v, w)
        w /= np.linalg.norm(w)
        v, w = w, v
    return v @ (A @ v)


def cg(x, c):
    """Conjugate gradients."""
    M = x[:9].reshape(3, 3)
    A = M @ M.T + np.eye(3)
    b = c[:3]
    y = np.zeros(3)
    r = b - A @ y
    p = r.copy()
    rs = r @ r
    for t in range(3):
        q = A @ p
        a = rs / (p @ q)
        y += a * p
        r -= a * q
        n = r @ r
        if n < 1e-14:
            break
        p = r + (n / rs) * p
        rs = n
    return y @ y
