"""The command: see the package."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from tests.enzyme_suite.programs import LEVELS, newest_clang, programs
from tests.numba_suite.__main__ import command


def main() -> int:
    """Run, and sum up; the exit status is 1 if anything is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.enzyme_suite")
    parser.add_argument("checkout", type=Path, nargs="?", help="of EnzymeAD/Enzyme; without one, programs of our own")
    parser.add_argument("--folder", type=Path, help="for all answers, and to go on from")
    parser.add_argument("--levels", default=",".join(LEVELS))
    parser.add_argument("--only", help="programs by their names, with commas")
    parser.add_argument("--clang", default=newest_clang())
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--without", help="a cure to leave out")
    given = parser.parse_args()
    if given.clang is None:
        parser.error("no clang is found; install one, or name it with --clang")
    os.environ["SUITE_CLANG"] = given.clang
    only = given.only.split(",") if given.only else None
    asked = [
        f"{file.resolve()}::{level}"
        for file in programs(given.checkout)
        for level in given.levels.split(",")
        if only is None or file.name in only
    ]
    if not asked:
        parser.error(f"{given.checkout} has no programs in enzyme/test/Integration")
    with tempfile.TemporaryDirectory() as kept:
        os.environ["SUITE_KEPT"] = kept
        return command(given.folder, (), asked, workers=given.workers, without=given.without, worker="tests.enzyme_suite.worker")


if __name__ == "__main__":
    sys.exit(main())
