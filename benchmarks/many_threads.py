"""Gradients of `prange` loops on 1, 2, 4, ... threads up to all cores; docs/threads-many-cores.md.

    python benchmarks/many_threads.py [--write] [--threads 1,2,4,8,16] [--rounds N] [--only NAMES]

The kernels of threads.py, each as compiled for threads, beside Numba's primal, C with OpenMP by hand, all on the same numbers of
threads, and JAX on all cores. What the model (on_threads/model.py) says from one thread and two stands beside what was
measured on all. Medians of rounds, in turn for all numbers of threads of a kind, one kind behind the other. Each gradient on all threads is compared with the one of plain loops first.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean

import numba
import numpy as np
from on_threads import model
from on_threads.kernels import COMPUTES, ROWS, Row
from on_threads.others import by_hand, by_jax, compiled_by_hand
from threads import medians, on_threads_of, shared_by, table

import enzyme_py as enzyme
from enzyme_py.native.threads.counts import fork_count

REPORT = Path(__file__).resolve().parent.parent / "docs" / "threads-many-cores.md"


@dataclass(frozen=True)
class Scaling:
    """Medians of one kernel, in milliseconds: of plain loops, of each number of threads, and of JAX."""

    name: str
    size: str
    serial: float
    gradient: tuple[float, ...]
    primal: tuple[float, ...]
    hand: tuple[float, ...]
    jax: float | None
    forks: int
    shared: int

    @property
    def gain(self) -> float:
        return self.gradient[0] / self.gradient[-1]

    @property
    def primal_gain(self) -> float:
        return self.primal[0] / self.primal[-1]


def measure(row: Row, counts: Sequence[int], rounds: int, library: object) -> Scaling:
    """Return the medians of one kernel."""
    function, size, make = row
    name, given = function.__name__, make()
    primal = numba.njit(parallel=True)(function)
    serial, gradient = enzyme.grad(numba.njit(parallel=True)(function)), enzyme.grad(primal)
    with enzyme.config(threads=1):
        expected = serial(*given)
    with enzyme.config(threads=counts[-1]):
        np.testing.assert_allclose(gradient(*given), expected, rtol=1e-9, atol=1e-11)
        before = fork_count()
        gradient(*given)
        forks = fork_count() - before
    jax = by_jax(name, given)

    # One after the other: the threads of one pool look for work some milliseconds longer, and the next one would wait for their cores.
    ours = medians([on_threads_of(1, serial, given), *(on_threads_of(count, gradient, given) for count in counts)], rounds)
    numbas = medians([on_threads_of(count, primal, given) for count in counts], rounds)
    hand = medians([by_hand(library, name, count, given) for count in counts], rounds)
    of_jax = medians([jax], rounds)[0] if jax else None
    return Scaling(name, size, ours[0], tuple(ours[1:]), tuple(numbas), tuple(hand), of_jax, forks, shared_by(name, given))


def times_table(all_of: Sequence[Scaling], counts: Sequence[int]) -> list[str]:
    heads = "kernel | plain loops | " + " | ".join(f"{n}" for n in counts) + " | times as fast | primal's | efficiency"
    return table(
        heads,
        [
            f"| {one.name} of {one.size} | {one.serial:.2f} | "
            + " | ".join(f"{time:.2f}" for time in one.gradient)
            + f" | {one.gain:.1f} | {one.primal_gain:.1f} | {one.gain / one.primal_gain:.2f} |"
            for one in all_of
        ],
    )


def others_table(all_of: Sequence[Scaling], counts: Sequence[int]) -> list[str]:
    most = counts[-1]
    heads = f"gradient | ours, {most} | C by hand, {most} | ours for C | JAX | JAX for ours"
    lines = []
    for one in all_of:
        best, hand = min(one.serial, *one.gradient), min(one.hand)
        jax = f"{one.jax:.2f} | {one.jax / best:.2f}" if one.jax else "- | -"
        lines.append(f"| {one.name} | {best:.2f} | {hand:.2f} | {best / hand:.2f} | {jax} |")
    return table(heads, lines)


def model_table(all_of: Sequence[Scaling], counts: Sequence[int], costs: model.Costs) -> list[str]:
    """Return what the model says from one thread and two, beside what was measured on all."""
    lines = []
    for one in all_of:
        said = model.predicted(one.gradient[0], one.gradient[1], one.forks, one.shared, costs, counts[-1])
        lines.append(f"| {one.name} | {one.gradient[0] / said:.1f} | {one.gain:.1f} |")
    return table(f"gradient | the model, {counts[-1]} threads | measured", lines)


def page(all_of: Sequence[Scaling], counts: Sequence[int], costs: model.Costs, rounds: int) -> list[str]:
    efficiency = geometric_mean([one.gain / one.primal_gain for one in all_of])
    computing = [one for one in all_of if one.name in COMPUTES] or list(all_of)
    return [
        "# Threads: many cores",
        "",
        f"Written by `python benchmarks/many_threads.py --write`; see [threads](threads.md). Medians of {rounds} rounds, in milliseconds, on",
        f"a machine of {os.cpu_count()} cores, as its system counts them. *times as fast*: {counts[-1]} threads beside 1; *efficiency*: that of the gradient by that of the",
        f"primal, geometric mean {efficiency:.2f}. Where arithmetic is the limit ({', '.join(one.name for one in computing)}), {counts[-1]} threads are",
        f"{geometric_mean([one.gain for one in computing]):.1f} times as fast as 1, those of the primal {geometric_mean([one.primal_gain for one in computing]):.1f}.",
        *times_table(all_of, counts),
        "",
        "## Beside C by hand, and JAX",
        "",
        "Of ours, and of C with OpenMP, the fastest of all numbers of threads; JAX on all cores.",
        *others_table(all_of, counts),
        "",
        "## What the model had said",
        "",
        f"From one thread and two on this machine, a fork of {1000 * costs.fork:.1f} microseconds and {1e-6 / costs.byte:.1f} GB/s for one core: times as fast as one thread.",
        *model_table(all_of, counts, costs),
        "",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write docs/threads-many-cores.md")
    parser.add_argument("--threads", help="how many, with commas, from 1 and 2; without: doubled up to the number of cores")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", help="names of kernels, with commas")
    given = parser.parse_args()
    doubled = ",".join(str(1 << k) for k in range((os.cpu_count() or 2).bit_length()))
    counts = [int(one) for one in (given.threads or doubled).split(",")]
    library, all_of = compiled_by_hand(), list[Scaling]()
    for row in ROWS:
        if not given.only or row[0].__name__ in given.only.split(","):
            all_of.append(measure(row, counts, given.rounds, library))
            print(all_of[-1], flush=True)
    text = "\n".join(page(all_of, counts, model.measured_costs(), given.rounds))
    print(text)
    if given.write:
        REPORT.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
