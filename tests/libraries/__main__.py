"""The command: see the package."""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
from pathlib import Path

from tests.numba_suite.__main__ import MOST, tell
from tests.numba_suite.runs import run

WORKER = "tests.libraries.worker"


def main() -> int:
    """Run, and sum up."""
    parser = argparse.ArgumentParser(prog="python -m tests.libraries")
    parser.add_argument("names", help="packages whose tests are in them, and folders of tests, with commas")
    parser.add_argument("--folder", type=Path, help="for all answers, and to go on from")
    parser.add_argument("--most", type=int, default=MOST, help="kernels of one test that are asked about")
    parser.add_argument("--workers", type=int, default=1)
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    with tempfile.TemporaryDirectory() as fresh:
        summary = run(given.folder or Path(fresh), given.names.split(","), tell, given.most, given.workers, worker=WORKER)
    tell(summary.text())
    return 1 if summary.bad else 0


if __name__ == "__main__":
    sys.exit(main())
