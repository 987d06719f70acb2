"""The command: see the package."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tests.numba_suite.__main__ import MOST, command

WORKER = "tests.libraries.worker"
INNER_WORKER = "tests.libraries.inner_worker"


def main() -> int:
    """Run, and sum up."""
    parser = argparse.ArgumentParser(prog="python -m tests.libraries")
    parser.add_argument("names", help="packages whose tests are in them, and folders of tests, with commas")
    parser.add_argument("--folder", type=Path, help="for all answers, and to go on from")
    parser.add_argument("--most", type=int, default=MOST, help="kernels of one test that are asked about")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--inner", action="store_true", help="also what compiled functions call in turn")
    given = parser.parse_args()
    worker = INNER_WORKER if given.inner else WORKER
    return command(given.folder, given.names.split(","), most=given.most, workers=given.workers, worker=worker)


if __name__ == "__main__":
    sys.exit(main())
