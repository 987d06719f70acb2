"""Kernels after reports of wrong derivatives in other tools: clad, Warp, Taichi, Slang, Quadrants, Swift, Zygote, Mooncake, and Enzyme once more.

The programs are written anew, of a vector x and a vector c of twelve numbers each, as those in kernels.py.
"""

import math

import numba
import numpy as np


def condition(x, c):
    """Clad 746: what a loop asks is what it computes."""
    r = 0.0
    k = 0
    while True:
        r = x[k] * c[k] * (k + 1.0)
        if not r or k == 5:
            break
        k += 1
    return r * x[0]


def both_ends(x, c):
    """Clad 818: a number that grows as the loop asks, and is set anew in one iteration."""
    r = 0.0
    k = 0
    while True:
        r += x[k] * c[k]
        if k >= 3:
            break
        if k == 1:
            r = x[k] * c[k] * r
            k += 1
            continue
        k += 1
    return r


def skipped(x, c):
    """Clad 710 and 851: `continue` at the end of an iteration, and `break` in the first one."""
    r = 11.0 * x[0]
    for i in range(3):
        r += x[1] * i * c[i]
        continue
    for i in range(1, 3):
        r += i * x[2] * c[2]
        if i == 1:
            break
    return r


def quadrature(x, c):
    """Clad 474: from one number to another in steps."""
    total, h = 0.0, 0.0625
    t = x[0]
    while t <= c[0] + 1.0:
        total += t * t * h
        t += h
    return total


def divisors(x, c):
    """Clad 1865: sums of quotients whose divisor has no name."""
    a = x[0]
    s = 0.0
    for i in range(4):
        s += c[i] / (i + 1.0 + a * a)
    return s


def pushed(x, c):
    """Clad 1070: an item of a list that is written over."""
    items = [x[0]]
    items.append(x[0] * c[1])
    items[1] = x[0] * x[0] * c[0]
    items[0] += items[1]
    return items[1] * items[0]


def unused(x, c):
    """Clad 1108: a number outside of its domain that nothing takes."""
    a = np.empty(3)
    for i in range(3):
        a[i] = math.acos(-(5.0 + x[i]) / (3.0 * c[i]))
    return 2.0 * x[0] * x[1] * c[2]


@numba.njit
def _weighed(p, q):
    return p[0] * q[1] + p[1] * p[1] * q[0]


def parts_of_parts(x, c):
    """Clad 1737: second derivatives of functions that are called with parts of an array."""
    t = 0.0
    for k in range(0, 8, 2):
        t += _weighed(x[k : k + 2], c[k + 2 : k + 4]) * _weighed(c[k : k + 2], x[k + 2 : k + 4])
    return t


def chebyshev(x, c):
    """Zygote 1198: three buffers that take turns."""
    H = np.outer(x[:4], x[4:8])
    H = 0.5 * (H + H.T)
    v0, v1 = c[:4].copy(), H @ c[:4]
    s = v0 * c[4] + v1 * c[5]
    v2 = np.zeros(4)
    for k in range(4):
        v2[:] = 2.0 * (H @ v1) - v0
        s += c[6 + k] * v2
        v0, v1, v2 = v1, v2, v0
    return s @ s


def swapped(x, c):
    """Zygote 1198: two numbers that change places."""
    a, b = x[0], 2.0 * x[0] * c[0]
    for _ in range(3):
        a, b = b, a
    return a * a


def duration(x, c):
    """Zygote 1149: a loop that asks for a sum of arguments."""
    y, t = 1.0, x[0]
    while t < x[0] + 0.1 + 0.01 * c[0]:
        y += -c[1] * y * x[1]
        t += 0.0137
    return y


def signs(x, c):
    """Mooncake 1195: copysign of what is negative."""
    t = 0.0
    for i in range(4):
        t += math.copysign(x[i] - 1.0, 0.5 - c[i]) * c[i]
        t += math.copysign(x[i] * c[i], -1.0 if i % 2 else 1.0) ** 3
    return t


