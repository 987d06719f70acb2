"""The command of the fuzzer: see the package."""

from __future__ import annotations

import argparse
import sys

from tests.fuzz import grammar
from tests.fuzz.runs import cores, run, smallest


def main() -> int:
    """Run, sum up, and make what failed small."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--size", type=int, default=6, help="statements of a kernel, about")
    parser.add_argument("--workers", type=int, default=cores())
    parser.add_argument("--only", type=int, help="one kernel, with its source")
    parser.add_argument("--shrink", action="store_true", help="make what failed small")
    given = parser.parse_args()
    seeds = range(given.seed, given.seed + given.count)
    if given.only is not None:
        print(grammar.kernel(given.only, given.size).source)
        seeds = range(given.only, given.only + 1)
    report = run(seeds, given.workers, lambda line: print(line, flush=True), given.size)
    print(report.text())
    for one in report.bad if given.shrink else ():
        kernel = grammar.kernel(one["seed"], given.size)
        print(f"seed {one['seed']}, {one['question']}: {one['verdict']}")
        print(smallest(kernel, one["question"], one["verdict"]), flush=True)
    return 1 if report.bad else 0


if __name__ == "__main__":
    sys.exit(main())
