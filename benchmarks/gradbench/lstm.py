"""lstm: the loss of a recurrent network that predicts the bits of a text's next character."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np

import enzyme_py as enzyme

from .evaluation import Evaluation, warmed


@numba.njit(fastmath=True)
def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


@numba.njit(fastmath=True)
def step(weight, bias, hidden, cell, given):
    """Advance one layer; weight and bias hold those of its four gates, one behind the other."""
    b = hidden.size
    for i in range(b):
        forget = sigmoid(given[i] * weight[i] + bias[i])
        ingate = sigmoid(hidden[i] * weight[b + i] + bias[b + i])
        outgate = sigmoid(given[i] * weight[2 * b + i] + bias[2 * b + i])
        change = np.tanh(hidden[i] * weight[3 * b + i] + bias[3 * b + i])
        cell[i] = cell[i] * forget + ingate * change
        hidden[i] = outgate * np.tanh(cell[i])


@numba.njit(fastmath=True)
def loss(main, extra, start, sequence):
    layers, b = start.shape[0] // 2, start.shape[1]
    state = start.copy()
    prediction = np.empty(b)
    total = 0.0
    for t in range(sequence.shape[0] - 1):
        for i in range(b):
            prediction[i] = sequence[t, i] * extra[0, i]
        given = prediction
        for layer in range(layers):
            hidden = state[2 * layer]
            step(main[2 * layer], main[2 * layer + 1], hidden, state[2 * layer + 1], given)
            given = hidden
        exponentials = 2.0
        for i in range(b):
            prediction[i] = given[i] * extra[1, i] + extra[2, i]
            exponentials += np.exp(prediction[i])
        normaliser = np.log(exponentials)
        for i in range(b):
            total += sequence[t + 1, i] * (prediction[i] - normaliser)
    return -total / ((sequence.shape[0] - 1) * b)


_slopes = enzyme.grad(loss, argnums=(0, 1))


def _arguments(given: dict[str, Any]) -> tuple[Any, ...]:
    names = ("main_params", "extra_params", "state", "sequence")
    return tuple(np.array(given[name], dtype=float) for name in names)


def _objective(given: dict[str, Any]) -> Evaluation:
    arguments = _arguments(given)
    return Evaluation(lambda: loss(*arguments))


def _jacobian(given: dict[str, Any]) -> Evaluation:
    arguments = _arguments(given)
    return Evaluation(
        lambda: _slopes(*arguments),
        lambda found: [number for part in found for number in part.ravel().tolist()],
    )


FUNCTIONS = {"objective": _objective, "jacobian": _jacobian}


def warm_up() -> None:
    """Compile."""
    example = {
        "main_params": [[0.5] * 8, [0.25] * 8],
        "extra_params": [[0.5, 0.25]] * 3,
        "state": [[0.5, 0.25]] * 2,
        "sequence": [[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]],
    }
    warmed(FUNCTIONS, example)
