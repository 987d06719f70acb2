"""What second and higher orders cost: products, Jacobians by chunk, and the time to compile by order.

    python benchmarks/second_order.py [--write]

Ratios of what is timed in turn in one process; answers are checked before anything is timed. With
--write the tables go to docs/second-order.md.
"""

from __future__ import annotations

import argparse
import functools
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from timing import in_turn

import enzyme_py as enzyme

REPORT = Path(__file__).resolve().parent.parent / "docs" / "second-order.md"
RANDOM = np.random.default_rng(3)
ROUNDS = 15


def rosenbrock(x):
    total = 0.0
    for i in range(x.size - 1):
        total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


def log_sum_exp(x):
    return np.log(np.sum(np.exp(x)))


def network(x, weights):
    h = x
    for _ in range(4):
        h = np.tanh(weights @ h)
    return np.sum(h * h)


def diffused(x):
    out = np.empty(x.size)
    for i in range(x.size):
        left = x[i - 1] if i > 0 else 0.0
        right = x[i + 1] if i < x.size - 1 else 0.0
        out[i] = left - 2.0 * x[i] + right + np.sin(x[i])
    return out


def mixed(x):
    return np.tanh(MIXER @ x) * x


MIXER = RANDOM.normal(size=(64, 64)) / 8.0


def wave(t):
    return np.exp(2.0 * t) * np.sin(t) / (1.0 + t * t)


def waves(x):
    return np.sum(np.sin(x) * x)


def products() -> Iterator[str]:
    """Yield the rows of hvp beside the gradient."""
    yield "| function | n | hvp / gradient |"
    yield "| --- | --- | --- |"
    weights = RANDOM.normal(size=(100, 100)) / 10.0
    for kernel, size, others in (
        (rosenbrock, 1000, ()),
        (rosenbrock, 100_000, ()),
        (log_sum_exp, 10_000, ()),
        (network, 100, (weights,)),
    ):
        x, v = RANDOM.normal(size=size), RANDOM.normal(size=size)
        gradient = enzyme.grad(kernel)
        _check_product(kernel, gradient, x, v, others)
        product = functools.partial(enzyme.hvp, kernel, x, v, *others)
        compared = in_turn(functools.partial(gradient, x, *others), product, ROUNDS)
        yield f"| {kernel.__name__} | {size} | {compared.ratio:.2f} |"


def _check_product(
    kernel: Any, gradient: Callable[..., Any], x: Any, v: Any, others: tuple[Any, ...]
) -> None:
    step = 1e-5
    slope = (gradient(x + step * v, *others) - gradient(x - step * v, *others)) / (2 * step)
    found = enzyme.hvp(kernel, x, v, *others)
    np.testing.assert_allclose(found, slope, rtol=1e-4, atol=1e-4 * np.max(np.abs(slope)))


CHUNKS = (1, 2, 4, 8, 16)


def chunks() -> Iterator[str]:
    """Yield the rows of Jacobians by chunk, beside a chunk of one."""
    yield (
        "| function | mode | "
        + " | ".join(map(str, CHUNKS[1:]))
        + " | one column at a time, in s |"
    )
    yield "| --- | --- |" + " --- |" * len(CHUNKS)
    for kernel, size in ((diffused, 256), (mixed, 64)):
        x = RANDOM.normal(size=size)
        for name, transform in (("forward", enzyme.jacfwd), ("reverse", enzyme.jacrev)):
            runs = [transform(kernel, chunk=chunk) for chunk in CHUNKS]
            for run in runs:
                np.testing.assert_allclose(run(x), runs[0](x), rtol=1e-12, atol=1e-12)
            one, *more = (functools.partial(run, x) for run in runs)
            compared = [in_turn(other, one, ROUNDS) for other in more]
            cells = " | ".join(f"{each.ratio:.2f}" for each in compared)
            seconds = compared[0].seconds * compared[0].ratio
            yield f"| {kernel.__name__}, {size} | {name} | {cells} | {seconds:.1e} |"


def orders() -> Iterator[str]:
    """Yield the rows of the first call by order, in a cache of its own, after one for warming up."""
    yield "| order | a number, grad of grad of ..., s | an array, jacfwd of ... of grad, s |"
    yield "| --- | --- | --- |"
    enzyme.grad(lambda t: t * t)(1.0)
    enzyme.jacfwd(enzyme.grad(lambda x: np.sum(x * x)))(np.ones(3))
    number: Any = wave
    array: Any = waves
    for order in range(1, 5):
        number = enzyme.grad(number)
        array = enzyme.grad(array) if order == 1 else enzyme.jacfwd(array)
        yield f"| {order} | {_first(number, 0.5):.2f} | {_first(array, np.ones(3)):.2f} |"


def _first(function: Callable[..., Any], value: Any) -> float:
    begun = time.perf_counter()
    function(value)
    return time.perf_counter() - begun


def main() -> None:
    """Print the tables, or write them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    parts = [
        "# Second and higher orders\n",
        "Made by `python benchmarks/second_order.py --write`. Ratios are medians of rounds in which the",
        "two sides ran in turn; times are of the machine that wrote this page.\n",
        "## A product with the Hessian, beside a gradient (goal: 3)\n",
        *products(),
        "\n## Jacobians by chunk: how many times as fast as one column or row at a time\n",
        *chunks(),
        "\n## The first call, by order\n",
        *orders(),
    ]
    text = "\n".join(parts) + "\n"
    print(text)
    if given.write:
        REPORT.write_text(text)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        # The first calls are to be compiled, not found.
        os.environ["ENZYME_PY_CACHE_DIR"] = folder
        main()
