"""The command: see the package."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tests.numba_suite.__main__ import MOST, command

WORKER = "tests.libraries.worker"


def main() -> int:
    """Run, and sum up."""
    parser = argparse.ArgumentParser(prog="python -m tests.libraries")
    parser.add_argument("names", help="packages whose tests are in them, and folders of tests, with commas")
    parser.add_argument("--folder", type=Path, help="for all answers, and to go on from")
    parser.add_argument("--most", type=int, default=MOST, help="kernels of one test that are asked about")
    parser.add_argument("--workers", type=int, default=1)
    given = parser.parse_args()
    return command(given.folder, given.names.split(","), most=given.most, workers=given.workers, worker=WORKER)


if __name__ == "__main__":
    sys.exit(main())
