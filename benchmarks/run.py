"""Gradients side by side: the suite's problems times tools, in one run.

    python benchmarks/run.py [--sizes small|medium|all] [--problems lse,gmm] [--tools ours,c,numba,jax,torch]
                             [--python jax=PATH] [--out FILE] [--write]

Tools: ours; adjoints by hand in C (gcc -O3) and in Numba; JAX and PyTorch, where they are installed, if need be for
another interpreter (`--python jax=PATH`). Each runs in a process of its own, all on one core and
with one thread. The answers are compared with the C adjoint's before anything is timed; then rounds in which
every tool runs once. What fails is said in its row. The lines of `--out` are JSON; `--write` renews docs/side-by-side.md.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from side_by_side import measure, problems, report  # noqa: E402


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--sizes", choices=("tiny", "small", "medium", "all"), default="all")
    options.add_argument("--problems", default=",".join(problems.MAKERS))
    options.add_argument("--tools", default=",".join(measure.TOOLS))
    options.add_argument("--python", action="append", default=[], metavar="TOOL=PATH")
    options.add_argument("--rounds", type=int, default=7)
    options.add_argument("--core", type=int, default=0, help="-1 for any")
    options.add_argument("--out", type=Path, default=Path("side-by-side.jsonl"))
    options.add_argument("--table", type=Path, help="where the table of times goes")
    options.add_argument("--write", action="store_true")
    chosen = options.parse_args()
    pythons = dict(one.split("=", 1) for one in chosen.python)
    settings = measure.Settings(chosen.tools.split(","), pythons, chosen.rounds, chosen.core)
    lines = []
    with chosen.out.open("w") as out:
        for line in measure.warm(chosen.problems.split(","), chosen.sizes, settings):
            lines.append(line)
            print(json.dumps(line), file=out, flush=True)
            print(report.shown(line), file=sys.stderr, flush=True)
            if chosen.table:
                chosen.table.write_text("\n".join(report.times(lines)) + "\n")
    print("\n".join(report.times(lines)))


if __name__ == "__main__":
    main()
