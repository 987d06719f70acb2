"""First gradients of N-dimensional NumPy code, by stage: each in a new process with an empty cache.

Prints one table; `--write` puts it into docs/first-calls-figures.md. `--beside FOLDER` measures a second
source tree in turn with this one, for a comparison in one run.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
REPORT = HERE.parent / "docs" / "first-calls-figures.md"


def convolution(x, w):
    n, height, width, c = x.shape
    k, d = w.shape[0], w.shape[3]
    out = np.zeros((n, height - k + 1, width - k + 1, d))
    for i in range(height - k + 1):
        for j in range(width - k + 1):
            t = x[:, i : i + k, j : j + k, :].copy()
            product = np.reshape(t, (n, k, k, c, 1)) * np.reshape(w, (1, k, k, c, d))
            out[:, i, j, :] = np.sum(np.sum(np.sum(product, axis=1), axis=1), axis=1)
    return np.sum(out)


def batch_norm(x):
    mean = np.sum(x, axis=0) / x.shape[0]
    variance = np.sum((x - mean) * (x - mean), axis=0) / x.shape[0]
    y = (x - mean) / np.sqrt(variance + 1e-5)
    return np.sum(y * y * y)


def softmax(x):
    n, heads, rows, _ = x.shape
    e = np.exp(x)
    y = e / np.reshape(np.sum(e, axis=3), (n, heads, rows, 1))
    return np.sum(y * y)


def attention(q, k, v):
    n, d = q.shape
    m = k.shape[0]
    e = np.exp(np.sum(np.reshape(q, (n, 1, d)) * np.reshape(k, (1, m, d)), axis=2))
    p = e / np.reshape(np.sum(e, axis=1), (n, 1))
    o = np.sum(np.reshape(p, (n, m, 1)) * np.reshape(v, (1, m, v.shape[1])), axis=1)
    return np.sum(o * o)


def max_pooling(x):
    n, height, width, c = x.shape
    out = np.empty((n, height // 2, width // 2, c))
    for i in range(height // 2):
        for j in range(width // 2):
            for k in range(n):
                for m in range(c):
                    out[k, i, j, m] = np.max(x[k, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2, m])
    return np.sum(out * out)


KERNELS: dict[Callable[..., Any], tuple[tuple[int, ...], ...]] = {
    convolution: ((2, 6, 6, 3), (3, 3, 3, 4)),
    batch_norm: ((4, 3, 3, 2),),
    softmax: ((2, 3, 4, 5),),
    attention: ((3, 4), (5, 4), (5, 2)),
    max_pooling: ((2, 4, 4, 3),),
}


def one(name: str) -> None:
    """Measure one first gradient; only a first call of something tiny came before."""
    import enzyme_py as enzyme
    from enzyme_py.foundations.places import where_is
    from enzyme_py.frontend.target.lower import lower

    kernel, shapes = next((f, s) for f, s in KERNELS.items() if f.__name__ == name)
    args = [np.random.default_rng(1).normal(size=shape) for shape in shapes]
    enzyme.gradient(lambda a: a * a, 2.0)
    known = len(enzyme.inspect.timings())
    import numba

    types = tuple(map(numba.typeof, args))
    begun, cpu = time.perf_counter(), time.process_time()
    lower(kernel, types, where_is(kernel))
    typed = time.perf_counter() - begun
    with contextlib.suppress(MemoryError):  # once; it is compiled by then
        enzyme.gradient(kernel, *args)
    stages = {"all": time.perf_counter() - begun, "own CPU": time.process_time() - cpu}
    stages["typing, lowering"] = typed
    for record in enzyme.inspect.timings()[known:]:
        stages[record.stage] = stages.get(record.stage, 0.0) + record.seconds
    print(json.dumps(stages))


def measured(name: str, tree: Path) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "ENZYME_PY_CACHE_DIR": cache}
        code = (
            "import sys; sys.meta_path[:] = [f for f in sys.meta_path if 'Redirecting' not in type(f).__name__]; "
            f"sys.path[:0] = [{str(tree)!r}, {str(HERE)!r}]; import first_calls_nd as it; it.one({name!r})"
        )
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=environment,
            check=True,
            capture_output=True,
            text=True,
        )
        return dict(json.loads(done.stdout))


COLUMNS = {
    "all": "first gradient",
    "own CPU": "CPU, without the host",
    "typing, lowering": "typing, lowering",
    "assembling": "assembling",
    "passes": "passes",
    "host": "host",
    "optimising": "O3, code",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="renew docs/first-calls-figures.md")
    parser.add_argument("--beside", type=Path, help="another source tree, built in place")
    chosen = parser.parse_args()
    trees = {"now": HERE.parent}
    if chosen.beside:
        trees = {"before": chosen.beside.resolve(), **trees}
    lines = [f"| kernel | | {' | '.join(COLUMNS.values())} |", "| --- " * (2 + len(COLUMNS)) + "|"]
    for kernel in KERNELS:
        for when, tree in trees.items():
            got = measured(kernel.__name__, tree)
            cells = [f"{got.get(stage, 0.0):.2f} s" for stage in COLUMNS]
            lines.append(f"| {kernel.__name__} | {when} | {' | '.join(cells)} |")
            print(lines[-1], flush=True)
    if chosen.write:
        command = "python benchmarks/first_calls_nd.py --write --beside FOLDER"
        head = f"# First gradients of N-dimensional code\n\nWritten by `{command}`.\n\n"
        REPORT.write_text(head + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
