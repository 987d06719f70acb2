"""Train a recurrent network to predict the next sample of a noisy wave.

The cell is written as on paper, a new state in every turn. `enzyme.value_and_grad` differentiates
through the whole loop. Run it: `python examples/rnn.py [curve.png]`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from training import run

import enzyme_py as enzyme

HIDDEN = 12
LENGTH = 60


class Model(NamedTuple):
    """A simple recurrent cell and a linear readout."""

    W: np.ndarray  # state to state
    U: np.ndarray  # input to state
    b: np.ndarray
    V: np.ndarray  # state to output
    c: np.ndarray


@enzyme.jit
def loss(model, inputs, targets):
    """Mean square error of the predictions for one sequence."""
    h = np.zeros(model.b.size)
    total = 0.0
    for t in range(inputs.shape[0]):
        h = np.tanh(model.W @ h + model.U @ inputs[t] + model.b)
        error = model.V @ h + model.c - targets[t]
        total += np.sum(error * error)
    return total / inputs.shape[0]


def start(random: np.random.Generator) -> Model:
    """Weights that neither blow up nor die out."""
    return Model(
        W=random.normal(size=(HIDDEN, HIDDEN)) * 0.7 / np.sqrt(HIDDEN),
        U=random.normal(size=(HIDDEN, 1)),
        b=np.zeros(HIDDEN),
        V=random.normal(size=(1, HIDDEN)) / np.sqrt(HIDDEN),
        c=np.zeros(1),
    )


def wave(random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A sine of unknown phase with a little noise, and the same one sample later."""
    time = 0.35 * np.arange(LENGTH + 1) + random.uniform(0.0, 2 * np.pi)
    samples = np.sin(time) + 0.01 * random.normal(size=time.size)
    return samples[:-1, None], samples[1:, None]


def main() -> None:
    random = np.random.default_rng(0)
    model = start(random)
    slope = enzyme.value_and_grad(loss)

    def step(model: Model, number: int) -> tuple[float, Model]:
        return slope(model, *wave(random))

    run("RNN", model, step, epochs=20, steps=30, rate=0.01)


if __name__ == "__main__":
    main()
