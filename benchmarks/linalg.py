"""Gradients of linear algebra beside JAX's and PyTorch's, at n = 4, 64 and 512.

    python benchmarks/linalg.py [--write]

Whichever of the two can be imported is timed in turn with enzyme_py in one process, after their answers
have been compared; their numbers are how many times as long they take. Beside them: what the gradient costs in
calls of the plain function by NumPy. With --write the table goes to docs/linear-algebra-figures.md.
"""

from __future__ import annotations

import argparse
import functools
import importlib.util
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from timing import in_turn

import enzyme_py as enzyme

REPORT = Path(__file__).resolve().parent.parent / "docs" / "linear-algebra-figures.md"
RANDOM = np.random.default_rng(3)
SIZES = (4, 64, 512)
ROUNDS = 3


def solve(a):
    return np.sum(np.linalg.solve(a, a * a) ** 2)


def cholesky(a):
    return np.sum(np.linalg.cholesky(a) ** 3)


def eigh(a):
    w, v = np.linalg.eigh(a)
    return np.sum(w**3) + np.sum(v[0] ** 2 * w)


def svd(a):
    u, s, vh = np.linalg.svd(a, False)
    return np.sum(s**3) + np.sum(u[0] * vh[:, 0] * s)


def products(a):
    return np.sum(a @ a @ a @ a)


@dataclass(frozen=True)
class Rival:
    """Another library: its gradient of the same function, ready to be called."""

    name: str
    gradient: Callable[[str, Any], Callable[[], Any]]


TEXTS = {
    "solve": "xp.sum(xp.linalg.solve(a, a * a) ** 2)",
    "cholesky": "xp.sum(xp.linalg.cholesky(a) ** 3)",
    "eigh": "(lambda w, v: xp.sum(w**3) + xp.sum(v[0] ** 2 * w))(*xp.linalg.eigh(a))",
    "svd": "(lambda u, s, vh: xp.sum(s**3) + xp.sum(u[0] * vh[:, 0] * s))"
    "(*xp.linalg.svd(a, full_matrices=False))",
    "products": "xp.sum(a @ a @ a @ a)",
}


def _of_jax(name: str, a: Any) -> Callable[[], Any]:
    import jax
    import jax.numpy as xp

    jax.config.update("jax_enable_x64", True)
    gradient = jax.jit(jax.grad(eval(f"lambda a: {TEXTS[name]}", {"xp": xp})))
    given = xp.asarray(a)
    return lambda: gradient(given).block_until_ready()


def _of_torch(name: str, a: Any) -> Callable[[], Any]:
    import torch as xp

    function = eval(f"lambda a: {TEXTS[name]}", {"xp": xp})
    given = xp.tensor(a, requires_grad=True)

    def run() -> Any:
        return xp.autograd.grad(function(given), given)[0].numpy()

    return run


RIVALS = [
    Rival(name, gradient)
    for name, gradient in (("jax", _of_jax), ("torch", _of_torch))
    if importlib.util.find_spec(name)
]
KERNELS = {each.__name__: each for each in (solve, cholesky, eigh, svd, products)}


def point(size: int) -> Any:
    """Return a symmetric positive definite matrix with distinct eigenvalues."""
    a = RANDOM.normal(size=(size, size))
    return a @ a.T / size + np.diag(np.linspace(1.0, 2.0, size))


def as_symmetric(name: str, gradient: Any) -> Any:
    """Return the gradient as others define it: they spread it over both triangles."""
    gradient = np.asarray(gradient)
    return (gradient + gradient.T) / 2.0 if name in ("cholesky", "eigh") else gradient


def rows() -> Iterator[str]:
    """Yield the table."""
    names = "".join(f" {rival.name} |" for rival in RIVALS)
    yield f"| function | n | gradient, ms | / NumPy's value |{names}"
    yield "| --- | --- | --- | --- |" + " --- |" * len(RIVALS)
    for name, kernel in KERNELS.items():
        gradient = enzyme.grad(kernel)
        for size in SIZES:
            a = point(size)
            ours = functools.partial(gradient, a)
            cells = []
            for rival in RIVALS:
                theirs = rival.gradient(name, a)
                found, want = as_symmetric(name, ours()), as_symmetric(name, theirs())
                np.testing.assert_allclose(found, want, rtol=1e-6, atol=1e-6 * np.abs(want).max())
                cells.append(f" {in_turn(ours, theirs, ROUNDS).ratio:.1f} |")
            plain = in_turn(functools.partial(kernel, a), ours, ROUNDS)
            milliseconds = 1e3 * plain.seconds * plain.ratio
            yield f"| {name} | {size} | {milliseconds:.3g} | {plain.ratio:.2f} |{''.join(cells)}"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--write", action="store_true")
    chosen = options.parse_args()
    table = []
    for row in rows():
        print(row, flush=True)
        table.append(row)
    if chosen.write:
        REPORT.write_text(_REPORT.format(table="\n".join(table), cores=os.cpu_count()))


_REPORT = """# Linear algebra: figures

Written by `python benchmarks/linalg.py --write`. Gradients of scalar functions of one matrix, float64, on
{cores} cores. The columns of other libraries: their time as a multiple of enzyme_py's, both timed in turn in
one process, after their answers were compared. On a busy machine, the figures in between are those of OpenBLAS waiting for
its threads, on all sides: `OPENBLAS_NUM_THREADS=1` takes that away.

{table}
"""


if __name__ == "__main__":
    main()
