"""Gradients of `prange` loops, and Jacobians, on one thread and on two; docs/threads-figures.md.

    python benchmarks/threads.py [--write] [--rounds N] [--only NAMES]

* serial: the gradient as compiled with one thread (plain loops)
* 1, 2: the gradient as compiled for threads, on one and on two
* primal: Numba's own parallel code, on one thread and on two
* by hand: C with OpenMP, on one thread and on two; JAX, as it comes
* Jacobians: their rows, columns and products as compiled with one thread, and shared out among two

Each gradient on two threads is compared with the serial one, the one by hand and JAX's before anything is timed. Medians of
rounds in turn. The kernels: on_threads/kernels.py; the model for more cores: on_threads/model.py.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any

import numba
import numpy as np
from on_threads import model
from on_threads.kernels import COMPUTES, GENERATOR, ROWS, Row
from on_threads.others import by_hand, by_jax, compiled_by_hand

import enzyme_py as enzyme
from enzyme_py.native.threads.counts import fork_count

REPORT = Path(__file__).resolve().parent.parent / "docs" / "threads-figures.md"


@dataclass(frozen=True)
class Times:
    """Medians of one kernel, in milliseconds."""

    name: str
    size: str
    serial: float
    one: float
    two: float
    primal_one: float
    primal_two: float
    hand_one: float
    hand_two: float
    jax: float | None
    forks: int
    shared: int  # bytes of which each part has a copy

    @property
    def efficiency(self) -> float:
        """How much of the primal's gain by two threads the gradient has."""
        return (self.one / self.two) / (self.primal_one / self.primal_two)


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


def on_threads_of(count: int, call: Callable[..., object], given: Sequence[Any]) -> Callable[[], object]:
    """Return a call on so many threads, of Numba's and of ours."""

    def run() -> object:
        numba.set_num_threads(count)
        with enzyme.config(threads=count):
            return call(*given)

    return run


def measure(row: Row, rounds: int, library: Any) -> Times:
    """Return the medians of one kernel."""
    function, size, make = row
    name, given = function.__name__, make()
    primal = numba.njit(parallel=True)(function)
    plain = numba.njit(parallel=True)(function)
    serial, gradient = enzyme.grad(plain), enzyme.grad(primal)
    with enzyme.config(threads=1):
        expected = serial(*given)
    with enzyme.config(threads=2):
        np.testing.assert_allclose(gradient(*given), expected, rtol=1e-9, atol=1e-11)
        before = fork_count()
        gradient(*given)
        forks = fork_count() - before
    hand = [by_hand(library, name, threads, given) for threads in (1, 2)]
    scale = float(np.max(np.abs(expected)))
    np.testing.assert_allclose(hand[1](), expected, rtol=1e-8, atol=1e-10 * scale)
    jax = by_jax(name, given)
    if jax:
        np.testing.assert_allclose(jax(), expected, rtol=1e-8, atol=1e-10 * scale)

    columns = ((1, serial), (1, gradient), (2, gradient), (1, primal), (2, primal))
    calls = [on_threads_of(count, call, given) for count, call in columns]
    found = medians([*calls, *hand, *([jax] if jax else [])], rounds)
    found += [None] * (not jax)
    return Times(name, size, *found, forks, shared_by(name, given))


def shared_by(name: str, given: Sequence[Any]) -> int:
    """Return the bytes that each part has a copy of: what is read by other indices than the loop's own."""
    return int(given[0].nbytes) if name in ("pair_energies", "gather", "logistic") else 0


def medians(calls: Sequence[Callable[[], object]], rounds: int) -> list[Any]:
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


# -- the page


def table(heads: str, lines: Sequence[str]) -> list[str]:
    columns = heads.count("|") + 1
    return ["", f"| {heads} |", "| --- |" + " ---: |" * (columns - 1), *lines]


def of_threads(all_of: Sequence[Times]) -> list[str]:
    """Return the table that the picture is drawn of."""
    heads = "kernel | serial | 1 thread | 2 threads | 2 for serial | primal 1 | primal 2 | primal 2 for 1 | efficiency"
    return table(
        heads,
        [
            f"| {one.name} of {one.size} | {one.serial:.2f} | {one.one:.2f} | {one.two:.2f} | {one.serial / one.two:.2f} "
            f"| {one.primal_one:.2f} | {one.primal_two:.2f} | {one.primal_one / one.primal_two:.2f} | {one.efficiency:.2f} |"
            for one in all_of
        ],
    )


