"""The command: see the package."""

from __future__ import annotations

import argparse
import sys
from collections import Counter

from enzyme_py.settings import settings
from tests.numba_suite.__main__ import tell
from tests.passes.switches import leave_out
from tests.readers.questions import answers


def main() -> int:
    """Ask kernels; the exit status is 1 if one is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.readers")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--without", help="a cure that is left out")
    given = parser.parse_args()
    if given.without:
        settings.cache = False  # it holds derivatives that were made with the cure
        leave_out(given.without)
    counts = Counter[str]()
    for seed in range(given.seed, given.seed + given.count):
        for question, verdict in answers(seed):
            counts[verdict.partition(":")[0]] += 1
            if verdict != "right":
                tell(f"{seed} {question}: {verdict}")
    tell(", ".join(f"{count} {verdict}" for verdict, count in counts.most_common()))
    return int(counts["wrong"] > 0)


if __name__ == "__main__":
    sys.exit(main())
