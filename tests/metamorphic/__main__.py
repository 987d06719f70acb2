"""The command: see the package."""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import asdict
from pathlib import Path

from tests.metamorphic.forms import origins
from tests.metamorphic.questions import REWRITES, outcomes, rewritten
from tests.numba_suite.__main__ import command, tell


def main() -> int:
    """Run, and sum up; the exit status is 1 if anything is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.metamorphic")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1, help="the first one")
    parser.add_argument("--folder", type=Path, help="for all answers, and to go on from")
    parser.add_argument("--rewrites", default="", help=f"with commas, of {', '.join(REWRITES)}")
    parser.add_argument("--only", type=int, help="one seed, in this process")
    parser.add_argument("--each", action="store_true", help="each kernel once, by the first seed")
    parser.add_argument("--second", action="store_true", help="second orders of all of them, in both modes")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--without", help="a cure to leave out")
    given = parser.parse_args()
    names = [one for one in given.rewrites.split(",") if one]
    if given.only is not None:
        return one_seed(given.only, names, given.second)
    os.environ["METAMORPHIC_REWRITES"] = ",".join(names)
    os.environ["METAMORPHIC_SECOND"] = "1" if given.second else ""
    seeds = [str(one) for one in range(given.seed, given.seed + given.count)]
    if given.each:
        seeds = [f"{given.seed} {one.name}" for one in origins()]
    return command(given.folder, (), seeds, workers=given.workers, without=given.without, worker="tests.metamorphic.worker")


def one_seed(seed: int, names: list[str], second: bool) -> int:
    """Print the rewritten kernel of a seed, and what comes of it."""
    form, done = rewritten(seed, names)
    tell(f"# {form.origin.name}: {', '.join(done)}\n{form.source()}")
    found = outcomes(seed, names, second=second)
    for one in found:
        tell(" ".join(asdict(one).values()))
    return int(any(one.verdict in ("wrong", "unexplained") for one in found))


if __name__ == "__main__":
    sys.exit(main())
