"""The first number of a new process with everything on disk: beside Numba's own cached primal, and JAX's persistent cache.

    python benchmarks/starts.py [--write] [--rows lse,solve] [--rounds 3] [--python jax=PATH]

For each row a process first fills the caches; then, in turn, new processes are timed: what importing Numba takes and what
this package adds, the first gradient behind the imports (`gradient`, found by its source), and a second one of the same kernel
(`value_and_grad`); the first call of the primal from Numba's cache (`njit(cache=True)`) behind importing Numba; and JAX's
import and first gradient with `jax_compilation_cache_dir`, for the problems that are written for it
(side_by_side/by_jax.py), where `--python` names an interpreter that has it. Medians of the rounds, seconds of
the wall. `--write` renews docs/start-figures.md.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import first_calls

from enzyme_py.host.installing.locate import find_toolchain

HERE = Path(__file__).resolve().parent
REPORT = HERE.parent / "docs" / "start-figures.md"
HEAD = "<!-- table -->"
GOAL = 0.1  # seconds behind the imports

TITLES = (
    "| | import Numba | ours adds | first gradient | second gradient | Numba's cached primal "
    "| ours by Numba's | import JAX | JAX's first gradient |"
)

# What the programs themselves jit is kept by Numba, in both.
CACHED = """
usual = numba.njit
def njit(*given, **options):
    return usual(*given, **{"cache": True, **options})
numba.njit = njit
"""
OURS = """
import time
begun = time.perf_counter()
import numba
numba_imported = time.perf_counter()
import enzyme_py as enzyme
imported = time.perf_counter()
import json, sys
sys.path.insert(0, {here!r})
{cached}
import first_calls
runs = [first_calls.prepared({row!r}, "gradient"), {second}]
times = [time.perf_counter()]
for run in runs:
    run()
    times.append(time.perf_counter())
outcomes = [one.outcome for one in enzyme.inspect.finished()]
print(json.dumps({{"numba": numba_imported - begun, "ours": imported - numba_imported,
    "first": times[1] - times[0], "second": times[2] - times[1], "outcomes": outcomes}}))
"""
# Another gradient of the same kernel; of a problem of the suite, the next call.
SECOND = "(lambda: enzyme.value_and_grad(first_calls.KERNELS[{row!r}])(*first_calls.arguments(first_calls.KERNELS[{row!r}])))"
SECOND_OF_PROBLEM = "first_calls.prepared({row!r}, 'gradient')"
NUMBAS = """
import time
begun = time.perf_counter()
import numba
imported = time.perf_counter()
import json, sys
sys.path.insert(0, {here!r})
{cached}
import first_calls
run = first_calls.prepared({row!r}, "plain")
start = time.perf_counter()
run()
print(json.dumps({{"numba": imported - begun, "first": time.perf_counter() - start}}))
"""
JAXS = """
import time
begun = time.perf_counter()
import os
os.environ["JAX_PLATFORMS"] = "cpu"
import jax
imported = time.perf_counter()
jax.config.update("jax_compilation_cache_dir", {cache!r})
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
import json, sys
sys.path.insert(0, {here!r})
from side_by_side import by_jax, problems
given = getattr(problems, {row!r})(**problems.workloads({row!r}, "small")[0])
start = time.perf_counter()
run, _ = by_jax.prepared({row!r}, "gradient", given)
run()
print(json.dumps({{"jax": imported - begun, "first": time.perf_counter() - start}}))
"""


def told(program: str, python: str, folder: Path) -> dict[str, Any]:
    """Run a program in a new process and return what it says."""
    named = {
        "ENZYME_PY_CACHE_DIR": str(folder / "ours"),
        "ENZYME_PY_HOST": str(find_toolchain().executable),
        "NUMBA_CACHE_DIR": str(folder / "numba"),
        "OPENBLAS_NUM_THREADS": "1",
    }
    done = subprocess.run(
        [python, "-c", program], env={**os.environ, **named}, check=True, capture_output=True, text=True
    )
    return dict(json.loads(done.stdout.splitlines()[-1]))


def programs(row: str, pythons: dict[str, str], folder: Path) -> Iterator[tuple[str, str, str]]:
    """Yield the name, the interpreter and the text of each program for a row."""
    is_problem = row in first_calls.PROBLEMS
    second = (SECOND_OF_PROBLEM if is_problem else SECOND).format(row=row)
    yield "ours", sys.executable, OURS.format(here=str(HERE), cached=CACHED, row=row, second=second)
    yield "numba", sys.executable, NUMBAS.format(here=str(HERE), cached=CACHED, row=row)
    if "jax" in pythons and is_problem:
        yield "jax", pythons["jax"], JAXS.format(here=str(HERE), row=row, cache=str(folder / "jax"))


def measured(row: str, pythons: dict[str, str], rounds: int) -> dict[str, dict[str, float]]:
    """Return the medians of a row, by program."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        known = list(programs(row, pythons, folder))
        for _, python, program in known:
            told(program, python, folder)
        found: dict[str, list[dict[str, Any]]] = {name: [] for name, _, _ in known}
        for _ in range(rounds):
            for which, python, program in known:
                found[which].append(told(program, python, folder))
    missed = {one for line in found["ours"] for one in line["outcomes"]} - {"found"}
    if missed:
        print(f"{row}: {'; '.join(sorted(missed))}", file=sys.stderr)
    return {
        which: {key: statistics.median(line[key] for line in lines) for key in lines[0] if key != "outcomes"}
        for which, lines in found.items()
    }


def cells(found: dict[str, dict[str, float]]) -> list[str]:
    ours, numbas, jaxs = found["ours"], found["numba"], found.get("jax")
    own = [ours["numba"], ours["ours"], ours["first"], ours["second"], numbas["first"]]
    beside = [f"{one:.3f}" for one in (jaxs["jax"], jaxs["first"])] if jaxs else ["", ""]
    return [*(f"{one:.3f}" for one in own), f"{ours['first'] / numbas['first']:.2f}", *beside]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="renew docs/start-figures.md")
    parser.add_argument("--rows", default=",".join(first_calls.ROWS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--python", action="append", default=[], metavar="jax=PATH")
    chosen = parser.parse_args()
    pythons = dict(one.split("=", 1) for one in chosen.python)
    lines = [
        TITLES,
        "| --- " + "| ---: " * 8 + "|",
    ]
    print(*lines, sep="\n")
    ratios, firsts = [], []
    for row in chosen.rows.split(","):
        found = measured(row, pythons, chosen.rounds)
        firsts.append(found["ours"]["first"])
        ratios.append(firsts[-1] / found["numba"]["first"])
        lines.append(f"| {row} | {' | '.join(cells(found))} |")
        print(lines[-1], flush=True)
    late = sum(one > GOAL for one in firsts)
    mean = statistics.geometric_mean(ratios)
    said = (
        f"The first gradient takes {mean:.2f} of the first call of Numba's cached primal in the geometric mean; {late} of "
        f"{len(firsts)} rows take more than {GOAL} s behind the imports."
    )
    machine = platform.processor() or platform.machine()
    where = f"{machine}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; Python {platform.python_version()}"
    lines += ["", said, f"{where}, Numba {version('numba')}."]
    print(*lines[-2:], sep="\n")
    if chosen.write:
        head, _, _ = REPORT.read_text().partition(HEAD)
        REPORT.write_text(head + HEAD + "\n" + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
