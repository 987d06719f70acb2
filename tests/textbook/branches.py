"""What is decided while a kernel runs: where loops end, which number is taken, which path leads to a merge."""

import math

import numpy as np


def knot_of_a_spline(x, c, n):
    t = 0.0
    for i in range(x.size):
        if x[i] == 1.1:
            t += x[i] * x[i] * c[i]
        else:
            t += (x[i] * x[i] + max(x[i] - 1.1, 0.0) ** 4) * c[i]
    return t


def pairs_apart(x, c, n):
    t = 0.0
    for i in range(x.size):
        for j in range(x.size):
            d = x[i] - x[j]
            r = math.sqrt(d * d) if d != 0.0 else 0.0
            t += r * r * r + c[i] * r
    return t


def entropy(x, c, n):
    t = 0.0
    for i in range(x.size):
        p = max(x[i] - c[i] - 1.0, 0.0) + max(x[i], 0.0)
        s = 0.0
        if p > 0.0:
            s = p * math.log(p)
        t += s
    return t


def found_in_two_loops(x, c, n):
    s = 0.0
    for i in range(x.size):
        for j in range(x.size):
            s += math.sin(x[i] * x[j]) * 0.5 + 0.3
            if s > 2.0:
                return s * j * x[i]
    return s


def first_above(x, c, n):
    s = 1.0
    for i in range(x.size):
        s = s * (1.0 + 0.5 * x[i] * x[i])
        if s > 1.5:
            break
    return s * s


def no_inner_points(x, c, n):
    u = x.copy()
    for t in range(n):
        for i in range(2, n - 3):
            u[i] = u[i] * u[i + 1]
        u[0] = u[0] * u[1]
    return np.sum(u * u)


def running_maximum(x, c, n):
    q, t = -5.0, 0.0
    for i in range(x.size):
        q = max(q, x[i])
        t += q * q
    return t


def running_quotient(x, c, n):
    q, t = 1.0, 0.0
    for i in range(x.size):
        q = q / x[i]
        t += q
    return t


def array_of_a_branch(x, c, n):
    t = x[1] * 3.0
    for k in range(n):
        if k > 2:
            z = np.sin(x)
            if z[0] > 0.9:
                t = z[1] * 2.0
            else:
                t += z[2] * z[2]
    return t


def neither_one_nor_three(x, c, n):
    t = 0.5
    for k in range(n):
        if not (k == 1 or k == 3):
            t = x[k] * x[k] * t + x[k]
    return t


def of_the_step_before(x, c, n):
    v, t, q, k = x.copy(), 0.1, x[0], 0
    for i in range(x.size):
        t += q * x[0]
        for j in range(i, x.size):
            k += j
            q = c[j] * x[0]
            v[k % x.size] *= x[0]
    return t


def counted_and_cut(x, c, n):
    t = 0.0
    for i in range(n):
        m = 0
        for j in range(x.size):
            if x[j] > 0.15 * i:
                m += 1
        z = np.sin(x[:m] * x[0])
        t += z[m - 1] ** 2 * x[i]
    return t


def before_the_last(x, c, n):
    u, q = x[0], x[0]
    for i in range(1, x.size):
        for j in range(i):
            q = 1.0 / (4.0 + u * x[j])
            u = x[j]
    return q


def inner_turns_left_out(x, c, n):
    q = x[0]
    for i in range(n):
        for j in range(1, n):
            if not (j == 0 or j == 5) and c[-1] > -0.3951:
                continue
            q = np.tanh(x[j] + q)
    return q + x[1] * x[2]
