"""What copies and joins cost, lowered in three ways; the table of docs/copies.md.

* numba: Numba's own loops, which Enzyme differentiates
* loops: one block copy with a body of loops, which Enzyme differentiates
* rules: one block copy of csrc/copies.c, with derivatives that we give to Enzyme

    python benchmarks/block_copies.py [--write] [--rounds N] [ROW ...]

Each kernel is a linear map, so its gradient along t is its own value at t: checked before anything
is timed. Each way runs in processes of its own, in turn; the primal beside them is plain njit.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numba
import numpy as np
from timing import in_turn

import enzyme_py as enzyme
from enzyme_py.frontend.arrays.blocks import ways
from enzyme_py.host.installing.locate import find_toolchain
from enzyme_py.native.runtime import library, memory_stats

REPORT = Path(__file__).resolve().parent.parent / "docs" / "copies.md"
MARK = "<!-- figures -->"
WAYS = ("numba", "loops", "rules")
GENERATOR = np.random.default_rng(5)


@dataclass(frozen=True)
class Row:
    """A kernel (out, x, ...) that fills `out`, or (x, ..., weights) that returns a number."""

    operation: str  # the entry of `ways` that it is about
    kernel: Callable[..., Any]
    shapes: tuple[tuple[int, ...], ...]  # of out or weights first, then of the arguments
    fills: bool = True


def vector(out, x):
    out[:] = x


def transposed(out, x):
    out[:, :] = x.T


def strided(out, x):
    out[::2] = x


def broadcast(out, x):
    out[:, :] = x


def rows_of_8(out, x):
    for i in range(x.shape[0]):
        out[i, :] = x[i]


def shifted(out, x):
    out[:-1] = x
    out[1:] = out[:-1]


def joined(weights, x, y):
    return np.sum(np.concatenate((x, y)) * weights)


def joined_columns(weights, x, y):
    return np.sum(np.concatenate((x, y), axis=1) * weights)


def joined_rows_of_8(weights, x, y):
    total = 0.0
    for i in range(x.shape[0]):
        total += np.sum(np.concatenate((x[i], y[i])) * weights)
    return total


def stacked(weights, x, y):
    return np.sum(np.stack((x, y), axis=1) * weights)


def copied(weights, x):
    return np.sum(x.copy() * weights)


def copied_transposed(weights, x):
    return np.sum(x.T.copy() * weights)


def copied_rows_of_8(weights, x):
    total = 0.0
    for i in range(x.shape[0]):
        total += np.sum(x[i].copy() * weights)
    return total


N = 1000
ROWS = {
    "out[:] = x, 10^6": Row("assignment", vector, ((N * N,), (N * N,))),
    "out[:, :] = x.T, 1000 x 1000": Row("assignment", transposed, ((N, N), (N, N))),
    "out[::2] = x, 10^6": Row("assignment", strided, ((2 * N * N,), (N * N,))),
    "out[:, :] = row, 1000 x 1000": Row("assignment", broadcast, ((N, N), (N,))),
    "out[i, :] = x[i], 1000 rows of 8": Row("assignment", rows_of_8, ((N, 8), (N, 8))),
    "out[1:] = out[:-1], 10^6": Row("assignment", shifted, ((N * N + 1,), (N * N,))),
    "concatenate, 2 of 5 10^5": Row(
        "concatenate", joined, ((N * N,), (N * N // 2,), (N * N // 2,)), fills=False
    ),
    "concatenate, axis 1, 2 of 1000 x 500": Row(
        "concatenate", joined_columns, ((N, N), (N, N // 2), (N, N // 2)), fills=False
    ),
    "concatenate, 1000 pairs of 8": Row(
        "concatenate", joined_rows_of_8, ((16,), (N, 8), (N, 8)), fills=False
    ),
    "stack, axis 1, 2 of 5 10^5": Row(
        "concatenate", stacked, ((N * N // 2, 2), (N * N // 2,), (N * N // 2,)), fills=False
    ),
    "copy, 10^6": Row("copy", copied, ((N * N,), (N * N,)), fills=False),
    "copy of x.T, 1000 x 1000": Row("copy", copied_transposed, ((N, N), (N, N)), fills=False),
    "copy, 1000 rows of 8": Row("copy", copied_rows_of_8, ((8,), (N, 8)), fills=False),
}


# --- one way, in a process of its own -------------------------------------------------------------


SUMMED = {
    **dict.fromkeys(("typing", "assembling", "passes"), "numba"),
    "host": "host",
    **dict.fromkeys(("optimising", "loading"), "native"),
}


def worker(way: str, name: str) -> dict[str, float]:
    """Compile and time one row in one way."""
    row = ROWS[name]
    ways[row.operation] = way
    enzyme.gradient(lambda x: x * x, 1.0)  # the host is up before anything is timed
    begun = len(enzyme.inspect.timings())
    given = [GENERATOR.normal(size=shape) for shape in row.shapes]
    pull = pull_of(row, given)
    gradients = pull()
    check(row, given, gradients)
    stages = dict.fromkeys(("numba", "host", "native"), 0.0)
    for one in enzyme.inspect.timings()[begun:]:
        if one.stage in SUMMED:
            stages[SUMMED[one.stage]] += one.seconds
    primal = numba.njit(row.kernel)
    primal(*given)
    library().enzyme_py_reset_stats()
    pull()
    peak = memory_stats().peak
    compared = in_turn(lambda: primal(*given), pull, rounds=9)
    return {
        **{stage: stages[stage] for stage in ("numba", "host", "native")},
        "primal": compared.seconds,
        "ratio": compared.ratio,
        "peak": peak,
    }


def pull_of(row: Row, given: list[np.ndarray]) -> Callable[[], list[np.ndarray]]:
    """Return a call of the gradient; it leaves what it adds to."""
    shadows = [np.zeros_like(one) for one in given]
    if row.fills:
        seed = GENERATOR.normal(size=row.shapes[0])

        def fill() -> list[np.ndarray]:
            shadows[0][...] = seed
            annotated = map(enzyme.Duplicated, given, shadows)
            enzyme.autodiff(enzyme.Reverse, row.kernel, *annotated)
            return [seed, *shadows[1:]]

        return fill

    def value() -> list[np.ndarray]:
        annotated = map(enzyme.Duplicated, given[1:], shadows[1:])
        enzyme.autodiff(enzyme.Reverse, row.kernel, enzyme.Const(given[0]), *annotated)
        return [given[0], *shadows[1:]]

    return value


def check(row: Row, given: list[np.ndarray], gradients: list[np.ndarray]) -> None:
    """Compare with the value along a direction, which for a linear map is its derivative."""
    along = [GENERATOR.normal(size=one.shape) for one in given[1:]]
    if row.fills:
        out = np.zeros(row.shapes[0])
        row.kernel(out, *along)
        expected = float(np.sum(out * gradients[0]))
    else:
        expected = float(row.kernel(given[0], *along))
    found = sum(float(np.sum(a * b)) for a, b in zip(gradients[1:], along, strict=True))
    assert np.isclose(found, expected, rtol=1e-8, atol=1e-6), (row.kernel.__name__, found, expected)


# --- all of them, in turn -------------------------------------------------------------------------


def measured(name: str, rounds: int) -> dict[str, dict[str, float]]:
    """Return the medians of all ways of a row."""
    found: dict[str, list[dict[str, float]]] = {way: [] for way in WAYS}
    for _ in range(rounds):
        for way in WAYS:
            found[way].append(new_process(way, name))
    return {
        way: {key: median(one[key] for one in runs) for key in runs[0]}
        for way, runs in found.items()
    }


def new_process(way: str, name: str) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "ENZYME_PY_CACHE_DIR": cache}
        environment.setdefault("ENZYME_PY_HOST", str(find_toolchain().executable))
        program = [sys.executable, __file__, "--worker", way, name]
        done = subprocess.run(program, env=environment, check=True, capture_output=True, text=True)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def table(names: list[str], rounds: int) -> str:
    lines = [
        "| operation | way | Numba, ms | host, ms | native, ms | gradient / primal | peak, kB |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name in names:
        for way, one in measured(name, rounds).items():
            times = " | ".join(f"{one[stage] * 1e3:.0f}" for stage in ("numba", "host", "native"))
            lines.append(
                f"| {name} | {way} | {times} | {one['ratio']:.2f} | {one['peak'] / 1e3:.0f} |"
            )
            print(lines[-1], flush=True)
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"put the table into {REPORT.name}")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("names", nargs="*")
    given = parser.parse_args()
    if given.worker:
        print(json.dumps(worker(*given.names)))
        return
    text = table(given.names or list(ROWS), given.rounds)
    if given.write:
        head = REPORT.read_text(encoding="utf-8").split(MARK)[0]
        REPORT.write_text(f"{head}{MARK}\n\n{text}", encoding="utf-8")


if __name__ == "__main__":
    main()
