"""The adjoints of recurrent_by_hand.py, each statement of the loss reversed for itself.

What a careful programmer writes who does not use what the loss makes of the states. The cell overwrites
its state, so the states are kept. What the loss collects is an array (or a list of arrays) of its own, made as
the loss makes it; it is kept as long as a later statement's adjoint reads it, and has an adjoint of
its own. Nothing is kept of operations whose adjoint needs no values: copies, joins and means.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from recurrent_by_hand import gradient_a, states_of

__all__ = ["gradient_a", "gradient_b", "gradient_c", "gradient_d"]


@njit
def cell_backward(W, U, before, after, x, g, dW, dU, db, dx):
    """Take the adjoint `g` of a state through its cell: to the weights, the input, and the state before."""
    d = g * (1.0 - after * after)
    db += d
    for i in range(d.size):
        for j in range(x.size):
            dU[i, j] += d[i] * x[j]
            dx[j] += d[i] * U[i, j]
        for j in range(before.size):
            dW[i, j] += d[i] * before[j]
    g[:] = 0.0
    for i in range(d.size):
        for j in range(before.size):
            g[j] += d[i] * W[i, j]


@njit
def gradient_b(W, U, b, inputs):
    """Of the mean of a list of states: the list keeps them, so its adjoint is a list beside it."""
    states = [np.zeros(b.size)]
    for t in range(inputs.shape[0]):
        states.append(np.tanh(W @ states[t] + U @ inputs[t] + b))
    dtotal = np.full(b.size, 1.0 / (b.size * len(states)))
    slopes = [dtotal.copy() for _ in states]
    dW, dU, db = np.zeros_like(W), np.zeros_like(U), np.zeros(b.size)
    di = np.zeros_like(inputs)
    g = np.zeros(b.size)
    for t in range(inputs.shape[0] - 1, -1, -1):
        g += slopes[t + 1]
        cell_backward(W, U, states[t], states[t + 1], inputs[t], g, dW, dU, db, di[t])
    return dW, dU, db, di


@njit
def mean_of_rows(states):
    """What loss c makes of the states: rows of one array, and their mean."""
    y = np.zeros((states.shape[0] - 1, states.shape[1]))
    for t in range(y.shape[0]):
        y[t, :] = states[t + 1]
    return np.mean(y)


@njit
def gradient_c(W, U, b, inputs):
    """Of the mean of an array: its values go as soon as the mean is known."""
    states = states_of(W, U, b, inputs)
    mean_of_rows(states)
    dy = np.full((inputs.shape[0], b.size), 1.0 / max(1, inputs.shape[0] * b.size))
    return back_from_rows(W, U, states, inputs, dy)


@njit
def gradient_d(W, U, b, inputs):
    """Of the mean of squares: the array stays until its adjoint has been made of it."""
    states = states_of(W, U, b, inputs)
    y = np.empty(inputs.shape[0] * b.size)
    for t in range(inputs.shape[0]):
        y[t * b.size : (t + 1) * b.size] = states[t + 1]
    dy = np.empty(y.size)
    for i in range(y.size):
        dy[i] = 2.0 / y.size * y[i]
    return back_from_rows(W, U, states, inputs, dy.reshape((inputs.shape[0], b.size)))


@njit
def back_from_rows(W, U, states, inputs, dy):
    """The sweep back through the cells, with the adjoint of what was made of each state."""
    dW, dU, db = np.zeros_like(W), np.zeros_like(U), np.zeros(U.shape[0])
    di = np.zeros_like(inputs)
    g = np.zeros(U.shape[0])
    for t in range(inputs.shape[0] - 1, -1, -1):
        g += dy[t]
        cell_backward(W, U, states[t], states[t + 1], inputs[t], g, dW, dU, db, di[t])
    return dW, dU, db, di
