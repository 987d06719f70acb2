"""What one call from Python costs: each spelling of a small derivative, beside a plain call of compiled code.

Run it: `taskset -c 0 python benchmarks/calls.py [--before FOLDER] [--write]`. The kernel is a sum of cubes of five numbers, or a product
of two. Each row is the least of many groups of calls in one process. `--before` names a tree of the package as it was (a git
worktree, built), whose rows are measured in processes between those of this tree, so that both had the same machine.
`--write` puts the table into docs/calls-figures.md.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import timeit
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
REPORT = ROOT / "docs" / "calls-figures.md"
ROUNDS, GROUPS, CALLS = 3, 25, 1000
GOAL = 2000  # ns
INTRODUCTION = f"""# One call from Python

Written by `python benchmarks/calls.py --before FOLDER --write`; see [small calls](small-calls.md). Nanoseconds of a call, the least of
{ROUNDS} processes with {GROUPS} groups of {CALLS} calls each, in turn with processes of the tree before. `x` has five numbers, `f` is
a sum of their cubes in a loop, `g` the product `x*x*y` of two numbers. The goal: each derivative under {GOAL} ns.
"""


def rows() -> dict[str, Callable[[], Any]]:
    """Each row's call."""
    import numba
    import numpy as np

    # An editable installation would be found first.
    sys.meta_path[:] = [one for one in sys.meta_path if "editable" not in type(one).__module__]
    sys.path.insert(0, os.environ["TREE"])
    import enzyme_py as enzyme

    def f(x):
        total = 0.0
        for i in range(x.size):
            total += x[i] * x[i] * x[i]
        return total

    def g(x, y):
        return x * x * y

    @numba.njit
    def by_hand(x):
        slope = np.empty(x.size)
        for i in range(x.size):
            slope[i] = 3 * x[i] * x[i]
        return slope

    x, dx, v = np.arange(1.0, 6.0), np.zeros(5), np.ones(5)
    plain, compiled, product = numba.njit(f), enzyme.jit(f), enzyme.jit(g)
    gradient = enzyme.grad(compiled)
    made = enzyme.Duplicated(x, dx)
    Reverse, Forward = enzyme.Reverse, enzyme.Forward
    calls: dict[str, Callable[[], Any]] = {
        "njit: f(x)": lambda: plain(x),
        "njit: the gradient by hand, an array": lambda: by_hand(x),
        "df(x), with df = grad(f)": lambda: gradient(x),
        "autodiff(Reverse, g, Active(2.0), Active(3.0))": lambda: enzyme.autodiff(
            Reverse, product, enzyme.Active(2.0), enzyme.Active(3.0)
        ),
        "autodiff(Reverse, f, Duplicated(x, dx))": lambda: enzyme.autodiff(
            Reverse, compiled, enzyme.Duplicated(x, dx)
        ),
        "the same, with the annotation kept": lambda: enzyme.autodiff(Reverse, compiled, made),
        "the same, f a plain function": lambda: enzyme.autodiff(Reverse, f, enzyme.Duplicated(x, dx)),
        "autodiff(Forward, f, Duplicated(x, v))": lambda: enzyme.autodiff(
            Forward, compiled, enzyme.Duplicated(x, v)
        ),
        "grad(f)(x)": lambda: enzyme.grad(compiled)(x),
        "value_and_grad(f)(x)": lambda: enzyme.value_and_grad(compiled)(x),
        "gradient(f, x)": lambda: enzyme.gradient(compiled, x),
        "gradient(f, x), f a plain function": lambda: enzyme.gradient(f, x),
        "jvp(f, (x,), (v,))": lambda: enzyme.jvp(compiled, (x,), (v,)),
        "hvp(f, x, v)": lambda: enzyme.hvp(compiled, x, v),
        "vjp(f, x), and its pull-back": lambda: enzyme.vjp(compiled, x)[1](1.0),
    }
    np.testing.assert_array_equal(gradient(x), 3 * x**2)
    np.testing.assert_array_equal(enzyme.hvp(compiled, x, v), 6 * x)
    calls["autodiff(Reverse, f, Duplicated(x, dx))"]()
    np.testing.assert_array_equal(dx, 3 * x**2)
    return calls


def measured() -> dict[str, float]:
    """Nanoseconds of a call, row by row, in this process."""
    calls = rows()
    for call in calls.values():
        call()
    timers = {name: timeit.Timer(call) for name, call in calls.items()}
    found = {name: [timer.timeit(CALLS) for _ in range(GROUPS)] for name, timer in timers.items()}
    return {name: 1e9 * min(times) / CALLS for name, times in found.items()}


def in_a_process(tree: Path) -> dict[str, float]:
    command = [sys.executable, str(Path(__file__).resolve()), "--rows"]
    environment = {**os.environ, "TREE": str(tree)}
    found: dict[str, float] = json.loads(subprocess.run(command, env=environment, check=True, capture_output=True).stdout)
    return found


def least(results: list[dict[str, float]]) -> dict[str, float]:
    return {name: min(one[name] for one in results) for name in results[0]}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--before", type=Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--rows", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.rows:
        print(json.dumps(measured()))
        return 0
    trees = {"now": ROOT} | ({"before": options.before.resolve()} if options.before else {})
    results: dict[str, list[dict[str, float]]] = {name: [] for name in trees}
    for _ in range(ROUNDS):
        for name, tree in trees.items():
            results[name].append(in_a_process(tree))
    figures = {name: least(found) for name, found in results.items()}
    columns = sorted(figures)  # before, now
    lines = [f"| call | {' | '.join(columns)} |", "| --- |" + " --- |" * len(columns)]
    lines += [
        f"| {name} | {' | '.join(f'{figures[one][name]:.0f}' for one in columns)} |"
        for name in figures["now"]
    ]
    print("\n".join(lines))
    if options.write:
        REPORT.write_text(INTRODUCTION + "\n" + "\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
