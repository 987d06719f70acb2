"""Gradients of `prange` loops, and Jacobians, on one thread and on two; docs/threads-figures.md.

    python benchmarks/threads.py [--write] [--rounds N]

* serial: the gradient as compiled with one thread (plain loops)
* 1, 2: the gradient as compiled for threads, on one and on two
* primal: Numba's own parallel code, on one thread and on two
* Jacobians: their rows, columns and products as compiled with one thread, and shared out among two

Each gradient on two threads is compared with the serial one before anything is timed. Medians of rounds in turn.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

import numba
import numpy as np
from numba import prange

import enzyme_py as enzyme

REPORT = Path(__file__).resolve().parent.parent / "docs" / "threads-figures.md"
GENERATOR = np.random.default_rng(5)


def iterated_sines(x):
    total = 0.0
    for i in prange(x.size):
        v = x[i]
        for _ in range(30):
            v = np.sin(v) + 0.1
        total += v
    return total


def pair_energies(x):
    total = 0.0
    for i in prange(x.size):
        for j in range(x.size):
            d = x[i] - x[j]
            total += np.exp(-d * d)
    return total


def rows(x):
    a = x.reshape(20000, 100)
    total = 0.0
    for i in prange(a.shape[0]):
        inner = 0.0
        for j in range(a.shape[1]):
            inner += a[i, j] * a[i, j]
        total += np.sqrt(inner + 1.0)
    return total


def elementwise(x):
    total = 0.0
    for i in prange(x.size):
        total += np.exp(x[i]) * np.sin(x[i])
    return total


def stencil(x):
    out = np.zeros_like(x)
    for i in prange(1, x.size - 1):
        out[i] = x[i - 1] * x[i] + np.sin(x[i + 1])
    total = 0.0
    for i in prange(x.size):
        total += out[i] * out[i]
    return total


def gather(x):
    total = 0.0
    for i in prange(2_000_000):
        v = x[i * 7 % 1000]
        total += v * v
    return total


ROWS: tuple[tuple[Callable[..., float], int], ...] = (
    (iterated_sines, 200_000),
    (pair_energies, 3_000),
    (rows, 2_000_000),
    (elementwise, 2_000_000),
    (stencil, 2_000_000),
    (gather, 1_000),
)


# -- Jacobians: serial kernels, whose rows or columns are shared out


def distances(x):
    y = np.empty(x.size)
    for i in range(x.size):
        y[i] = 0.0
        for j in range(x.size):
            y[i] += np.sqrt((x[i] - x[j]) ** 2 + 0.01)
    return y


def chain(x):
    total = 0.0
    for _ in range(20):
        for i in range(x.size - 1):
            total += np.sin(x[i]) * x[i + 1] ** 2
    return total


def steps(x):
    u = x.copy()
    for _ in range(200):
        u[1:-1] += 0.1 * (u[2:] - 2.0 * u[1:-1] + u[:-2]) * np.exp(-u[1:-1])
    return u


JACOBIANS: tuple[tuple[str, Callable[[], Callable[..., object]], int], ...] = (
    ("jacrev of distances", lambda: enzyme.jacrev(distances), 400),
    ("jacfwd of distances", lambda: enzyme.jacfwd(distances), 400),
    ("hessian of chain", lambda: enzyme.hessian(chain), 400),
    ("jacrev of steps", lambda: enzyme.jacrev(steps), 400),
    ("jacfwd of steps", lambda: enzyme.jacfwd(steps), 400),
)


def milliseconds(call: Callable[[], object]) -> float:
    begin = time.perf_counter()
    call()
    return 1000 * (time.perf_counter() - begin)


def measure(function: Callable[..., float], size: int, rounds: int) -> list[float]:
    """Return the medians: serial, one and two threads, the primal on one and two."""
    x = GENERATOR.uniform(0.1, 1.0, size)
    primal = numba.njit(parallel=True)(function)
    plain = numba.njit(parallel=True)(function)
    serial, gradient = enzyme.grad(plain), enzyme.grad(primal)
    with enzyme.config(threads=1):
        expected = serial(x)
    with enzyme.config(threads=2):
        np.testing.assert_allclose(gradient(x), expected, rtol=1e-11)

    def threads(count: int, call: Callable[..., object]) -> Callable[[], object]:
        def run() -> object:
            numba.set_num_threads(count)
            with enzyme.config(threads=count):
                return call(x)

        return run

    calls = [
        threads(1, serial),
        threads(1, gradient),
        threads(2, gradient),
        threads(1, primal),
        threads(2, primal),
    ]
    return medians(calls, rounds)


def medians(calls: Sequence[Callable[[], object]], rounds: int) -> list[float]:
    times: list[list[float]] = [[] for _ in calls]
    for _ in range(rounds):
        for place, call in enumerate(calls):
            times[place].append(milliseconds(call))
    return [median(one[1:]) for one in times]


def measure_jacobian(make: Callable[[], Callable[..., object]], size: int, rounds: int) -> list[float]:
    """Return the medians: plain loops, and shared out among two threads. The numbers are the same to the bit."""
    x = GENERATOR.uniform(0.1, 1.0, size)
    with enzyme.config(threads=1):
        plain = make()
        expected = np.asarray(plain(x)).tobytes()
    with enzyme.config(threads=2):
        shared = make()
        assert np.asarray(shared(x)).tobytes() == expected
        return medians([lambda: plain(x), lambda: shared(x)], rounds)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--rounds", type=int, default=15)
    given = parser.parse_args()
    lines = [
        "# Gradients on threads",
        "",
        f"Written by `python benchmarks/threads.py --write`; see [threads](threads.md). Medians of {given.rounds} rounds",
        "in turn, in milliseconds, on a machine of two shared cores.",
        "",
        "| kernel | serial | 1 thread | 2 threads | 2 for serial | primal 1 | primal 2 | primal 2 for 1 |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for function, size in ROWS:
        serial, one, two, first, second = measure(function, size, given.rounds)
        lines.append(
            f"| {function.__name__} of {size:,} | {serial:.2f} | {one:.2f} | {two:.2f} | {serial / two:.2f} "
            f"| {first:.2f} | {second:.2f} | {first / second:.2f} |"
        )
        print(lines[-1], flush=True)
    lines += [
        "",
        "| Jacobian | plain loops | 2 threads | 2 for plain |",
        "| --- | ---: | ---: | ---: |",
    ]
    for name, make, size in JACOBIANS:
        plain, shared = measure_jacobian(make, size, given.rounds)
        lines.append(f"| {name}, {size} | {plain:.2f} | {shared:.2f} | {plain / shared:.2f} |")
        print(lines[-1], flush=True)
    if given.write:
        REPORT.write_text("\n".join([*lines, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
