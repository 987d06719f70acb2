"""A recurrent network that listens to a wave and then sings it on by itself.

The cell is written as on paper, a new state in every iteration, and the loss is that of a whole sequence: one call of
`value_and_grad` is backpropagation through time. Then the network gets its own answers as inputs.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

import enzyme_py as enzyme

HIDDEN, LENGTH, HEARD = 16, 80, 40


class Model(NamedTuple):
    """A simple recurrent cell and a linear readout."""

    W: np.ndarray  # state to state
    U: np.ndarray  # input to state
    b: np.ndarray
    V: np.ndarray  # state to output


@enzyme.jit
def sung(model, heard, steps):
    """Return what the network says at each step: of what it hears, then of what it said."""
    said = np.zeros(steps)
    h = np.zeros(model.b.size)
    for t in range(steps):
        sound = heard[t] if t < heard.size else said[t - 1]
        h = np.tanh(model.W @ h + model.U * sound + model.b)
        said[t] = model.V @ h
    return said


@enzyme.jit
def loss(model, wave):
    """Return the mean square error of each next sample, over one wave."""
    h = np.zeros(model.b.size)
    total = 0.0
    for t in range(wave.size - 1):
        h = np.tanh(model.W @ h + model.U * wave[t] + model.b)
        error = model.V @ h - wave[t + 1]
        total += error * error
    return total / (wave.size - 1)


def wave_of(random, length):
    """Return two sines, each of some phase."""
    time = 0.35 * np.arange(length)
    return 0.6 * np.sin(time + random.uniform(0, 2 * np.pi)) + 0.3 * np.sin(0.5 * time + random.uniform(0, 2 * np.pi))


def moved(part, g, m, v, rate, n):
    """Take one step of Adam, in place."""
    m += 0.1 * (g - m)
    v += 0.01 * (g * g - v)
    part -= rate * (m / (1 - 0.9**n)) / (np.sqrt(v / (1 - 0.99**n)) + 1e-8)


def trained(steps, random):
    """Return the model after so many steps of Adam, and the losses on the way."""
    model = Model(
        0.9 * np.linalg.qr(random.normal(size=(HIDDEN, HIDDEN)))[0],
        random.normal(size=HIDDEN),
        np.zeros(HIDDEN),
        random.normal(size=HIDDEN) / HIDDEN,
    )
    slope = enzyme.value_and_grad(loss)
    first = [np.zeros_like(part) for part in model]
    second = [np.zeros_like(part) for part in model]
    losses = []
    for n in range(1, steps + 1):
        value, gradient = slope(model, wave_of(random, LENGTH))
        losses.append(value)
        rate = 0.01 * min(1.0, 3.0 * (1.0 - n / (steps + 1)))
        size = max(1.0, np.sqrt(sum(np.sum(g * g) for g in gradient)))
        for part, g, m, v in zip(model, gradient, first, second, strict=True):
            moved(part, g / size, m, v, rate, n)
    return model, np.array(losses)


def main(short: bool = False, picture: Path | None = None) -> dict[str, float]:
    """Train, and let it go on by itself."""
    random = np.random.default_rng(0)
    model, losses = trained(300 if short else 4000, random)
    wave = wave_of(random, 4 * HEARD)
    said = sung(model, wave[:HEARD], 4 * HEARD - 1)
    alone = float(np.sqrt(np.mean((said[HEARD : 2 * HEARD] - wave[HEARD + 1 : 2 * HEARD + 1]) ** 2)))
    last = float(np.mean(losses[-50:]))
    print(f"rnn: loss {losses[:10].mean():.3f} -> {last:.1e}; forty samples on its own: {alone:.3f} off, of waves of {wave.std():.2f}")
    if picture is not None:
        _draw(picture, losses, wave, said)
    return {"first": float(losses[:10].mean()), "last": last, "alone": alone, "size": float(wave.std())}


def _draw(picture, losses, wave, said):
    from examples.gallery import drawing

    figure, (left, right) = drawing.axes(2)
    left.semilogy(losses[::5], color=drawing.BLUE, lw=0.7)
    left.set(xlabel="step / 5", ylabel="loss")
    right.plot(wave[1:], color=drawing.GREY, lw=3, alpha=0.5, label="the wave")
    right.plot(said, color=drawing.ORANGE, lw=1, label="the network")
    right.axvline(HEARD, color=drawing.GREY, ls=":")
    right.set(xlabel="sample; from the dotted line on it hears itself")
    right.legend(frameon=False, fontsize=7)
    drawing.save(figure, picture)


if __name__ == "__main__":
    main()
