"""Gradients side by side: the suite's problems times tools, in one run.

    python benchmarks/run.py [--sizes small|medium|all] [--problems lse,gmm] [--tools ours,c,jax]
                             [--parts warm,cold,size] [--python jax=PATH] [--out FILE] [--write]

Tools: ours; adjoints by hand in C (gcc -O3) and in Numba; JAX, PyTorch and CasADi, where they are installed, if need be for
another interpreter (`--python jax=PATH --python torch=PATH`). Each runs in a process of its own, all on one core
and with one thread. The answers are compared with the C adjoint's before anything is timed; then rounds in which
every tool runs once. What fails is said and the rest goes on. The lines of `--out` are JSON, one for each
call, in the parts warm, cold (new processes) and size (time and memory against n); `--write` measures all parts and
renews docs/side-by-side.md; with `--read FILE` the lines are those of an earlier run. On a busy machine,
`--clock cpu` counts the seconds of the processor instead of those of the wall.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from side_by_side import beside, document, goals, measure, problems, report
from side_by_side.processes import TOOLS, Settings

from enzyme_py.foundations.progress import counted


def measured(chosen: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Yield a line for everything that was asked for; what fails is a line, too."""
    names = chosen.problems.split(",")
    pythons = dict(one.split("=", 1) for one in chosen.python)
    begun = time.monotonic()
    rounds, clock = chosen.rounds, chosen.clock
    for part, share in (("warm", 0.62), ("cold", 0.85), ("size", 1.0)):
        if part not in chosen.parts.split(","):
            continue
        until = begun + 60.0 * chosen.minutes * share
        tools = chosen.tools.split(",")
        settings = Settings(tools, pythons, rounds, chosen.core, clock, until)
        if part == "warm":
            yield from measure.warm(names, chosen.sizes, settings)
        elif part == "cold":
            yield from beside.cold(names, settings)
        else:
            yield from beside.scaled(names, settings)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--sizes", choices=("tiny", "small", "medium", "all"), default="all")
    options.add_argument("--problems", default=",".join(problems.MAKERS))
    options.add_argument("--tools", default=",".join(TOOLS))
    options.add_argument("--parts", help="of warm,cold,size: without --write, warm")
    options.add_argument("--python", action="append", default=[], metavar="TOOL=PATH")
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--core", type=int, default=0, help="-1 for any")
    options.add_argument("--clock", choices=("wall", "cpu"), default="wall")
    options.add_argument(
        "--minutes", type=float, default=11.0, help="after which no workload begins"
    )
    options.add_argument("--out", type=Path, default=Path("side-by-side.jsonl"))
    options.add_argument("--table", type=Path, help="where the tables go, renewed with each line")
    options.add_argument("--read", type=Path, help="lines of an earlier run, instead of measuring")
    options.add_argument("--write", action="store_true")
    chosen = options.parse_args()
    chosen.parts = chosen.parts or ("warm,cold,size" if chosen.write else "warm")
    lines = []
    if chosen.read:
        lines = [json.loads(line) for line in chosen.read.read_text().splitlines()]
    else:
        with chosen.out.open("w") as out, counted("benchmarks") as count:
            for line in measured(chosen):
                lines.append(line)
                count(len(lines), "lines so far")
                print(json.dumps(line), file=out, flush=True)
                print(report.shown(line), file=sys.stderr, flush=True)
                if chosen.table:
                    chosen.table.write_text("\n".join(shown(lines)) + "\n")
    print("\n".join(shown(lines)))
    if chosen.write:
        document.write(lines)


def shown(lines: list[dict[str, Any]]) -> Iterator[str]:
    """Yield all tables."""
    for some in (report.times, report.cold, report.sizes, report.failures, goals.said):
        yield from (*some(lines), "")


if __name__ == "__main__":
    main()
