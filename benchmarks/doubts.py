"""What comparing doubtful answers costs (docs/checking.md), and how many answers are doubtful.

    python -m benchmarks.doubts [--rounds 3]
    python -m benchmarks.doubts --survey [--every 3]

First calls in one process that is warm, without any cache: medians of seconds of this process's CPU and of the clock, without and with
`config(check="doubtful")`, in turn. With `--survey` gradients and products with the Hessian of the textbook kernels of the
tests are asked with the switch on: how many carry a doubt, and what the comparisons say.
"""

from __future__ import annotations

import argparse
import collections
import itertools
import statistics
import time
import types
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import enzyme_py as enzyme
from enzyme_py.errors import CheckError, EnzymeError

_numbers = itertools.count(10**6)
X, START = np.linspace(0.2, 0.9, 1000), np.linspace(1.0, 2.0, 1000)
W, H = np.random.default_rng(0).uniform(0.3, 1.0, (30, 30)) / 20.0, np.linspace(0.1, 0.9, 30)


def plain(x, start, n):
    v = x * 1.0
    for _ in range(n):
        v = np.sin(v) * x
    return np.sum(v)


def chosen(x, start, n):
    v = x if n > 1 else start
    return np.sum(v * v * x)


def grown(x, start, n):
    v = start
    for _ in range(n):
        v = v * x + start
    return np.sum(v)


def recurrence(w, h, n):
    for _ in range(n):
        h = np.tanh(w @ h)
    return np.sum(h)


ROWS: dict[str, tuple[Any, Callable[[Any], Any]]] = {
    "no doubt: a loop over arrays": (plain, lambda f: enzyme.grad(f)(X, START, 5)),
    "run-time activity: a choice of two arrays": (chosen, lambda f: enzyme.grad(f)(X, START, 3)),
    "run-time activity: a loop over arrays": (grown, lambda f: enzyme.grad(f)(X, START, 5)),
    "run-time activity: a recurrence with `@`": (recurrence, lambda f: enzyme.grad(f)(W, H, 5)),
    "shadows, forward mode: the same": (
        recurrence,
        lambda f: enzyme.gradient(enzyme.Forward, f, W[:3, :3].copy(), enzyme.Const(H[:3].copy()), 5),
    ),
    "inner shadows, second order: the same": (recurrence, lambda f: enzyme.hvp(f, W, W, H, 5)),
}


def fresh(kernel: Any) -> Any:
    """Return the same function as another one, of which nothing was compiled."""
    code = kernel.__code__.replace(co_consts=(*kernel.__code__.co_consts, next(_numbers)))
    return types.FunctionType(code, kernel.__globals__, kernel.__name__)


def first_call(kernel: Any, call: Callable[[Any], Any], check: bool | str) -> tuple[float, float]:
    """Return the seconds of a first call: of this process's CPU, and of the clock."""
    own = fresh(kernel)
    with enzyme.config(check=check):
        begun, clock = time.process_time(), time.perf_counter()
        call(own)
        return time.process_time() - begun, time.perf_counter() - clock


def costs(rounds: int) -> None:
    """Print a table of first calls."""
    print("| first call | CPU s without | with | clock s without | with |")
    print("| --- | ---: | ---: | ---: | ---: |")
    for name, (kernel, call) in ROWS.items():
        for check in (False, "doubtful"):
            first_call(kernel, call, check)  # what is compiled once a process
        pairs = [[first_call(kernel, call, check) for check in (False, "doubtful")] for _ in range(rounds)]
        cells = [statistics.median(pair[on][what] for pair in pairs) for what in (0, 1) for on in (0, 1)]
        print(f"| {name} | {' | '.join(f'{one:.2f}' for one in cells)} |", flush=True)


def survey(every: int) -> int:
    """Print what is doubtful among the textbook kernels; the exit status is 1 if a comparison says that one is wrong."""
    from tests.textbook import TURNS, kernels

    tally, asked = collections.Counter[str](), collections.Counter[str]()
    for name, (kernel, x, c) in list(kernels().items())[::every]:
        for order, call in (
            ("gradients", lambda kernel=kernel, x=x, c=c: enzyme.grad(kernel)(x, c, TURNS)),
            ("products with the Hessian", lambda kernel=kernel, x=x, c=c: enzyme.hvp(kernel, x, x, c, TURNS)),
        ):
            before = len(enzyme.inspect.doubts())
            try:
                call()
            except CheckError as error:
                print(name, order, error, flush=True)
                tally["wrong"] += 1
            except EnzymeError as refusal:
                asked[f"{order} refused"] += 1
                print(name, order, "refused:", str(refusal).split("\n", 1)[0], flush=True)
                continue
            asked[order] += 1
            for one in enzyme.inspect.doubts()[before:]:
                said = one.outcome.partition(": ")[0]
                tally[f"{order}: {one.reasons[0].partition(':')[0]}, {said}"] += 1
                print(name, order, one.reasons, one.outcome, flush=True)
    print(dict(asked), *(f"{count} {what}" for what, count in tally.most_common()), sep="\n")
    return 1 if tally["wrong"] else 0


def main() -> int:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--survey", action="store_true")
    parser.add_argument("--every", type=int, default=1, help="of the textbook kernels, one of so many")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    enzyme.config(cache=False)
    if not given.survey:
        costs(given.rounds)
        return 0
    with enzyme.config(check="doubtful"):
        return survey(given.every)


if __name__ == "__main__":
    raise SystemExit(main())
