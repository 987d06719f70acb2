"""Recurrent networks over batches of sequences: arrays of time, batch and width."""

import numpy as np

from tests.coverage.row import Draw


def lstm(x, w, u, layers):
    """Gates in one array of four dimensions; several layers, each reads the states of the one below."""
    time, batch, width = x.shape
    for layer in range(layers):
        h, c = np.zeros((batch, width)), np.zeros((batch, width))
        states = np.empty((time, batch, width))
        for t in range(time):
            gates = np.reshape(x[t] @ w[layer] + h @ u[layer], (batch, 4, width))
            i = 1.0 / (1.0 + np.exp(-gates[:, 0]))
            f = 1.0 / (1.0 + np.exp(-gates[:, 1]))
            o = 1.0 / (1.0 + np.exp(-gates[:, 2]))
            c = f * c + i * np.tanh(gates[:, 3])
            h = o * np.tanh(c)
            states[t] = h
        x = states
    return x


def gru(x, w, u):
    time, batch, width = x.shape
    h = np.zeros((batch, width))
    for t in range(time):
        r = 1.0 / (1.0 + np.exp(-(x[t] @ w[0] + h @ u[0])))
        z = 1.0 / (1.0 + np.exp(-(x[t] @ w[1] + h @ u[1])))
        h = (1.0 - z) * h + z * np.tanh(x[t] @ w[2] + (r * h) @ u[2])
    return h


def convolutional(x, w):
    """The state is a picture; it and what comes in are convolved in each step."""
    time, batch, height, width = x.shape
    h = np.zeros((batch, height, width))
    for t in range(time):
        wide = np.zeros((2, batch, height + 2, width + 2))
        wide[0, :, 1:-1, 1:-1] = x[t]
        wide[1, :, 1:-1, 1:-1] = h
        new = np.zeros((batch, height, width))
        for k in range(2):
            for i in range(w.shape[1]):
                for j in range(w.shape[2]):
                    new += w[k, i, j] * wide[k, :, i : i + height, j : j + width]
        h = np.tanh(0.2 * new)
    return h


def both_ways(x, w):
    time, batch, width = x.shape
    y = np.zeros((time, batch, 2 * width))
    h = np.zeros((batch, width))
    for t in range(time):
        h = np.tanh(x[t] + h @ w[0])
        y[t, :, :width] = h
    h = np.zeros((batch, width))
    for t in range(time - 1, -1, -1):
        h = np.tanh(x[t] + h @ w[1])
        y[t, :, width:] = h
    return y


def state_space(x, a, b, c):
    """A diagonal linear state for each channel: batch, channel, state."""
    time, batch, channels = x.shape
    h = np.zeros((batch, channels, a.shape[1]))
    y = np.empty((time, batch, channels))
    for t in range(time):
        h = h * np.exp(-a) + np.expand_dims(x[t], 2) * b
        y[t] = np.sum(h * c, axis=2)
    return y


ARGUMENTS = {
    lstm: (Draw((3, 2, 2)), Draw((2, 2, 8)), Draw((2, 2, 8)), 2),
    gru: (Draw((3, 2, 2)), Draw((3, 2, 2)), Draw((3, 2, 2))),
    convolutional: (Draw((2, 2, 3, 3)), Draw((2, 3, 3))),
    both_ways: (Draw((3, 2, 2)), Draw((2, 2, 2))),
    state_space: (Draw((3, 2, 2)), Draw((2, 2)), Draw((2, 2)), Draw((2, 2))),
}
