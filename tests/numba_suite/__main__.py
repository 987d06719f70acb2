"""The command: see the package."""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from tests.numba_suite.modules import MODULES
from tests.numba_suite.runs import WORKER, run

MOST = 12


def main() -> int:
    """Run, and sum up."""
    parser = argparse.ArgumentParser(prog="python -m tests.numba_suite")
    parser.add_argument("--folder", type=Path, help="for all answers, and to go on from")
    parser.add_argument("--modules", help="with commas; all, if not given")
    parser.add_argument("--only", help="tests of Numba by their names, with commas")
    parser.add_argument(
        "--most", type=int, default=MOST, help="kernels of one test that are asked about"
    )
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument(
        "--without", help="a cure to leave out, as tests/passes/switches.py names it"
    )
    given = parser.parse_args()
    modules = given.modules.split(",") if given.modules else MODULES
    only = given.only.split(",") if given.only else ()
    return command(given.folder, modules, only, most=given.most, workers=given.workers, without=given.without)


def command(
    folder: Path | None,
    modules: Iterable[str],
    only: Iterable[str] = (),
    *,
    most: int = 1,
    workers: int,
    without: str | None = None,
    worker: str = WORKER,
) -> int:
    """Run in a folder, or in one that goes again, and tell what came out; return the exit status: 1 if anything is bad.

    Who is told to end ends its workers first.
    """
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    with tempfile.TemporaryDirectory() as fresh:
        summary = run(folder or Path(fresh), modules, tell, most, workers, only, without, worker)
    tell(summary.text())
    return 1 if summary.bad else 0


def tell(line: str) -> None:
    """Print what a run has to say at once."""
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main())
