"""Gradients of linear algebra: BLAS on one thread, on all of the library's, and as we let it; docs/blas-threads.md.

    python benchmarks/blas_threads.py [--write] [--rounds N]

The gradient of the logarithm of a determinant by Cholesky's factor, and of the sum of squares of A @ A. Each is asked in one
process, in turn:

* one: OpenBLAS is told to take one thread
* all: each call has as many as OpenBLAS takes
* ours: small calls have one (csrc/blas.h), with one thread for derivatives, the default; `on threads`: with several

First on the machine as it is, then beside a busy process for each core. Medians, and the slowest of all rounds.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

import numba
import numpy as np

import enzyme_py as enzyme
from enzyme_py.native import blas
from enzyme_py.native.runtime import library_path

REPORT = Path(__file__).resolve().parent.parent / "docs" / "blas-threads.md"
SIZES = (20, 50, 100, 150, 200, 300, 450, 600)
CORES = len(os.sched_getaffinity(0))
HEAD = "one | all | ours | all for ours | ours on threads | slowest: one | all | ours"


@numba.njit
def logarithm(a):
    factor = np.linalg.cholesky(a)
    total = 0.0
    for i in range(a.shape[0]):
        total += np.log(factor[i, i])
    return 2.0 * total


@numba.njit
def squares(a):
    return np.sum((a @ a) ** 2)


def setups():
    """What is done before a call, for each column."""
    runtime, library = ctypes.CDLL(str(library_path("libenzyme_py_runtime.so"))), blas.openblas()
    many = runtime.enzyme_py_blas_many
    many.argtypes, many.restype = [ctypes.c_double], None

    def setup(threads, multiplications):
        def run():
            library["set_num_threads"](threads)
            many(multiplications)

        return run

    return {
        "one": setup(1, 0.0),
        "all": setup(CORES, 0.0),
        "ours": setup(CORES, blas.MANY),
        "on threads": setup(CORES, blas.MANY_ON_THREADS),
    }


def times(gradient, a, rounds):
    """Milliseconds of each column: all rounds."""
    columns = setups()
    found = {name: [] for name in columns}
    for _ in range(rounds):
        for name, prepare in columns.items():
            prepare()
            begun = time.perf_counter()
            gradient(a)
            found[name].append(1000 * (time.perf_counter() - begun))
    return found


def rows(rounds):
    lines = []
    for kernel in (logarithm, squares):
        gradient = enzyme.grad(kernel)
        for n in SIZES:
            x = np.random.default_rng(n).normal(size=(n, n))
            a = x @ x.T + n * np.eye(n)
            gradient(a)
            found = times(gradient, a, rounds)
            one, every, own, several = (median(found[name]) for name in ("one", "all", "ours", "on threads"))
            slowest = " | ".join(f"{max(found[name]):.2f}" for name in ("one", "all", "ours"))
            lines.append(
                f"| {kernel.__name__} of {n} x {n} | {one:.2f} | {every:.2f} | {own:.2f} | {every / own:.1f} | {several:.2f} | {slowest} |"
            )
            print(lines[-1], flush=True)
    return lines


def page(quiet, busy, rounds):
    head = [f"| gradient | {HEAD} |", "| --- |" + " ---: |" * (HEAD.count("|") + 1)]
    return "\n".join([
        "# Threads of BLAS: figures",
        "",
        "Written by `python benchmarks/blas_threads.py --write`; see [linear algebra](linear-algebra.md). Milliseconds, medians of",
        f"{rounds} rounds in turn, on a machine of {CORES} shared cores, with SciPy's OpenBLAS.",
        "",
        "*one*: OpenBLAS is told to take one thread; *all*: as many as there are cores; *ours*: as it is, with one thread for derivatives",
        f"(calls of fewer than {blas.MANY:.0e} multiplications have one); *on threads*: with several (fewer than {blas.MANY_ON_THREADS:.0e}).",
        "",
        "## Where nothing else runs",
        "",
        *head, *quiet,
        "",
        "## Beside a busy process for each core",
        "",
        *head, *busy,
        "",
    ])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write docs/blas-threads.md")
    parser.add_argument("--rounds", type=int, default=15)
    given = parser.parse_args()
    blas.blas_address("dgemm_")  # from here on the runtime knows of the library's threads
    quiet = rows(given.rounds)
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(CORES)]
    try:
        busy = rows(given.rounds)
    finally:
        for one in others:
            one.kill()
            one.wait()
    if given.write:
        REPORT.write_text(page(quiet, busy, given.rounds))


if __name__ == "__main__":
    main()
