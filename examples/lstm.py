"""Train a long short-term memory on the adding problem, a batch of sequences at a time.

Each turn shows a number and a mark; two turns of every sequence are marked, and the answer at the
end is the sum of their numbers. The four gates lie side by side in one matrix and are taken apart
by slices. Run it: `python examples/lstm.py [curve.png]`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from training import run

import enzyme_py as enzyme

HIDDEN = 12
LENGTH = 12
BATCH = 20


class Model(NamedTuple):
    """One matrix for all four gates, and a linear readout."""

    W: np.ndarray  # (HIDDEN + 2, 4 HIDDEN): from the state and the input
    b: np.ndarray
    v: np.ndarray
    c: np.ndarray


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


@enzyme.jit
def loss(model, numbers, marks, sums):
    """Mean square error of the sums of a batch; a row is a sequence."""
    batch, length = numbers.shape
    n = model.v.size
    h = np.zeros((batch, n))
    cell = np.zeros((batch, n))
    for t in range(length):
        seen = np.concatenate((h, numbers[:, t : t + 1], marks[:, t : t + 1]), axis=1)
        gates = seen @ model.W + model.b
        forget = sigmoid(gates[:, :n])
        write = sigmoid(gates[:, n : 2 * n])
        read = sigmoid(gates[:, 2 * n : 3 * n])
        cell = forget * cell + write * np.tanh(gates[:, 3 * n :])
        h = read * np.tanh(cell)
    error = h @ model.v + model.c[0] - sums
    return np.mean(error * error)


def start(random: np.random.Generator) -> Model:
    """Small weights; the forget gate begins open, so that the cell keeps what it has seen."""
    b = np.zeros(4 * HIDDEN)
    b[:HIDDEN] = 2.0
    return Model(
        W=random.normal(size=(HIDDEN + 2, 4 * HIDDEN)) / np.sqrt(HIDDEN),
        b=b,
        v=random.normal(size=HIDDEN) / np.sqrt(HIDDEN),
        c=np.zeros(1),
    )


def problem(random: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Numbers, two marks in each row, and the sums of what is marked."""
    numbers = random.uniform(0.0, 1.0, (BATCH, LENGTH))
    marks = np.zeros((BATCH, LENGTH))
    for row in marks:
        row[random.choice(LENGTH, 2, replace=False)] = 1.0
    return numbers, marks, np.sum(numbers * marks, axis=1)


def main() -> None:
    random = np.random.default_rng(0)
    slope = enzyme.value_and_grad(loss)

    def step(model: Model, number: int) -> tuple[float, Model]:
        return slope(model, *problem(random))

    run("LSTM", start(random), step, epochs=20, steps=60, rate=0.02)


if __name__ == "__main__":
    main()
