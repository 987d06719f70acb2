"""What the recurrent examples share: Adam, the loop over epochs, and the curve of the loss.

A model is a named tuple of arrays. `value_and_grad` of a loss of the model gives a loss and a named
tuple of gradients, so the optimiser is a loop over pairs of arrays.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

WANTED = 10.0  # the loss falls by this factor at least

Step = Callable[[Any, int], tuple[float, Any]]


class Adam:
    """Kingma and Ba's optimiser; it changes the arrays of the model in place."""

    def __init__(self, model: Any, rate: float) -> None:
        self.rate = rate
        self.count = 0
        self.means = [np.zeros_like(array) for array in model]
        self.squares = [np.zeros_like(array) for array in model]

    def update(self, model: Any, gradient: Any) -> None:
        """Move the model one step down along its gradient."""
        self.count += 1
        corrected = self.rate * np.sqrt(1 - 0.999**self.count) / (1 - 0.9**self.count)
        places = zip(model, gradient, self.means, self.squares, strict=True)
        for array, slope, mean, square in places:
            mean[...] += 0.1 * (slope - mean)
            square[...] += 0.001 * (slope**2 - square)
            array[...] -= corrected * mean / (np.sqrt(square) + 1e-8)


def clipped(gradient: Any, most: float = 1.0) -> list[np.ndarray]:
    """The gradient, shortened to length `most` where it is longer: recurrent nets have cliffs."""
    length = np.sqrt(sum(np.sum(part**2) for part in gradient))
    return [part * min(1.0, most / (length + 1e-12)) for part in gradient]


def train(model: Any, step: Step, epochs: int, steps: int, rate: float) -> list[float]:
    """Train in place, print the mean loss of every epoch, and return these."""
    optimiser = Adam(model, rate)
    losses = []
    for epoch in range(epochs):
        optimiser.rate = rate * (1 - epoch / epochs)  # down to nothing: small steps settle
        total = 0.0
        for number in range(steps):
            value, gradient = step(model, epoch * steps + number)
            optimiser.update(model, clipped(gradient))
            total += value
        losses.append(total / steps)
        print(f"epoch {epoch + 1:3d}  loss {losses[-1]:.6f}", flush=True)
    return losses


def run(name: str, model: Any, step: Step, epochs: int, steps: int, rate: float) -> None:
    """The whole program: read the command line, train, judge, draw."""
    parser = argparse.ArgumentParser(description=f"Train a {name} and draw its loss.")
    parser.add_argument("curve", nargs="?", default=f"{name.lower()}.png", help="PNG to draw")
    parser.add_argument("--epochs", type=int, default=epochs)
    parser.add_argument("--steps", type=int, default=steps, help="updates per epoch")
    given = parser.parse_args()
    losses = train(model, step, given.epochs, given.steps, rate)
    draw(losses, name, given.curve)
    judge(losses, is_short=(given.epochs, given.steps) != (epochs, steps))


def judge(losses: Sequence[float], *, is_short: bool) -> None:
    """Say by what factor the loss fell; after a full run, fail if it was not enough."""
    factor = losses[0] / losses[-1]
    print(f"the loss fell by a factor of {factor:.1f}")
    if is_short:
        print("a short run: the factor says little")
    elif factor < WANTED:
        raise SystemExit(f"it should have fallen by {WANTED}")


def draw(losses: Sequence[float], name: str, path: str) -> None:
    """Draw the curve, if matplotlib is there."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        print(f"{path} is not drawn: matplotlib is not installed")
        return
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    axes.semilogy(range(1, len(losses) + 1), losses, marker=".")
    axes.set(xlabel="epoch", ylabel="loss", title=name)
    figure.savefig(path, dpi=120)
    print(f"drew {path}")
