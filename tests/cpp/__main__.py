"""The command: see the package."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from enzyme_py.native.runtime import library
from enzyme_py.settings import settings
from tests.cpp.grammar import kernel
from tests.cpp.programs import WAYS, compiled, level
from tests.cpp.questions import answers
from tests.enzyme_suite.programs import newest_clang
from tests.numba_suite.__main__ import command, tell
from tests.passes.switches import leave_out


def main() -> int:
    """Run, and sum up; the exit status is 1 if anything is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.cpp")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0, help="the first one")
    parser.add_argument("--folder", type=Path, help="for all answers, and to go on from")
    parser.add_argument("--ways", default="", help=f"with commas, of {', '.join(WAYS)}; three of them by themselves")
    parser.add_argument("--only", type=int, help="one seed, in this process")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--without", help="a cure to leave out")
    given = parser.parse_args()
    if newest_clang() is None:
        parser.error("no clang is found whose IR llvmlite can read; install one")
    if given.only is not None:
        return one_seed(given.only, given.without)
    os.environ["CPP_WAYS"] = given.ways
    seeds = [str(one) for one in range(given.seed, given.seed + given.count)]
    return command(given.folder, (), seeds, workers=given.workers, without=given.without, worker="tests.cpp.worker")


def one_seed(seed: int, without: str | None) -> int:
    """Print the kernel of a seed, and what comes of it."""
    if without:
        settings.cache = False  # it holds derivatives that were made with the cure
        leave_out(without)
    library().enzyme_py_scribble(1)  # fresh memory holds NaN, so that nothing rests on luck
    name = f"k{seed}"
    text = kernel(seed, name)
    tell(text)
    with tempfile.TemporaryDirectory() as folder:
        code = compiled({name: text}, Path(folder), newest_clang() or "", level(seed))
    found = list(answers(code, name, seed))
    for way, verdict in found:
        tell(f"{way}: {verdict}")
    return int(any(verdict.startswith("wrong") for _, verdict in found))


if __name__ == "__main__":
    sys.exit(main())
