"""A thousand small gradients: one mapped call, a loop of Python calls, and JAX where it can be imported.

Run it: `python benchmarks/small_calls.py [--write]`. The gradient of Rosenbrock's function of ten numbers, written as a
loop for us and on whole arrays for JAX, at a thousand points. All are timed in turn in one process, their
results compared first; JAX works in float64, on points that are its own arrays already. `--write` puts the
table into docs/small-calls-figures.md.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np

import enzyme_py as enzyme

REPORT = Path(__file__).resolve().parent.parent / "docs" / "small-calls-figures.md"
COUNT, SIZE, SCALE = 1000, 10, 100.0
ROUNDS = 9
GOAL = 50
INTRODUCTION = (
    "Written by `python benchmarks/small_calls.py --write`; see [small calls](small-calls.md). The gradients of a function "
    f"of {SIZE} numbers at {COUNT} points, medians of {ROUNDS} rounds in turn, and the median of the ratios. The goal: "
    f"one mapped call at least {GOAL} times faster than Python calls of JAX."
)


@enzyme.jit
def rosenbrock(x, scale):
    total = 0.0
    for i in range(x.size - 1):
        total += scale * (x[i + 1] - x[i] ** 2) ** 2 + (1 - x[i]) ** 2
    return total


def ours(points: np.ndarray) -> dict[str, Callable[[], Any]]:
    gradient = enzyme.grad(rosenbrock)
    calls = {
        "one mapped call": enzyme.vmap(gradient, in_axes=(0, None)),
        "one mapped call, 2 threads": enzyme.vmap(gradient, in_axes=(0, None), threads=2),
    }
    rows = list(points)
    return {
        **{name: lambda call=call: call(points, SCALE) for name, call in calls.items()},
        "Python calls of `grad(f)`": lambda: np.array([gradient(x, SCALE) for x in rows]),
    }


def of_jax(points: np.ndarray) -> dict[str, Callable[[], Any]]:
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)

    def rosenbrock(x: Any, scale: Any) -> Any:
        return jnp.sum(scale * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)

    gradient = jax.jit(jax.grad(rosenbrock))
    batched = jax.jit(jax.vmap(jax.grad(rosenbrock), in_axes=(0, None)))
    rows, whole = [jnp.asarray(x) for x in points], jnp.asarray(points)
    return {
        "JAX, Python calls": lambda: jax.block_until_ready([gradient(x, SCALE) for x in rows]),
        "JAX, one call of vmap": lambda: jax.block_until_ready(batched(whole, SCALE)),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    points = np.random.default_rng(0).normal(size=(COUNT, SIZE))
    calls = ours(points)
    if importlib.util.find_spec("jax"):
        calls |= of_jax(points)
    first, *_ = calls
    want = np.asarray(calls[first]())
    for call in calls.values():
        np.testing.assert_allclose(np.asarray(call()), want, rtol=1e-12, atol=1e-12)
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(ROUNDS):
        for name, call in calls.items():
            begun = time.perf_counter()
            call()
            times[name].append(time.perf_counter() - begun)
    lines = [
        "# Many small derivatives",
        "",
        INTRODUCTION,
        "",
        "| how | microseconds | beside one mapped call |",
        "| --- | --- | --- |",
    ]
    for name, took in times.items():
        ratio = median(a / b for a, b in zip(took, times[first], strict=True))
        lines.append(f"| {name} | {1e6 * median(took):.0f} | {ratio:.2f} |")
    print("\n".join(lines[5:]))
    if options.write:
        REPORT.write_text("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
