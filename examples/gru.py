"""Train a gated recurrent unit to echo its input: every sample again, four turns later.

The gates overwrite nothing and join nothing: plain NumPy, differentiated through the whole sequence.
Run it: `python examples/gru.py [curve.png]`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from training import run

import enzyme_py as enzyme

HIDDEN = 16
LENGTH = 80
DELAY = 4


class Model(NamedTuple):
    """Update gate, reset gate, candidate state: each its W, U and b. Then a linear readout."""

    Wz: np.ndarray
    Uz: np.ndarray
    bz: np.ndarray
    Wr: np.ndarray
    Ur: np.ndarray
    br: np.ndarray
    Wh: np.ndarray
    Uh: np.ndarray
    bh: np.ndarray
    V: np.ndarray


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


def gru(m, h, x):
    """The state after one more sample."""
    z = sigmoid(m.Wz @ h + m.Uz @ x + m.bz)
    r = sigmoid(m.Wr @ h + m.Ur @ x + m.br)
    proposed = np.tanh(m.Wh @ (r * h) + m.Uh @ x + m.bh)
    return (1.0 - z) * h + z * proposed


@enzyme.jit
def loss(m, inputs):
    """Mean square difference between the output and the input `DELAY` turns before."""
    h = np.zeros(m.bh.size)
    total = 0.0
    for t in range(inputs.shape[0]):
        h = gru(m, h, inputs[t])
        if t >= DELAY:
            error = m.V @ h - inputs[t - DELAY]
            total += np.sum(error * error)
    return total / (inputs.shape[0] - DELAY)


def start(random: np.random.Generator) -> Model:
    """A gate at random, three times, and a readout."""
    parts = []
    for bias in (-1.0, 0.0, 0.0):  # an update gate that is half shut remembers from the start
        parts.append(random.normal(size=(HIDDEN, HIDDEN)) / np.sqrt(HIDDEN))
        parts.append(random.normal(size=(HIDDEN, 1)))
        parts.append(np.full(HIDDEN, bias))
    return Model(*parts, random.normal(size=(1, HIDDEN)) / np.sqrt(HIDDEN))


def main() -> None:
    random = np.random.default_rng(0)
    slope = enzyme.value_and_grad(loss)

    def step(model: Model, number: int) -> tuple[float, Model]:
        return slope(model, random.uniform(-1.0, 1.0, (LENGTH, 1)))

    run("GRU", start(random), step, epochs=15, steps=100, rate=0.01)


if __name__ == "__main__":
    main()
