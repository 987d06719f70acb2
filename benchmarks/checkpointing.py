"""A long time loop with few of its states kept, beside the same loop with all of them.

Run it: `python benchmarks/checkpointing.py [--write] [--quick]`. A state of 1000 doubles takes steps of a
reaction-diffusion equation with a forcing; the gradient is by the first state, a coefficient and the whole
forcing. The plain loop, the checkpointed one and the kernel alone are timed in turn in one process, their
gradients compared first. Then a million steps are run once. `--write` puts the tables into
docs/checkpointing-figures.md.
"""

from __future__ import annotations

import argparse
import resource
import sys
import time
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

import enzyme_py as enzyme

REPORT = Path(__file__).resolve().parent.parent / "docs" / "checkpointing-figures.md"
SIZE = 1000
LONG = 1_000_000
BUDGET = 100e6
GOAL = 3.0


INTRODUCTION = (
    "Written by `python benchmarks/checkpointing.py --write`; see [checkpointing](checkpointing.md). A state of "
    f"{SIZE} doubles, explicit steps of a reaction-diffusion equation with a forcing at every step; the "
    "gradient is by the first state, a coefficient and the whole forcing."
)


@enzyme.jit
def step(u, i, a, forcing):
    """One explicit step; its end points are held."""
    v = np.empty_like(u)
    v[0] = u[0]
    v[-1] = u[-1]
    for j in range(1, u.size - 1):
        spread = u[j - 1] - 2 * u[j] + u[j + 1]
        v[j] = u[j] + a * spread + 0.01 * u[j] * (1 - u[j] * u[j]) + forcing[i]
    return v


@enzyme.jit
def plain(u, a, forcing, memory):
    """The loop as it is: reverse mode keeps all states."""
    for i in range(forcing.size):
        u = step(u, i, a, forcing)
    return np.sum(u * u)


@enzyme.jit
def checkpointed(u, a, forcing, memory):
    """The loop with states in `memory` bytes."""
    u = enzyme.checkpoint(step, u, forcing.size, (a, forcing), memory)
    return np.sum(u * u)


of_plain = enzyme.grad(plain, argnums=(0, 1, 2))
of_checkpointed = enzyme.grad(checkpointed, argnums=(0, 1, 2))


def arguments(steps: int) -> tuple[np.ndarray, float, np.ndarray]:
    generator = np.random.default_rng(0)
    return generator.normal(size=SIZE), 0.2, generator.normal(size=steps) * 1e-3


def difference(steps: int, memory: float) -> float:
    """Return the largest difference of the two gradients, relative to the largest entry."""
    given = (*arguments(steps), memory)
    pairs = zip(of_checkpointed(*given), of_plain(*given), strict=True)
    return max(float(np.max(np.abs(a - b)) / np.max(np.abs(b))) for a, b in pairs)


def in_turn(steps: int, memory: float, rounds: int) -> dict[str, float]:
    """Return median microseconds a step: the kernel, the gradient keeping all, and checkpointed."""
    given = (*arguments(steps), memory)
    calls = {"kernel": plain, "all": of_plain, "some": of_checkpointed}
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds + 1):
        for name, call in calls.items():
            begun = time.perf_counter()
            call(*given)
            times[name].append((time.perf_counter() - begun) / steps * 1e6)
    return {name: median(one[1:]) for name, one in times.items()}


def peak() -> float:
    """Return the high-water mark of resident memory, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


def table(steps: int, rounds: int) -> list[str]:
    lines = [
        "| states kept | kernel | keeping all | checkpointed | ratio | largest difference |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for kept in (steps, steps // 4, steps // 20, 20, 5):
        memory = (kept + 5) * 8 * SIZE
        apart = difference(steps, memory)
        took = in_turn(steps, memory, rounds)
        ratio = took["some"] / took["all"]
        lines.append(
            f"| {kept} | {took['kernel']:.2f} | {took['all']:.2f} | {took['some']:.2f} "
            f"| {ratio:.2f} | {apart:.0e} |"
        )
        print(lines[-1], flush=True)
    return lines


def long_run(steps: int) -> str:
    enzyme.inspect.trim()
    given = arguments(steps)
    memory = BUDGET
    before = peak()
    begun = time.perf_counter()
    of_checkpointed(*given, memory)
    seconds = time.perf_counter() - begun
    grown = peak() - before
    # Beside it what all states cost a step, at a length whose states fit into memory.
    shorter = steps // 50
    took = in_turn(shorter, BUDGET, 3)
    ratio = seconds / steps * 1e6 / took["all"]
    each = seconds / steps * 1e6
    return (
        f"{steps} steps within {BUDGET / 1e6:.0f} MB: {seconds:.1f} s, {each:.2f} us a step; {ratio:.2f} times "
        f"what a step costs where all states of {shorter} steps are kept ({took['all']:.2f} us; for all "
        f"{steps} of them that would take {8e-9 * SIZE * steps:.0f} GB and more). The goal is {GOAL:.0f} times. "
        f"The high-water mark of the process grew by {grown:.0f} MB."
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--quick", action="store_true", help="few steps, for the tests")
    options = parser.parse_args()
    steps, rounds, long = (200, 1, 2000) if options.quick else (4000, 5, LONG)
    of_checkpointed(*arguments(10), BUDGET)
    sentence = long_run(long)
    print(sentence)
    lines = [
        "# Checkpointing",
        "",
        INTRODUCTION,
        "",
        sentence,
        "",
        f"A loop of {steps} steps, microseconds a step, medians of {rounds} rounds in turn:",
        "",
        *table(steps, rounds),
    ]
    if options.write:
        REPORT.write_text("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
