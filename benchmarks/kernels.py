"""The kernels that are timed, each with its gradient by hand."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


def of_two_numbers(x, y):
    return x * x * y + math.sin(x * y)


def loop(x):
    total = 0.0
    for i in range(x.size):
        total += x[i] * x[i] * x[i]
    return total


def loop_of_sines(x):
    total = 0.0
    for i in range(x.size):
        total += x[i] * math.sin(x[i])
    return total


def temporaries(x):
    total = 0.0
    for _ in range(1000):
        t = x * 2.0
        total += np.sum(t * t)
    return total


@dataclass(frozen=True)
class Kernel:
    """A kernel with arguments and its gradient; `goal` is the ratio to the primal aimed at."""

    title: str
    function: Callable[..., Any]
    args: tuple[Any, ...]
    gradient: tuple[Any, ...]
    goal: float

    def check(self, got: tuple[Any, ...]) -> None:
        """Raise if the gradient is wrong: no wrong number is ever timed."""
        for ours, theirs in zip(got, self.gradient, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-10, err_msg=self.title)


def two_numbers(x: float, y: float) -> Kernel:
    slope = math.cos(x * y)
    gradient = (2 * x * y + y * slope, x * x + x * slope)
    return Kernel("one call, 2 numbers", of_two_numbers, (x, y), gradient, 1.5)


def loops() -> list[Kernel]:
    """The kernels whose ratio of gradient to primal is reported."""
    long = np.linspace(-1.0, 2.0, 10**6)
    short = np.linspace(-1.0, 2.0, 1000)
    sines = np.sin(long) + long * np.cos(long)
    return [
        Kernel("loop over 10^6, x^3", loop, (long,), (3 * long**2,), 2.0),
        Kernel("loop over 10^6, x sin x", loop_of_sines, (long,), (sines,), 2.0),
        Kernel(
            "1000 iterations with array temporaries", temporaries, (short,), (8000 * short,), 4.0
        ),
    ]
