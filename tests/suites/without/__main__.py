"""The command: see the package."""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from enzyme_py.host.installing.locate import find_toolchain
from enzyme_py.settings import settings
from tests.enzyme_suite.programs import newest_clang
from tests.fuzz.report import kept
from tests.numba_suite.__main__ import tell
from tests.suites.without.kernels import CURES, SHORT
from tests.suites.without.table import PAGE, bad_of, is_pass, page

LIMIT = 1800.0  # seconds for one kernel on the clock, on whatever machine; asking.py has the limit of a processor's


class Known:
    """What was asked so far, and the file that keeps it."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.lines: list[dict[str, Any]] = list(kept(file)) if file.exists() else []

    def of(self, suite: str, cure: str) -> dict[str, dict[str, Any]]:
        """What is known of a suite without a cure, by kernel."""
        return {one["kernel"]: one for one in self.lines if (one["suite"], one["cure"]) == (suite, cure)}

    def add(self, line: dict[str, Any]) -> None:
        """Keep an answer."""
        self.lines.append(line)
        with self._file.open("a") as file:
            file.write(json.dumps(line) + "\n")


def main() -> int:
    """Ask, and sum up; the exit status is 1 if something is not right with all cures."""
    parser = argparse.ArgumentParser(prog="python -m tests.suites.without")
    parser.add_argument("--folder", type=Path, required=True, help="for all answers, and to go on from")
    parser.add_argument("--suites", default=",".join(SHORT), help="with commas")
    parser.add_argument("--cures", default=",".join(CURES), help="with commas")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name} of what is known")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    given.folder.mkdir(parents=True, exist_ok=True)
    known = Known(given.folder / "answers.jsonl")
    if given.write:
        PAGE.write_text(page(known.lines, PAGE.read_text()))
        return 0
    if "enzyme_suite" in given.suites.split(",") and newest_clang() is None:
        parser.error("enzyme_suite needs clang, and none is found; name the other suites by --suites")
    is_right = True
    for suite in given.suites.split(","):
        is_right &= has_all_right(known, suite)
        for cure in given.cures.split(","):
            tell(f"{suite} without {cure}: {look(known, suite, cure)}")
    return 0 if is_right else 1


def has_all_right(known: Known, suite: str) -> bool:
    """Ask the kernels of a suite with all cures; tells whether they are right."""
    for line in asked(suite, "", [one for one in SHORT[suite] if one not in known.of(suite, "")]):
        known.add(line)
        tell(f"{suite} {line['kernel']} {line['found']}")
    return not any(bad_of(one, {}) for one in known.of(suite, "").values())


def look(known: Known, suite: str, cure: str) -> str:
    """Ask kernels without a cure until one has a bad answer; returns what was found."""
    before, done = known.of(suite, ""), known.of(suite, cure)
    touched = [one for one in SHORT[suite] if not is_pass(cure) or cure in before[one]["changed"]]
    worst = ""
    open_ones = []
    for kernel in touched:
        if kernel in done:
            worst = worst or bad_of(done[kernel], before[kernel]["found"])
        else:
            open_ones.append(kernel)
    if worst not in ("", "refused"):
        return worst
    for line in asked(suite, cure, open_ones):
        known.add(line)
        found = bad_of(line, before[line["kernel"]]["found"])
        worst = found if found not in ("", "refused") else worst or found
        if worst not in ("", "refused"):
            return f"{worst}: {line['kernel']}"
    return worst or ("not found" if touched else "no kernel of it")


def asked(suite: str, cure: str, kernels: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the answers of kernels, from processes that may die."""
    left = list(kernels)
    while left:
        with tempfile.TemporaryDirectory(prefix="enzyme_py_without_") as cache:
            for line in _of_one_process(suite, cure, left, Path(cache)):
                left.remove(line["kernel"])
                yield {"suite": suite, "cure": cure, **line}


def _of_one_process(suite: str, cure: str, kernels: Sequence[str], cache: Path) -> Iterator[dict[str, Any]]:
    host = {} if settings.plugin else {"ENZYME_PY_HOST": str(find_toolchain().executable)}
    own = {**host, "ENZYME_PY_CACHE_DIR": str(cache), "OPENBLAS_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "2", "NUMBA_OPT": "1"}
    command = [sys.executable, "-m", "tests.suites.without.asking", suite, cure]
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, env={**os.environ, **own}, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        for kernel in list(kernels):
            timer = threading.Timer(LIMIT, process.kill)
            timer.daemon = True  # it keeps nobody from ending
            timer.start()
            try:
                process.stdin.write(kernel + "\n")
                process.stdin.flush()
                line = process.stdout.readline()
            except BrokenPipeError:
                line = ""
            timer.cancel()
            if not line.endswith("\n"):  # it died, or had to be ended
                verdict = "hung" if -process.wait() in (signal.SIGKILL, signal.SIGXCPU) else "crashed"
                yield {"kernel": kernel, "found": {"all": verdict}, "changed": [], "seconds": 0.0}
                return
            yield json.loads(line)
    finally:
        process.kill()
        process.communicate()


if __name__ == "__main__":
    sys.exit(main())