def of_others(all_of: Sequence[Times]) -> list[str]:
    """Return the table beside C by hand and JAX."""
    heads = "gradient | ours, 1 | ours, 2 | C by hand, 1 | C by hand, 2 | ours for C, 2 | JAX | JAX for ours, 2"
    lines = []
    for one in all_of:
        best = min(one.serial, one.two)
        jax = f"{one.jax:.2f} | {one.jax / best:.2f}" if one.jax else "- | -"
        lines.append(
            f"| {one.name} | {one.serial:.2f} | {one.two:.2f} | {one.hand_one:.2f} | {one.hand_two:.2f} "
            f"| {best / one.hand_two:.2f} | {jax} |"
        )
    return table(heads, lines)


def of_model(all_of: Sequence[Times], costs: model.Costs) -> list[str]:
    """Return the table of the model."""
    heads = "gradient | forks | shared MB | " + " | ".join(f"{cores} cores" for cores in model.CORES)
    lines = []
    for one in all_of:
        times = [one.one / model.predicted(one.one, one.two, one.forks, one.shared, costs, n) for n in model.CORES]
        gains = " | ".join(f"{gain:.1f}" for gain in times)
        lines.append(f"| {one.name} | {one.forks} | {one.shared / 1e6:.1f} | {gains} |")
    return table(heads, lines)


def sums(all_of: Sequence[Times]) -> list[str]:
    efficiency = geometric_mean([one.efficiency for one in all_of])
    computing = [one.one / one.two for one in all_of if one.name in COMPUTES] or [1.0]
    return [
        "",
        f"*efficiency*: 1 thread for 2 of the gradient, by that of the primal; geometric mean {efficiency:.2f}. Where arithmetic is the",
        f"limit ({', '.join(COMPUTES)}), 2 threads are {geometric_mean(computing):.2f} times as fast as 1.",
    ]


def page(all_of: Sequence[Times], jacobians: Sequence[str], costs: model.Costs, rounds: int) -> list[str]:
    return [
        "# Gradients on threads",
        "",
        f"Written by `python benchmarks/threads.py --write`; see [threads](threads.md). Medians of {rounds} rounds",
        "in turn, in milliseconds, on a machine of two shared cores.",
        "",
        "![Times as fast on two threads as plain loops](threads-figures.svg)",
        *of_threads(all_of),
        *sums(all_of),
        "",
        "## Beside C by hand, and JAX",
        "",
        "C with OpenMP, gcc -O3, as one writes a gradient for speed: `benchmarks/by_hand/on_threads.c`. It knows what the derivative",
        "simplifies to, and stores nothing it can do without. JAX has its own threads, as many as cores, and float64. *for*: the faster",
        "of ours, serial or on 2 threads, for C's on 2, and JAX for it.",
        *of_others(all_of),
        "",
        "## Jacobians",
        *table("Jacobian | plain loops | 2 threads | 2 for plain", jacobians),
        "",
        "## More cores: a model",
        "",
        "Nothing of this was measured: here are two cores. Times as fast as on one thread, by `benchmarks/on_threads/model.py`, from the times above,",
        f"a fork of {1000 * costs.fork:.1f} microseconds and {1e-6 / costs.byte:.1f} GB/s for one core. What two threads do not make faster",
        "never becomes faster in it; copies of what parts share pass through one memory, one for each part.",
        *of_model(all_of, costs),
        "",
    ]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", help="names of kernels, with commas")
    given = parser.parse_args()
    library, all_of = compiled_by_hand(), list[Times]()
    for row in ROWS:
        if not given.only or row[0].__name__ in given.only.split(","):
            all_of.append(measure(row, given.rounds, library))
            print(all_of[-1], flush=True)
    jacobians = list[str]()
    for name, make, size in () if given.only else JACOBIANS:
        plain, shared = measure_jacobian(make, size, given.rounds)
        jacobians.append(f"| {name}, {size} | {plain:.2f} | {shared:.2f} | {plain / shared:.2f} |")
        print(jacobians[-1], flush=True)
    lines = page(all_of, jacobians, model.measured_costs(), given.rounds)
    print("\n".join(lines))
    if given.write:
        REPORT.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
