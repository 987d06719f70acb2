"""Sparse against dense derivatives: cost by size, in units of the kernel, and beside the dense ones.

Run it: `python benchmarks/sparse.py [--write] [--quick]`. Every ratio is of calls that were made in turn in one process,
and every sparse matrix was found equal to the dense one at a small size first. `--write` also puts the
tables into docs/sparse-figures.md.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np
from timing import in_turn

import enzyme_py as enzyme

REPORT = Path(__file__).resolve().parent.parent / "docs" / "sparse-figures.md"
DENSE = 1000  # numbers of the argument, where sparse and dense are compared


@enzyme.jit
def tridiagonal(x):
    """A chain: each result by three neighbours."""
    y = np.empty_like(x)
    n = x.size
    for i in range(n):
        left = x[i - 1] if i > 0 else 0.0
        right = x[i + 1] if i < n - 1 else 0.0
        y[i] = (3.0 - 2.0 * x[i]) * x[i] - left - 2.0 * right + 1.0
    return y


@enzyme.jit
def bratu(u):
    """A nonlinear equation on a square grid, by five-point differences."""
    n, m = u.shape
    r = np.empty_like(u)
    for i in range(n):
        for j in range(m):
            left = u[i - 1, j] if i > 0 else 0.0
            right = u[i + 1, j] if i < n - 1 else 0.0
            below = u[i, j - 1] if j > 0 else 0.0
            above = u[i, j + 1] if j < m - 1 else 0.0
            r[i, j] = 4.0 * u[i, j] - left - right - below - above - np.exp(u[i, j])
    return r


@enzyme.jit
def rosenbrock(x):
    """Its Hessian is tridiagonal."""
    total = 0.0
    for i in range(x.size - 1):
        total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


@enzyme.jit
def surface(u):
    """The area above a grid; its Hessian couples a point to six others."""
    total = 0.0
    for i in range(u.shape[0] - 1):
        for j in range(u.shape[1] - 1):
            a = u[i + 1, j] - u[i, j]
            b = u[i, j + 1] - u[i, j]
            total += np.sqrt(1.0 + a * a + b * b)
    return total


@enzyme.jit
def arrow(x):
    """A full row and a full column."""
    y = x * x + x[-1]
    y[0] = np.sum(x * x)
    return y


Problem = tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any], bool]
PROBLEMS: dict[str, Problem] = {
    "Jacobian, tridiagonal": (tridiagonal, enzyme.sparse.jacobian, enzyme.jacfwd, False),
    "Jacobian, 2-d grid": (bratu, enzyme.sparse.jacobian, enzyme.jacfwd, True),
    "Jacobian, arrow": (arrow, enzyme.sparse.jacobian, enzyme.jacfwd, False),
    "Hessian, tridiagonal": (rosenbrock, enzyme.sparse.hessian, enzyme.hessian, False),
    "Hessian, 2-d grid": (surface, enzyme.sparse.hessian, enzyme.hessian, True),
}


def point(size: int, *, square: bool) -> np.ndarray:
    side = round(size**0.5)
    shape = (side, side) if square else (size,)
    return np.random.default_rng(size).uniform(0.5, 1.5, shape)


def compare(name: str) -> tuple[Any, Any]:
    """Return the sparse function and the dense one, after they agreed; both are compiled by it."""
    kernel, sparse, dense, square = PROBLEMS[name]
    ours, theirs, x = sparse(kernel), dense(kernel), point(64, square=square)
    found = ours(x)
    np.testing.assert_allclose(found.toarray(), theirs(x).reshape(found.shape), rtol=1e-12)
    return ours, theirs


def rows_by_size(*, quick: bool) -> list[str]:
    lines = []
    for name, (kernel, _, _, square) in PROBLEMS.items():
        ours, _ = compare(name)
        first = None
        for size in (100, 10_000) if quick else (100, 1_000, 10_000):
            x = point(size, square=square)
            kernel(x)
            begin = time.perf_counter()
            ours.prepare(x)
            prepared = time.perf_counter() - begin
            timed = in_turn(lambda x=x, k=kernel: k(x), lambda x=x, o=ours: o(x), rounds=11)
            per_entry = (timed.seconds + timed.more) / ours.pattern.nnz
            first = first or per_entry
            forward, reverse = ours.colours
            lines.append(
                f"| {name} | {x.size} | {ours.pattern.nnz} | {forward} + {reverse} "
                f"| {(timed.seconds + timed.more) * 1e3:.2f} ms | {per_entry * 1e9:.0f} ns "
                f"| {timed.ratio:.0f} | {prepared:.2f} s |"
            )
            print(lines[-1], flush=True)
    return lines


def rows_beside_dense(*, quick: bool) -> list[str]:
    lines = []
    for name, (_, _, _, square) in PROBLEMS.items():
        ours, theirs = compare(name)
        x = point(DENSE // 10 if quick else DENSE, square=square)
        found = ours(x)
        np.testing.assert_allclose(found.toarray(), theirs(x).reshape(found.shape), rtol=1e-12)
        timed = in_turn(lambda x=x, o=ours: o(x), lambda x=x, t=theirs: t(x), rounds=7)
        forward, reverse = ours.colours
        lines.append(
            f"| {name} | {x.size} | {forward} + {reverse} | {timed.seconds * 1e3:.2f} ms "
            f"| {(timed.seconds + timed.more) * 1e3:.0f} ms | {timed.ratio:.0f} |"
        )
        print(lines[-1], flush=True)
    return lines


BY_SIZE = """\
# Sparse derivatives: figures

Written by `python benchmarks/sparse.py --write`. What [sparse derivatives](sparse.md) cost, the check of each
evaluation included. Ratios are medians of calls made in turn in one process.

## By size

Products are those of forward mode and of reverse mode (for a Hessian: with the Hessian). Their number does
not grow with the size, so neither does the time for an entry, once the fixed cost of a call from
Python no longer counts. `kernel`: how many runs of the kernel one evaluation takes. Preparation is done once.

| problem | numbers | entries | products | one evaluation | per entry | kernel | preparation |
| --- | --- | --- | --- | --- | --- | --- | --- |
"""
BESIDE_DENSE = """
## Beside the dense ones

`enzyme.jacfwd` and `enzyme.hessian` at the same point; the matrices were compared.

| problem | numbers | products | sparse | dense | dense / sparse |
| --- | --- | --- | --- | --- | --- |
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"renew {REPORT.name}")
    parser.add_argument("--quick", action="store_true", help="two sizes, the dense ones smaller")
    chosen = parser.parse_args()
    by_size = rows_by_size(quick=chosen.quick)
    beside = rows_beside_dense(quick=chosen.quick)
    if chosen.write:
        text = BY_SIZE + "\n".join(by_size) + "\n" + BESIDE_DENSE + "\n".join(beside) + "\n"
        REPORT.write_text(text)


if __name__ == "__main__":
    main()