@numba.njit
def _turned(p, q):
    return (
        p[3] * q[0] + p[0] * q[3] + p[1] * q[2] - p[2] * q[1],
        p[3] * q[1] - p[0] * q[2] + p[1] * q[3] + p[2] * q[0],
        p[3] * q[2] + p[0] * q[1] - p[1] * q[0] + p[2] * q[3],
        p[3] * q[3] - p[0] * q[0] - p[1] * q[1] - p[2] * q[2],
    )


def joints(x, c):
    """Warp 1293: the joints of each body in a loop over bodies, as quaternions."""
    counts = np.array([1, 2, 0, 3])
    parents = np.array([-1, 0, 1, 1])
    places = np.zeros((4, 3))
    turns = np.zeros((4, 4))
    joint = 0
    for body in range(4):
        parent = parents[body]
        quat = (0.0, 0.0, 0.0, 1.0)
        place = np.zeros(3)
        if parent >= 0:
            quat = (turns[parent, 0], turns[parent, 1], turns[parent, 2], turns[parent, 3])
            place = places[parent] + c[3 * body : 3 * body + 3]
        for _ in range(counts[body]):
            half = 0.5 * x[joint]
            axis = (joint + c[joint]) * 0.3
            quat = _turned(quat, (math.sin(half) * math.cos(axis), math.sin(half) * math.sin(axis), 0.0, math.cos(half)))
            place = place + 0.1 * np.array([quat[0], quat[1], quat[2]])
            joint += 1
        turns[body, 0], turns[body, 1], turns[body, 2], turns[body, 3] = quat
        places[body] = place
    return np.sum(places * places) + turns[3, 0] * turns[1, 1]


def components(x, c):
    """Warp 1697: one component of a small matrix, read and written again and again."""
    m = np.zeros((2, 2))
    for k in range(5):
        m[0, 0] = m[0, 0] + x[k]
        m[0, 0] = m[0, 0] * c[k]
        m[1, 0] = m[0, 0] - m[1, 0]
        m[k % 2, 1] = m[1, 0] * m[0, 0] + m[(k + 1) % 2, 1]
    return m[0, 0] * m[1, 1] + m[1, 0] * m[0, 1]


def largest(x, c):
    """Warp 1552: a maximum in a loop that leaves out some iterations."""
    total = 0.0
    for k in range(6):
        best = -1e20
        for p in range(3):
            for q in range(3):
                d = c[3 * p + q] - 0.5
                if abs(d) < 0.05:
                    continue
                v = x[k] * d * (p + 1.0 + q)
                if v > best:
                    best = v
        total += best * best
    return total


def around(x, c):
    """Warp 1694: numbers from in front of a loop that are used behind it."""
    area = x[0] * x[1] - c[0]
    total = 0.0
    for k in range(int(2.0 + 4.0 * c[1])):
        total += x[k] * c[k]
    return total * area + math.sin(area)


def velocities(x, c):
    """Warp 1472: a step of a flow, with advection by the other component."""
    u, v = x.reshape(3, 4), c.reshape(3, 4)
    new = np.zeros((2, 3, 4))
    for i in range(3):
        for j in range(4):
            e, w, n, s = (i + 1) % 3, (i - 1) % 3, (j + 1) % 4, (j - 1) % 4
            for part in range(2):
                f = u if part == 0 else v
                advected = u[i, j] * 0.5 * (f[e, j] - f[w, j]) + v[i, j] * 0.5 * (f[i, n] - f[i, s])
                spread = f[e, j] + f[w, j] + f[i, n] + f[i, s] - 4.0 * f[i, j]
                new[part, i, j] = f[i, j] + 0.1 * (0.05 * spread - advected)
    return np.sum(new[0] * new[0] * new[1])


