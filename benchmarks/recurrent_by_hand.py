"""A recurrent cell and its adjoint, written by hand in Numba: what a derivative is measured against.

The forward sweep stores the states; the backward sweep reads them from the last to the first. Nothing
else is kept, so this is the least memory that an adjoint without recomputation can do with.
"""

from __future__ import annotations

import numpy as np
from numba import njit


@njit
def states_of(W, U, b, inputs):
    """All states, the initial zeros first."""
    states = np.zeros((inputs.shape[0] + 1, b.size))
    for t in range(inputs.shape[0]):
        states[t + 1] = np.tanh(W @ states[t] + U @ inputs[t] + b)
    return states


@njit
def backward(W, U, states, inputs, last, every):
    """Gradients by W, U, b and the inputs.

    `last` is the slope by an element of the last state, `every` times a state that by each other.
    """
    n, m = U.shape
    dW, dU, db = np.zeros_like(W), np.zeros_like(U), np.zeros(n)
    di = np.zeros_like(inputs)
    g = np.full(n, last)
    before = np.empty(n)
    for t in range(inputs.shape[0] - 1, -1, -1):
        before[:] = 0.0
        for i in range(n):
            h = states[t + 1, i]
            d = (g[i] + every[0] + every[1] * h) * (1.0 - h * h)
            db[i] += d
            for j in range(m):
                dU[i, j] += d * inputs[t, j]
                di[t, j] += d * U[i, j]
            for j in range(n):
                dW[i, j] += d * states[t, j]
                before[j] += d * W[i, j]
        g[:] = before
    return dW, dU, db, di


@njit
def gradient_a(W, U, b, inputs):
    """Of the mean of the last state."""
    states = states_of(W, U, b, inputs)
    return backward(W, U, states, inputs, 1.0 / b.size, (0.0, 0.0))


@njit
def gradient_b(W, U, b, inputs):
    """Of the mean of all states, the first zeros among them."""
    states = states_of(W, U, b, inputs)
    count = (inputs.shape[0] + 1) * b.size
    return backward(W, U, states, inputs, 0.0, (1.0 / count, 0.0))


@njit
def gradient_c(W, U, b, inputs):
    """Of the mean of all states."""
    states = states_of(W, U, b, inputs)
    count = max(1, inputs.shape[0] * b.size)
    return backward(W, U, states, inputs, 0.0, (1.0 / count, 0.0))


@njit
def gradient_d(W, U, b, inputs):
    """Of the mean of the squares of all states."""
    states = states_of(W, U, b, inputs)
    count = max(1, inputs.shape[0] * b.size)
    return backward(W, U, states, inputs, 0.0, (0.0, 2.0 / count))
