"""The command: see the package."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from tests.called.kernels import GRAMMARS, source
from tests.called.worker import CALLS
from tests.numba_suite.__main__ import command, tell


def main() -> int:
    """Run, and sum up; the exit status is 1 if anything is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.called")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0, help="the first one")
    parser.add_argument("--show", action="store_true", help="print the kernels, and ask nothing")
    parser.add_argument("--folder", type=Path, help="for all answers, and to go on from")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--calls", choices=CALLS, default="all", help="what stays a call: all, users' functions, or what LLVM finds large")
    parser.add_argument("--second", action="store_true", help="second orders, too")
    parser.add_argument("--grammar", choices=GRAMMARS, default="narrow")
    parser.add_argument("--without", help="a cure to leave out")
    given = parser.parse_args()
    seeds = range(given.seed, given.seed + given.count)
    if given.show:
        for seed in seeds:
            tell(f"# {seed}\n{source(seed, given.grammar)}")
        return 0
    os.environ["CALLED_CALLS"] = given.calls
    os.environ["CALLED_GRAMMAR"] = given.grammar
    os.environ["CALLED_SECOND"] = "1" if given.second else ""
    return command(given.folder, (), map(str, seeds), workers=given.workers, without=given.without, worker="tests.called.worker")


if __name__ == "__main__":
    sys.exit(main())
