"""First gradients beside Numba's own first call of the primal: each in a new process, with an empty cache.

    python benchmarks/first_calls.py [--write] [--beside FOLDER] [--rows lse,solve] [--rounds 1]
                                     [--known-rules] [--loaded] [--profile lse]

Behind the imports: seconds of the wall and of the processors (the host's included) of the first call, once by
`numba.njit` and once as a gradient. With `--known-rules` the disk has the code of the rules of linear algebra, from the
gradient of another kernel: it is compiled once a machine and type. With `--loaded` each gradient is asked for again in
a second process, which finds it on disk. `--beside FOLDER` measures a second source tree, built in place, in turn with this one. `--write` puts the
table of this run at the end of docs/first-calls.md. `--profile ROW` shows where one first gradient spends its time.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
REPORT = HERE.parent / "docs" / "first-calls.md"
TICKS = os.sysconf("SC_CLK_TCK")
PROBLEMS = ("lse", "llsq", "ode", "gmm", "lstm", "ht", "ba")


def kalman(x, c, n):
    covariance = np.eye(2) * 2.0
    s = x[:2].copy()
    step = np.array([[1.0, 0.1], [0.0, 1.0]]) * 1.0
    step[1, 1] = x[5]
    for t in range(n):
        s = step @ s
        covariance = step @ covariance @ step.T + 0.1 * np.eye(2)
        gain = covariance[:, 0] / (covariance[0, 0] + 0.5)
        s = s + gain * (c[t] - s[0])
        covariance = covariance - np.outer(gain, covariance[0])
    return np.sum(s**2) + np.trace(covariance)


def gaussian_process(x, y, width, noise):
    n = x.size
    k = np.empty((n, n))
    for i in range(n):
        for j in range(n):
            k[i, j] = math.exp(-((x[i] - x[j]) ** 2) / (2.0 * width * width))
    k += noise * np.eye(n)
    root = np.linalg.cholesky(k)
    weights = np.linalg.solve(root, y)
    return 0.5 * np.sum(weights * weights) + np.sum(np.log(np.diag(root)))


def solve(a):
    return np.sum(np.linalg.solve(a, a[0]))


def inv(a):
    return np.sum(np.linalg.inv(a))


def det(a):
    return np.linalg.det(a)


def slogdet(a):
    return np.linalg.slogdet(a)[1]


def cholesky(a):
    return np.sum(np.linalg.cholesky(a))


def eigh(a):
    return np.sum(np.linalg.eigh(a)[0] ** 2)


def eig(a):
    return np.sum(np.linalg.eig(a.astype(np.complex128))[0].real ** 2)


def svd(a):
    return np.sum(np.linalg.svd(a)[1] ** 3)


def qr(a):
    return np.sum(np.linalg.qr(a)[1])


def lstsq(a):
    return np.sum(np.linalg.lstsq(a, a[0])[0])


def pinv(a):
    return np.sum(np.linalg.pinv(a))


def norm(a):
    return np.linalg.norm(a)


def square(x):
    return x * x


MATRICES = (solve, inv, det, slogdet, cholesky, eigh, eig, svd, qr, lstsq, pinv, norm)


def arguments(kernel: Callable[..., Any]) -> tuple[Any, ...]:
    random = np.random.default_rng(1)
    if kernel is square:
        return (1.5,)
    if kernel is kalman:
        return (random.random(6), random.random(6), 6)
    if kernel is gaussian_process:
        return (random.random(8), random.random(8), 0.5, 0.1)
    a = random.random((5, 5))
    return (a @ a.T + 5.0 * np.eye(5),)


KERNELS = {f.__name__: f for f in (square, kalman, gaussian_process, *MATRICES)}
ROWS = ("square", *PROBLEMS, *(name for name in KERNELS if name != "square"))


def prepared(row: str, way: str) -> Callable[[], Any]:
    """Return the first call: of the plain function or of its gradient."""
    import numba

    import enzyme_py as enzyme

    if row in PROBLEMS:
        from side_by_side import ours, problems

        given = getattr(problems, row)(**problems.workloads(row, "small")[0])
        return ours.prepared(row, "primal" if way == "plain" else "gradient", given)[0]
    kernel = KERNELS[row]
    given = arguments(kernel)
    if way == "plain":
        return lambda: numba.njit(kernel)(*given)
    if way == "other":
        kernel = twice(kernel)
    return lambda: enzyme.gradient(kernel, *given)


def twice(kernel: Callable[..., Any]) -> Callable[..., Any]:
    """Return another kernel with the same rules."""

    def other(*given):
        return 2.0 * kernel(*given)

    return other


def imported() -> None:
    """Import what compiling takes, where that is put off: benchmarks/starts.py tells what it costs."""
    for name in ("enzyme_py.frontend.target.teaching", "enzyme_py.compiling"):
        if importlib.util.find_spec(name) is None:
            return
        importlib.import_module(name)
    sys.modules["enzyme_py.frontend.target.teaching"].teach()


def cpu() -> float:
    """Return the seconds of the processors that this process and its children have taken."""
    with contextlib.suppress(OSError):
        children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
        return time.process_time() + sum(map(_cpu_of, children))
    return time.process_time()


def _cpu_of(process: str) -> float:
    with contextlib.suppress(OSError):
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) / TICKS
    return 0.0


def one(row: str, way: str) -> None:
    """Measure one first call and print it as JSON."""
    import enzyme_py as enzyme

    run = prepared(row, way)
    if way != "plain":
        imported()
    begun, used = time.perf_counter(), cpu()
    with contextlib.suppress(MemoryError):
        run()
    found = {"wall": time.perf_counter() - begun, "cpu": cpu() - used}
    for record in enzyme.inspect.timings():
        found[record.stage] = found.get(record.stage, 0.0) + record.seconds
    print(json.dumps(found))


def profiled(row: str) -> None:
    import cProfile
    import pstats

    run = prepared(row, "gradient")
    profile = cProfile.Profile()
    profile.runcall(run)
    profile.dump_stats(f"{row}.profile")
    pstats.Stats(profile).sort_stats("cumulative").print_stats(70)


def measured(row: str, way: str, tree: Path, cache: str) -> dict[str, float]:
    environment = {**os.environ, "ENZYME_PY_CACHE_DIR": cache, "OPENBLAS_NUM_THREADS": "1"}
    code = (
        "import sys; sys.meta_path[:] = [f for f in sys.meta_path if 'Redirecting' not in type(f).__name__]; "
        f"sys.path[:0] = [{str(tree)!r}, {str(HERE)!r}]; import first_calls as it; it.one({row!r}, {way!r})"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True
    )
    return dict(json.loads(done.stdout.splitlines()[-1]))


def emptied(cache: Path) -> str:
    """Return a cache folder that holds only the host, which is no part of a first call."""
    for place in (os.environ.get("ENZYME_PY_CACHE_DIR"), Path.home() / ".cache" / "enzyme_py"):
        if place and (Path(place) / "host").is_dir() and not (cache / "host").exists():
            subprocess.run(["cp", "-a", str(Path(place) / "host"), str(cache)], check=True)
    for other in cache.iterdir():
        if other.name != "host":
            shutil.rmtree(other)
    return str(cache)


def middle(found: list[dict[str, float]]) -> dict[str, float]:
    return {
        stage: statistics.median(one.get(stage, 0.0) for one in found)
        for stage in {key for one in found for key in one}
    }


# Of this package's stages, by column; those of older trees are among them.
STAGES = (
    ("imports",),
    ("typing", "assembling", "numba"),
    ("passes", "host"),
    ("optimising", "loading", "native"),
    ("entry",),
)
TITLES = (
    "| | | plain | first gradient | ratio | plain, CPU | gradient, CPU | ratio "
    "| imports | Numba | Enzyme | O3, code | entry | from the disk |"
)


def measured_row(
    row: str, trees: dict[str, Path], folder: Path, chosen: argparse.Namespace
) -> Iterator[tuple[str, list[str], float]]:
    """Yield, for each tree, the cells of a row and the ratio of CPU times."""
    knows_rules = chosen.known_rules and row in KERNELS
    plain: list[dict[str, float]] = []
    first: dict[str, list[dict[str, float]]] = {when: [] for when in trees}
    again: dict[str, list[dict[str, float]]] = {when: [] for when in trees}
    for _ in range(chosen.rounds):
        plain.append(measured(row, "plain", HERE.parent, emptied(folder)))
        for when, tree in trees.items():
            cache = emptied(folder)
            if knows_rules:
                measured(row, "other", tree, cache)
            first[when].append(measured(row, "gradient", tree, cache))
            if chosen.loaded:
                again[when].append(measured(row, "gradient", tree, str(folder)))
    own = middle(plain)
    for when in trees:
        got, disk = middle(first[when]), middle(again[when])
        ratio = got["cpu"] / own["cpu"]
        cells = [f"{own['wall']:.2f}", f"{got['wall']:.2f}", f"{got['wall'] / own['wall']:.1f}"]
        cells += [f"{own['cpu']:.2f}", f"{got['cpu']:.2f}", f"{ratio:.1f}"]
        cells += [f"{sum(got.get(stage, 0.0) for stage in stages):.2f}" for stages in STAGES]
        yield when, [*cells, f"{disk['wall']:.2f}" if disk else ""], ratio


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="into docs/first-calls.md")
    parser.add_argument("--beside", type=Path, help="another source tree, built in place")
    parser.add_argument("--rows", default=",".join(ROWS))
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--known-rules", action="store_true")
    parser.add_argument("--loaded", action="store_true")
    parser.add_argument("--profile")
    chosen = parser.parse_args()
    if chosen.profile:
        profiled(chosen.profile)
        return
    trees = {"now": HERE.parent}
    if chosen.beside:
        trees = {"before": chosen.beside.resolve(), **trees}
    lines = [TITLES, "| --- | --- " + "| ---: " * 12 + "|"]
    ratios: dict[str, list[float]] = {when: [] for when in trees}
    print(*lines, sep="\n")
    with tempfile.TemporaryDirectory() as folder:
        for row in chosen.rows.split(","):
            for when, cells, ratio in measured_row(row, trees, Path(folder), chosen):
                ratios[when].append(ratio)
                lines.append(f"| {row} | {when} | {' | '.join(cells)} |")
                print(lines[-1], flush=True)
    for when, found in ratios.items():
        lines.append(
            f"| geometric mean | {when} | | | | | | {statistics.geometric_mean(found):.1f} | | | | | | |"
        )
        print(lines[-1])
    if chosen.write:
        head, _, _ = REPORT.read_text().partition("<!-- table -->")
        REPORT.write_text(head + "<!-- table -->\n" + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
