"""Differentiate a simulation: fit the coupling and the start of a chain of oscillators.

Prints the gradient's agreement with finite differences, its cost beside the primal, and the fit.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import numba
import numpy as np

import enzyme_py as enzyme

STEPS = 400
TIME_STEP = 0.02


@enzyme.jit
def distance(start, coupling, measured):
    """Sum of squares between a simulated chain of pendulums and a measurement of it."""
    x = start.copy()
    v = np.zeros_like(x)
    for _ in range(STEPS):
        for i in range(x.size):
            force = -math.sin(x[i])
            if i > 0:
                force += coupling * (x[i - 1] - x[i])
            if i < x.size - 1:
                force += coupling * (x[i + 1] - x[i])
            v[i] += TIME_STEP * force
        for i in range(x.size):
            x[i] += TIME_STEP * v[i]
    return np.sum((x - measured) ** 2)


def slope(start: np.ndarray, coupling: float, measured: np.ndarray, along: np.ndarray) -> float:
    """The slope of `distance` along a change of the start, by central differences."""
    h = 1e-5
    ahead = distance(start + h * along, coupling, measured)
    behind = distance(start - h * along, coupling, measured)
    return float((ahead - behind) / (2 * h))


def seconds(call: Callable[[], object], repeat: int = 20) -> float:
    """The median time of a call that has been compiled."""
    times = []
    for _ in range(repeat):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return float(np.median(times))


@numba.njit
def fit(start, coupling, measured, rate, steps):
    """Gradient descent on the start, compiled as a whole: the gradient too."""
    for _ in range(steps):
        change = enzyme.gradient(distance, start, coupling, measured)[0]
        for i in range(start.size):
            start[i] -= rate * change[i]
    return start


def main() -> None:
    random = np.random.default_rng(1)
    start = random.uniform(-1.0, 1.0, 50)
    measured = random.uniform(-1.0, 1.0, 50)

    begin = time.perf_counter()
    change, by_coupling, _ = enzyme.gradient(distance, start, 0.7, measured)
    print(f"first gradient, compilation included  {time.perf_counter() - begin:8.2f} s")

    along = random.uniform(-1.0, 1.0, 50)
    expected = slope(start, 0.7, measured, along)
    error = abs(change @ along - expected) / abs(expected)
    print(f"against finite differences            {error:8.1e} relative")
    if error > 1e-6:
        raise SystemExit("the gradient disagrees with finite differences")

    plain = numba.njit(distance.py_func)
    plain(start, 0.7, measured)
    primal = seconds(lambda: plain(start, 0.7, measured))
    gradient = seconds(lambda: enzyme.gradient(distance, start, 0.7, measured))
    print(f"one simulation, plain njit            {primal * 1e6:8.0f} us")
    print(
        f"all {start.size + 1 + measured.size} derivatives of it              {gradient * 1e6:8.0f} us"
    )
    print(f"ratio                                 {gradient / primal:8.2f}")

    before = distance(start, 0.7, measured)
    fitted = fit(start.copy(), 0.7, measured, 0.02, 300)
    after = distance(fitted, 0.7, measured)
    print(f"misfit before and after the fit       {before:8.3f} -> {after:.3f}")
    if not after < before:
        raise SystemExit("the fit did not get closer")
    print(f"derivative by the coupling            {by_coupling:8.3f}")


if __name__ == "__main__":
    main()
