"""The rows in JAX, as one writes them there: whole arrays, scans over time. Run by an interpreter that has JAX.

    python in_jax.py FILE SECONDS        times the row that FILE holds (measure.py keeps it), on one thread

Where a loop is an algorithm of its own for whole arrays (a sort, a product, a transform, a solve), that stands here: JAX's best
form. Rows that are not here go element by element in an order that arrays do not have (`gauss_seidel`, `alignment`,
`edit_distance`), or by halves of any size (`tree_of_sums`).
"""

from __future__ import annotations

import json
import os
import pickle
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})

import jax
import jax.numpy as jnp
import numpy as np

from user_kernels.jax_forms import fields, series

jax.config.update("jax_enable_x64", True)
FEWEST_ROUNDS, MOST_ROUNDS = 5, 300

SAME = {
    "heat_1d_slices": fields.heat_1d,
    "heat_float32": fields.heat_1d,
    "planets_numpy": fields.planets,
    "matrix_product_by_dots": fields.matrix_product,
    "asian_option_numpy": series.asian_option,
    "logistic_numpy": series.logistic,
    "rosenbrock_slices": series.rosenbrock,
    "convolve_2d_slices": series.convolve_2d,
}


def kernel_of(name: str) -> Callable[..., Any] | None:
    """Return a row in JAX, or None: rows and functions have one name."""
    return SAME.get(name) or getattr(fields, name, None) or getattr(series, name, None)


def timed(calls: dict[str, Callable[[], Any]], seconds: float) -> dict[str, float]:
    """Return the least time of each call; the calls come in turn."""
    least = dict.fromkeys(calls, np.inf)
    begun = time.perf_counter()
    for round in range(MOST_ROUNDS):
        if round >= FEWEST_ROUNDS and time.perf_counter() - begun > seconds:
            break
        for name, call in calls.items():
            start = time.perf_counter()
            jax.block_until_ready(call())
            least[name] = min(least[name], time.perf_counter() - start)
    return least


def differs(found: Any, wanted: Any) -> bool:
    """Tell whether numbers differ by more than rounding."""
    found, wanted = np.asarray(found), np.asarray(wanted)
    digits = 1e-3 if wanted.dtype == np.float32 else 1e-6
    return not np.max(np.abs(found - wanted)) <= digits * np.max(np.abs(wanted))


def main(file: str, seconds: float) -> None:
    kept = pickle.loads(Path(file).read_bytes())  # written by measure.py a moment ago
    kernel = kernel_of(kept["name"])
    if kernel is None:
        print(json.dumps({}))
        return
    arrays = [n for n, one in enumerate(kept["given"]) if isinstance(one, np.ndarray)]

    def of_arrays(*values: Any) -> Any:
        given = list(kept["given"])
        for place, value in zip(arrays, values, strict=True):
            given[place] = value
        return kernel(*given)

    gradient = jax.jit(jax.value_and_grad(of_arrays))

    @jax.jit
    def product(v: Any, x: Any, *others: Any) -> Any:
        return jax.jvp(lambda x: jax.grad(of_arrays)(x, *others), (x,), (v,))[1]

    values = [jnp.asarray(kept["given"][place]) for place in arrays]
    v = jnp.asarray(kept["v"])
    pairs = [*zip(gradient(*values), kept["gradient"], strict=True)]
    if kept["hvp"] is not None:
        pairs.append((product(v, *values), kept["hvp"]))
    if any(differs(found, wanted) for found, wanted in pairs):
        print(json.dumps({"failed": "differs from ours"}))
        return
    calls = {"gradient": lambda: gradient(*values), "hvp": lambda: product(v, *values)}
    print(json.dumps({"version": jax.__version__, **timed(calls, seconds)}))


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
