"""lstm by hand: the gates and states of every step and layer are kept for the backward sweep."""

from __future__ import annotations

import numpy as np
from gradbench.lstm import sigmoid
from numba import njit

GIVEN, HIDDEN, CELL, FORGET, INGATE, OUTGATE, CHANGE, SQUASHED, KEPT = range(9)


@njit
def layer_forward(weight, bias, hidden, cell, given, kept):
    b = hidden.size
    for i in range(b):
        kept[GIVEN, i], kept[HIDDEN, i], kept[CELL, i] = given[i], hidden[i], cell[i]
        kept[FORGET, i] = sigmoid(given[i] * weight[i] + bias[i])
        kept[INGATE, i] = sigmoid(hidden[i] * weight[b + i] + bias[b + i])
        kept[OUTGATE, i] = sigmoid(given[i] * weight[2 * b + i] + bias[2 * b + i])
        kept[CHANGE, i] = np.tanh(hidden[i] * weight[3 * b + i] + bias[3 * b + i])
        cell[i] = cell[i] * kept[FORGET, i] + kept[INGATE, i] * kept[CHANGE, i]
        kept[SQUASHED, i] = np.tanh(cell[i])
        hidden[i] = kept[OUTGATE, i] * kept[SQUASHED, i]


@njit
def layer_backward(weight, kept, by_hidden, by_cell, by_given, by_weight, by_bias):
    b = by_hidden.size
    for i in range(b):
        forget, ingate, outgate = kept[FORGET, i], kept[INGATE, i], kept[OUTGATE, i]
        change, squashed = kept[CHANGE, i], kept[SQUASHED, i]
        by_next = by_cell[i] + by_hidden[i] * outgate * (1.0 - squashed * squashed)
        f = by_next * kept[CELL, i] * forget * (1.0 - forget)
        g = by_next * change * ingate * (1.0 - ingate)
        o = by_hidden[i] * squashed * outgate * (1.0 - outgate)
        c = by_next * ingate * (1.0 - change * change)
        by_cell[i] = by_next * forget
        by_given[i] = f * weight[i] + o * weight[2 * b + i]
        by_hidden[i] = g * weight[b + i] + c * weight[3 * b + i]
        by_weight[i] += f * kept[GIVEN, i]
        by_weight[b + i] += g * kept[HIDDEN, i]
        by_weight[2 * b + i] += o * kept[GIVEN, i]
        by_weight[3 * b + i] += c * kept[HIDDEN, i]
        by_bias[i] += f
        by_bias[b + i] += g
        by_bias[2 * b + i] += o
        by_bias[3 * b + i] += c


@njit
def gradient(main, extra, start, sequence):
    layers, b, steps = start.shape[0] // 2, start.shape[1], sequence.shape[0] - 1
    kept, last = np.empty((steps, layers, KEPT, b)), np.empty((steps, 3, b))
    state, prediction = start.copy(), np.empty(b)
    for t in range(steps):
        for i in range(b):
            prediction[i] = sequence[t, i] * extra[0, i]
        given = prediction
        for layer in range(layers):
            hidden, cell = state[2 * layer], state[2 * layer + 1]
            layer_forward(main[2 * layer], main[2 * layer + 1], hidden, cell, given, kept[t, layer])
            given = hidden
        exponentials, share = 2.0, 0.0
        for i in range(b):
            last[t, 0, i] = given[i]
            last[t, 1, i] = np.exp(given[i] * extra[1, i] + extra[2, i])
            exponentials += last[t, 1, i]
            share += sequence[t + 1, i]
        last[t, 2, 0] = share / exponentials
    by_main, by_extra, by_state = np.zeros_like(main), np.zeros_like(extra), np.zeros_like(start)
    by_given, scale = np.empty(b), -1.0 / (steps * b)
    for t in range(steps - 1, -1, -1):
        for i in range(b):
            made = scale * (sequence[t + 1, i] - last[t, 2, 0] * last[t, 1, i])
            by_extra[1, i] += made * last[t, 0, i]
            by_extra[2, i] += made
            by_given[i] = made * extra[1, i]
        for layer in range(layers - 1, -1, -1):
            by_hidden, by_cell = by_state[2 * layer], by_state[2 * layer + 1]
            for i in range(b):
                by_hidden[i] += by_given[i]
            by_weight, by_bias = by_main[2 * layer], by_main[2 * layer + 1]
            now = kept[t, layer]
            layer_backward(main[2 * layer], now, by_hidden, by_cell, by_given, by_weight, by_bias)
        for i in range(b):
            by_extra[0, i] += by_given[i] * sequence[t, i]
    return by_main, by_extra