def copied(x, c):
    """Warp 1728: an array that is copied over another one, and read again."""
    held = x * 2.0
    other = c * x
    total = np.sum(other * other)
    other[:] = held
    held *= c
    other[3:] = held[:-3]
    return total + np.sum(other * held)


def overwritten(x, c):
    """Warp 174: a variable that a loop writes over."""
    y = x[0]
    for k in range(8):
        y = y * y * c[k] + x[k]
    return y


def repeated(x, c):
    """Taichi 4412 and 8356: the same number added in an inner loop, to a number and to an array."""
    f = np.zeros(6)
    for i in range(6):
        p, q = x[i] * x[i], 0.0
        for j in range(5):
            q += p * c[j]
        f[i] = q
    for i in range(6):
        for j in range(5):
            f[i] += x[i + 1] * x[j] * f[i]
    return np.sum(f)


def multiplied(x, c):
    """Taichi 2505: a number that is multiplied in its place."""
    y = x.copy()
    for t in range(4):
        factor = y[0] if t % 2 else 1.0
        y[0] = math.cos(c[t]) * factor * y[1]
        y[1] += y[0]
    return y[0] + y[1] * y[2]


def at_least_once(x, c):
    """Swift 78264 and TF-933: the first iteration comes before the question, and the product begins at one."""
    r, i = 1.0, 0
    while True:
        r = r * x[0] * c[i]
        i += 1
        if i >= 3:
            break
    for _ in range(2):
        r = r * x[1]
    return r


def market(x, c):
    """A report on Swift for TensorFlow: the LIBOR market model, an array that is updated as it is read."""
    rates, volatility = x[:6].copy(), c[:6]
    lent = np.zeros(6)
    for n in range(3):
        v = 0.0
        for i in range(n + 1, 6):
            con = 0.25 * volatility[i - n - 1]
            v += con * rates[i] / (1.0 + 0.25 * rates[i])
            rates[i] *= math.exp(con * v + volatility[i - n - 1] * (0.5 * 0.3 - 0.5 * con))
            lent[i] = rates[i]
    return np.sum(lent) * lent[2]


def layers(x, c):
    """Slang 13000: dense layers as loops in loops."""
    h = x[:3].copy()
    for layer in range(3):
        out = np.empty(3)
        for i in range(3):
            s = c[layer + i]
            for j in range(3):
                s += x[3 * i + j] * h[j] * c[(i * j + layer) % 12]
            out[i] = max(s, 0.1 * s)
        h = out
    return np.sum(h * h)


@numba.njit
def _filtered(x, c, i):
    r, g, b, total = 0.0, 0.0, 0.0, 0.0
    for k in range(-2, 3):
        j = min(max(i + k, 0), 11)
        w = math.exp(-((x[i] - x[j]) ** 2) / (0.1 + c[i]) - 0.1 * k * k)
        r, g, b, total = r + w * x[j], g + w * c[j], b + w * x[j] * c[j], total + w
    return r / total, g / total, b / total


def filtered(x, c):
    """Slangpy 1055: a loop with weights that depend on the data, and a vector as the result."""
    total = 0.0
    for i in range(0, 12, 3):
        r, g, b = _filtered(x, c, i)
        total += r * g + b * b
    return total


def rebuilt(x, c):
    """Quadrants 797: a vector that is made anew of its own components."""
    v = (x[0], x[1], x[2])
    for k in range(5):
        v = (v[0] * c[k] + v[1], v[1] * v[2] - v[0], v[2] + 0.5 * v[0] * v[1])
    return v[0] * v[1] * v[2]


def held_between(x, c):
    """Enzyme.jl 1492: buffers that keep what an earlier step left in them."""
    a, b = np.empty(1), np.empty(1)
    du, u = np.zeros(2), x[:2].copy()
    for step in range(4):
        a[0] = -c[step]
        b[0] = a[0] * u[0]
        du[0], du[1] = u[1], b[0]
        u += 0.3 * du
    return u[0] * u[1]


