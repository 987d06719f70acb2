"""What a derivative costs, from the first call in a new process to the hundred-thousandth.

Prints one table; `--write` also puts it into docs/benchmarks.md.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any

import numba
import numpy as np
from kernels import loops, two_numbers
from timing import in_turn, resident_bytes

import enzyme_py as enzyme
from enzyme_py.host.installing.locate import find_toolchain

HERE = Path(__file__).resolve().parent
REPORT = HERE.parent / "docs" / "benchmarks.md"
COLD_ROUNDS = 5
# As enzyme_py.inspect.timings names them.
STAGES = ("imports", "typing", "assembling", "passes", "host", "optimising", "loading", "cache", "entry")

Row = tuple[str, str, str]


def new_process(cache: str, *arguments: str) -> dict[str, Any]:
    """Run first_gradient.py in a new process over a cache folder."""
    environment = {**os.environ, "ENZYME_PY_CACHE_DIR": cache}
    if not os.environ.get("ENZYME_PY_PLUGIN"):
        environment["ENZYME_PY_HOST"] = str(find_toolchain().executable)
    program = [sys.executable, str(HERE / "first_gradient.py"), *arguments]
    done = subprocess.run(program, env=environment, check=True, capture_output=True, text=True)
    return dict(json.loads(done.stdout))


def start_rows() -> Iterator[Row]:
    """The first gradient of a process: with an empty cache, and with the one left behind."""
    plain, cold, warm = [], [], []
    for _ in range(COLD_ROUNDS):
        with tempfile.TemporaryDirectory() as cache:
            plain.append(new_process(cache, "plain"))
            cold.append(new_process(cache))
            warm.append(new_process(cache))
    reports = plain + cold + warm
    extra = median(report["import enzyme_py"] for report in reports)
    numba_import = median(report["import numba"] for report in reports)
    beside = f"numba: {milliseconds(numba_import)}"
    yield "import enzyme_py, beside numba's", milliseconds(extra), beside
    yield "first call, plain njit", milliseconds(median(r["first call"] for r in plain)), ""
    yield "first gradient, empty cache", *split(cold)
    yield "first gradient, from the disk cache", *split(warm)


def split(reports: list[dict[str, Any]]) -> tuple[str, str]:
    """The whole and its stages; what none of them counts is the call itself."""
    total = median(report["first call"] for report in reports)
    parts = {
        stage: median(report["stages"][stage] for report in reports)
        for stage in STAGES
        if all(stage in report["stages"] for report in reports)
    }
    said = [f"{stage} {milliseconds(seconds)}" for stage, seconds in parts.items()]
    said.append(f"the rest {milliseconds(total - sum(parts.values()))}")
    if not any("host" in report["stages"] for report in reports):
        said.append("host not started")
    return milliseconds(total), ", ".join(said)


def call_rows() -> Iterator[Row]:
    """One call of a gradient of two numbers, in every spelling, beside the plain njit call."""
    kernel = two_numbers(1.2, 0.7)
    x, y = kernel.args
    plain = numba.njit(kernel.function)
    compiled = enzyme.jit(kernel.function)
    gradient = enzyme.grad(compiled, argnums=(0, 1))
    spellings: dict[str, Callable[[], Any]] = {
        "grad(f)(x, y)": lambda: gradient(x, y),
        "gradient(f, x, y)": lambda: enzyme.gradient(compiled, x, y),
        "autodiff(Reverse, f, Active(x), Active(y))": lambda: enzyme.autodiff(
            enzyme.Reverse, compiled, enzyme.Active(x), enzyme.Active(y)
        )[0],
    }
    for name, call in spellings.items():
        kernel.check(call())
        got = in_turn(lambda: plain(x, y), call)
        figures = f"{got.ratio:.2f} times, {1e9 * got.more:+.0f} ns"
        yield f"one call: {name}", figures, f"njit: {1e9 * got.seconds:.0f} ns; goal {kernel.goal}"


def loop_rows() -> Iterator[Row]:
    """Gradient over primal for kernels that do some work; shadows are the caller's."""
    for kernel in loops():
        plain, compiled = numba.njit(kernel.function), enzyme.jit(kernel.function)
        (x,) = kernel.args
        shadow = np.zeros_like(x)
        differentiate = reverse_into(compiled, x, shadow)
        differentiate()
        kernel.check((shadow,))
        got = in_turn(lambda plain=plain, x=x: plain(x), differentiate)
        beside = f"njit: {milliseconds(got.seconds)}; goal {kernel.goal:.0f}"
        yield kernel.title, f"{got.ratio:.2f} times", beside


def reverse_into(compiled: Any, x: np.ndarray, shadow: np.ndarray) -> Callable[[], Any]:
    return lambda: enzyme.autodiff(enzyme.Reverse, compiled, enzyme.Duplicated(x, shadow))


def memory_row() -> Iterator[Row]:
    """Growth of resident memory over 10^5 gradients that make arrays, after 10^3 to warm up."""
    compiled = enzyme.jit(short_temporaries)
    x = np.linspace(-1.0, 2.0, 100)
    for _ in range(10**3):
        enzyme.gradient(compiled, x)
    before = resident_bytes()
    for _ in range(10**5):
        enzyme.gradient(compiled, x)
    grown = resident_bytes() - before
    yield (
        "memory grown over 10^5 gradients",
        f"{grown / 2**20:.1f} MiB",
        f"of {before / 2**20:.0f} MiB",
    )


def short_temporaries(x):
    total = 0.0
    for _ in range(3):
        t = x * 2.0
        total += np.sum(t * t)
    return total


def milliseconds(seconds: float) -> str:
    return f"{1e3 * seconds:.1f} ms" if seconds < 0.1 else f"{1e3 * seconds:.0f} ms"


def machine() -> str:
    """The processor and the versions that the figures belong to."""
    cpu = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = [line for line in info.read_text().splitlines() if line.startswith("model name")]
        cpu = names[0].split(":")[1].strip() if names else cpu
    versions = ", ".join(f"{name} {version(name)}" for name in ("numba", "llvmlite", "numpy"))
    return f"{cpu}, {os.cpu_count()} CPUs, Python {platform.python_version()}, {versions}"


def table(rows: list[Row]) -> str:
    lines = ["| what | measured | beside |", "| --- | --- | --- |"]
    return "\n".join(lines + [f"| {' | '.join(row)} |" for row in rows])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="renew docs/benchmarks.md")
    chosen = parser.parse_args()
    rows = [*start_rows(), *call_rows(), *loop_rows(), *memory_row()]
    text = f"{machine()}\n\n{table(rows)}\n"
    print(text)
    if chosen.write:
        head = "# Benchmarks\n\nWritten by `sh ci/bench.sh --write`; see [how](../benchmarks/README.md).\n\n"
        REPORT.write_text(head + text)


if __name__ == "__main__":
    main()
