"""Second derivatives of loops behind each other that end at one value, inside of a third loop."""

from __future__ import annotations

import numpy as np
from numba import njit

import enzyme_py as enzyme


@njit
def predicted(x):
    """A Kalman filter's variances: LLVM makes of the outer product two loops, one behind the other."""
    P = np.eye(2) * (1.0 + x[1])
    F = np.array([[1.0, 0.1], [0.0, 1.0]])
    H = np.array([[1.0, 0.0]])
    total = 0.0
    for _ in range(2):
        P = F @ P @ F.T + 0.1 * np.eye(2)
        S = (H @ P)[0, 0] + 0.5
        K = (P @ H.T)[:, 0] / S
        P = P - np.outer(K, H @ P)
        total -= S
    return total


def by_hand(p):
    """Return the second derivative by p, where P begins as p times the identity: twice Taylor's second coefficient."""

    def times(one, other):  # series in a step of p, up to its square
        return np.array([sum(one[k] * other[n - k] for k in range(n + 1)) for n in range(3)])

    def inverse(one):
        first = -one[1] / one[0] ** 2
        return np.array([1 / one[0], first, (-one[2] - one[1] * first * one[0]) / one[0] ** 2])

    a, b, d = np.array([p, 1.0, 0.0]), np.zeros(3), np.array([p, 1.0, 0.0])
    number, total = np.array([1.0, 0.0, 0.0]), np.zeros(3)
    for _ in range(2):
        a, b, d = a + 0.2 * b + 0.01 * d + 0.1 * number, b + 0.1 * d, d + 0.1 * number
        s = a + 0.5 * number
        total -= s
        gain, second = times(a, inverse(s)), times(b, inverse(s))
        a, b, d = a - times(gain, a), b - times(gain, b), d - times(second, b)
    return 2.0 * total[2]


def test_second_orders_of_a_filter():
    x, v = np.array([0.3, -0.5, 0.8]), np.array([0.5, -0.3, 0.6])
    expected = np.array([0.0, by_hand(0.5) * v[1], 0.0])
    assert np.allclose(enzyme.hvp(predicted, x, v), expected, rtol=1e-12)
    of_tangent = enzyme.grad(lambda x, v: enzyme.jvp(predicted, (x,), (v,))[1])
    assert np.allclose(of_tangent(x, v), expected, rtol=1e-12)