def torsions(x, c):
    """Enzyme.jl 579: terms with a number of their own of multiples, as forces that are summed by place."""
    forces = np.zeros(6)
    multiples, counts = np.array([[1, 2, 0], [3, 0, 0], [1, 4, 6]]), (2, 1, 3)
    for term in range(3):
        i, j, k = term, term + 1, (term + 3) % 6
        angle = x[i] * x[j] - x[k]
        energy = 0.0
        for place in range(counts[term]):
            m = multiples[term, place]
            energy += c[m] * m * math.sin(m * angle - c[m + 3])
        forces[i] += energy * x[j]
        forces[j] += energy * x[i]
        forces[k] -= energy
    return np.sum(forces * forces)


def line(x, c):
    """Enzyme.jl 1389: a chain of lossy transmission lines, as complex matrices in one buffer."""
    chain, product = np.eye(2) + 0j, np.zeros((2, 2), np.complex128)
    s = 2j * (1.0 + c[11])
    for k in range(6):
        z, y = c[0] + s * (0.1 + x[k]), 0.05 + s * c[k]
        gamma, impedance = np.sqrt(z * y), np.sqrt(z / y)
        theta = gamma * 0.1
        cell = np.array([[np.cosh(theta), np.sinh(theta) * impedance], [np.sinh(theta) / impedance, np.cosh(theta)]])
        for i in range(2):
            for j in range(2):
                product[i, j] = chain[i, 0] * cell[0, j] + chain[i, 1] * cell[1, j]
        chain[:] = product
    return abs(chain[0, 0]) ** 2 + chain[1, 0].imag


def bounded(x, c):
    """Enzyme.jl 1595 and Enzyme 101: zero beyond a bound."""
    t = 0.0
    for k in range(12):
        t += (x[k] * c[k] if x[k] <= 0.6 else 0.0) * x[(k + 1) % 12]
        t += max(0.0, c[k] - 0.5) * x[k]
    return t


def joined(x, c):
    """Enzyme.jl 2635: columns of sines, joined."""
    both = np.hstack((np.sin(np.array([[1.0], [2.0]]) * x[0]), np.sin(np.array([[1.0], [2.0]]) * (3.0 * x[0] * c[0]))))
    return np.sum(both * both * c[:4].reshape(2, 2))


def clenshaw(x, c):
    """Enzyme.jl 1734: Clenshaw's recurrence, backwards, in pairs of steps."""
    b1, b2 = 0.0, 0.0
    t = 2.0 * x[0] - 1.0
    for k in range(11, 0, -2):
        b1, b2 = c[k] + 2.0 * t * b1 - b2, b1
        b1, b2 = c[k - 1] + 2.0 * t * b1 - b2, b1
    return c[0] + t * b1 - b2


def nothing_added(x, c):
    """Enzyme.jl 748: a term that is zero beside one that is not."""
    y = x[0] * c[0]
    return y**4 + 0.0 * y**3 + 1e-9 * x[1] ** 3


def rotated(x, c):
    """Enzyme 1902: Rodrigues' rotation, of an axis that is divided by its length."""
    theta = math.sqrt(x[0] ** 2 + x[1] ** 2 + x[2] ** 2)
    w = np.empty(3)
    for i in range(3):
        w[i] = x[i] / theta
    p = c[:3]
    crossed = np.cross(w, p)
    along = (w @ p) * (1.0 - math.cos(theta))
    out = p * math.cos(theta) + crossed * math.sin(theta) + w * along
    return out[0] * out[1] + out[2] ** 3


def windows(x, c):
    """152724 of Rust: sums over neighbours, into an array of results that is added to."""
    y = np.zeros(2)
    for i in range(12):
        y[0] += c[0] * x[i] ** 2
    for i in range(11):
        y[1] += (c[1] - x[i]) ** 2 + 10.0 * c[2] * (x[i + 1] - x[i] ** 2) ** 2
    return y[0] * y[1]
