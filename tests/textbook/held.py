"""Arrays that something else holds or hands on: lists, dicts, results of functions, copies, tables of places."""

import math

import numba
import numpy as np

import enzyme_py as enzyme

_WEIGHTS = np.array([0.5, 0.0, -0.25, 1.0, 0.0, 0.75])


def rows_in_a_list(x, c, n):
    u = x * x
    w = x * 0.8
    rows = [u, w]
    for i in range(n - 2):
        rows[i][i] = 0.5
    return np.tanh(np.sum(u) + w[0] * w[1])


def rows_in_a_dict(x, c, n):
    u = x * x
    w = x * 0.8
    rows = {0: u, 1: w}
    rows[n - 3][1] = 0.5
    rows[0][2] = 0.25
    return np.sum(u * u * u) + np.sum(w * w * u)


def numbers_in_a_dict(x, c, n):
    d = {}
    for i in range(3):
        d[i] = x * (i + 1.0)
    d[n - 4][1] = 1.0
    d[n - 3][2] = 0.5
    return np.sum(d[0] ** 3) + np.sum(d[1] ** 2 * d[2])


def patch(x, c, n):
    a = x.reshape((1, 2, 3, 1))
    part = np.ascontiguousarray(a[:, 0:n, 0:2, :])
    return np.sum(np.reshape(part, (4, 1)) ** 3)


def third_smallest(x, c, n):
    t = 0.0
    for k in range(3):
        p = np.zeros((x.size, 2))
        p[:, 1] = x * (k + 1.0)
        column = p[:, 1]
        t += column[np.argpartition(column, 2)[2]] ** 2
    return t


def gathered(x, c, n):
    places = np.argsort(c)
    v = c.copy()
    for _ in range(n):
        w = c.copy()
        for i in range(x.size):
            w[i] += x[i] * v[places[i]]
        v = w * x
    return np.sum(v * v)


def column_of_constants(x, c, n):
    b = np.outer(x, x)
    b[:, 1] = c
    return np.sum(b * b)


def weights_of_the_module(x, c, n):
    t = 0.0
    for i in range(x.size):
        y = x * 1.0
        y[i] = _WEIGHTS[i]
        t += np.sum(y * y * y)
    return t


def turned_and_shaped(x, c, n):
    y = np.outer(x, x[:4]).reshape((3, 2, 4))
    for _ in range(n):
        y = np.sin(np.reshape(y.T, (4, y.shape[1], 3)).T)
    return np.sum(y) * x[0]


def parts_of_an_outer_product(x, c, n):
    wide = np.zeros(2 * x.size)
    wide[::2] = x * x
    v = wide[::2]
    s = np.outer(v, c)[0, 0]
    for t in range(n):
        s = s + np.outer(c, v)[1, 1] * (t + 1.0)
    return s


def four_elements(x, c, n):
    v = np.zeros(4)
    v[0], v[1], v[2], v[3] = x[0], x[1], x[2], x[3]
    for _ in range(n):
        v[1:] = v[:-1] * v[1:]
    return v[2] + v[3]


def products_two_apart(x, c, n):
    u = x.copy()
    for i in range(2, u.size):
        u[i] = u[i] * u[i - 2]
    u *= u
    return np.sum(c * u)


def rows_in_turn(x, c, n):
    a = np.zeros((2, x.size))
    a[0] = x
    k = 0
    for _ in range(n):
        a[1 - k] = a[k] * a[k]
        k = 1 - k
    return np.sum(a[k])


@numba.njit
def _product_from(x, i):
    if i == x.size:
        return 1.0
    return x[i] * _product_from(x, i + 1)


def product_by_calls(x, c, n):
    return _product_from(x, 0)


@numba.njit
def _iterated(x, n):
    value = x
    for _ in range(n):
        value = np.sin(value) + x
    for weight in (0.9, 0.8, 0.7, 0.6, 0.5):
        value = np.sin(weight * value) + 0.3 * np.cos(x * value)
        value = np.cos(weight * value) - 0.3 * np.sin(x + value)
    value = np.sin(0.4 * value) + 0.3 * np.cos(x * value)
    value = np.sin(0.5 * value) + 0.3 * np.cos(x * value)
    value = np.sin(0.6 * value) + 0.3 * np.cos(x * value)
    value = np.sin(0.7 * value) + 0.3 * np.cos(x * value)
    value = np.sin(0.8 * value) + 0.3 * np.cos(x * value)
    return value * x


def called_twice(x, c, n):
    value = _iterated(x[0], n) * _iterated(1.1 * x[1], n)
    return value * value


@enzyme.custom_vjp
def _root(u):
    """Return the root by Newton's method; its adjoint is by hand."""
    r = u
    for _ in range(30):
        r = 0.5 * (r + u / r)
    return r


_root.defvjp(lambda u: (math.sqrt(u), math.sqrt(u)), lambda r, pulled: (0.5 * pulled / r,))


def roots_with_a_rule(x, c, n):
    t = 0.0
    for i in range(x.size):
        t += _root(1.0 + x[i] * x[i]) * c[i]
    return t * t


def last_and_first(x, c, n):
    z = x.copy()
    t = 0.0
    for i in range(0, x.size, 2):
        t += z[i - 1] * z[0]
    z *= x[0]
    for i in range(x.size):
        z[i] *= z[i - 1]
    return t + np.sum(z)
