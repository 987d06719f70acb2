"""The command: see the package."""

from __future__ import annotations

import argparse
import itertools
import sys
from pathlib import Path

from tests.c_functions.functions import FUNCTIONS
from tests.c_functions.programs import KINDS, WAYS
from tests.enzyme_suite.programs import newest_clang
from tests.numba_suite.__main__ import command


def main() -> int:
    """Run, and sum up; the exit status is 1 if anything is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.c_functions")
    parser.add_argument("names", nargs="*", default=list(FUNCTIONS), help="of functions; all by themselves")
    parser.add_argument("--kinds", default=",".join(KINDS), help="types of numbers, with commas")
    parser.add_argument("--ways", default=",".join(WAYS), help="how a function is compiled, with commas")
    parser.add_argument("--folder", type=Path, help="for all answers, and to go on from")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--without", help="a cure to leave out")
    given = parser.parse_args()
    if newest_clang() is None:
        parser.error("no clang is found whose IR llvmlite can read; install one")
    if unknown := set(given.names) - set(FUNCTIONS):
        parser.error(f"not in tests/c_functions/functions.py: {', '.join(sorted(unknown))}")
    keys = [", ".join(one) for one in itertools.product(given.names, given.kinds.split(","), given.ways.split(","))]
    return command(given.folder, (), keys, workers=given.workers, without=given.without, worker="tests.c_functions.worker")


if __name__ == "__main__":
    sys.exit(main())
