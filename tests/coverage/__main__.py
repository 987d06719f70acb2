"""Measure every function of Numba's list, and write docs/coverage.md.

    python -m tests.coverage --write            every row; what was measured before is kept
    python -m tests.coverage --again --write    every row anew
    python -m tests.coverage --only np.cumsum   the rows of one function, or one row; prints them
    python -m tests.coverage --in-loops         every row with its function in a loop (in_loops.py); writes no document
    python -m tests.coverage --shapes --rounds 2 --write    three to five dimensions (of_sizes.py), each row twice; docs/shapes.md

Rows run in one worker process, which is started again after a crash or past a time limit. Findings
are appended to a file of JSON lines (--results), so an interrupted run goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.coverage import in_loops, of_sizes
from tests.coverage.measure import ALL_ORDERS, ORDERS, Finding
from tests.coverage.report import report, report_of_sizes, summary
from tests.coverage.tables import EDGES, ROWS

DOCUMENTS = Path(__file__).resolve().parents[2] / "docs"
SECONDS = 180.0  # for all orders of one row


class Workers:
    """Measures rows in a process of their own, a new one after each crash."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[str] | None = None

    def findings(self, name: str) -> Iterator[Finding]:
        """Yield what a row or an edge gives; a crash is a finding too."""
        worker = self._running()
        assert worker.stdin is not None
        assert worker.stdout is not None
        timer = threading.Timer(SECONDS, worker.kill)
        timer.start()
        expected = [order for order in ALL_ORDERS if _is_asked(name, order)]
        try:
            worker.stdin.write(name + "\n")
            worker.stdin.flush()
            for line in worker.stdout:
                answer = json.loads(line)
                if answer is None:
                    return
                finding = Finding(**answer)
                expected.remove(finding.order)
                yield finding
        finally:
            timer.cancel()
        status = worker.wait()
        self.process = None
        for order in expected[:1]:
            yield Finding(name, order, "died", f"the interpreter ended with status {status}")
        for order in expected[1:]:
            yield Finding(name, order, "unknown", "the interpreter had ended")

    def _running(self) -> subprocess.Popen[str]:
        if self.process is None:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tests.coverage.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
        return self.process

    def close(self) -> None:
        """End the process."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()


def read(results: Path) -> dict[tuple[str, str], Finding]:
    """Return the last finding of every row and order in a file."""
    if not results.exists():
        return {}
    lines = results.read_text().splitlines()
    findings = (Finding(**json.loads(line)) for line in lines)
    return {(one.name, one.order): one for one in findings}


def measured(names: Iterable[str], results: Path) -> Iterator[Finding]:
    """Yield the findings of rows, each written to the file as it comes."""
    workers = Workers()
    try:
        for name in names:
            for finding in workers.findings(name):
                with results.open("a") as file:
                    file.write(json.dumps(finding.as_json()) + "\n")
                yield finding
    finally:
        workers.close()


def _is_asked(name: str, order: str) -> bool:
    """Tell whether a row, an edge or a twin is asked in an order."""
    if name in EDGES or name.endswith(in_loops.SUFFIX):
        return order in ("R", "F")
    return order in ORDERS or name not in ROWS


def _is_named(name: str, asked: list[str]) -> bool:
    """Tell whether a row or an edge is asked for, by its own name or its function's; twins are asked for by the row."""
    if name.partition(of_sizes.BEHIND)[0] in asked:
        return True
    row = ROWS.get(name.removesuffix(in_loops.SUFFIX))
    return name in asked or (row is not None and (row.name in asked or row.function in asked))


def main() -> None:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--write", action="store_true", help="write docs/coverage.md")
    parser.add_argument(
        "--again", action="store_true", help="measure what was measured before, too"
    )
    parser.add_argument("--failed", action="store_true", help="measure again what did not work")
    parser.add_argument("--only", action="append", default=[], help="a function, a row or an edge")
    parser.add_argument("--in-loops", action="store_true", help="twins of the rows, in loops")
    parser.add_argument("--results", type=Path, help="findings; a temporary file, if not given")
    parser.add_argument("--shapes", action="store_true", help="sizes and axes, 3 to 5 dimensions")
    parser.add_argument("--rounds", type=int, default=1, help="kernels of each row of --shapes")
    given = parser.parse_args()
    if given.in_loops and given.write:
        parser.error("the document says nothing of twins")
    kind = ".loops" if given.in_loops else ".shapes" if given.shapes else ""
    default = Path(tempfile.gettempdir()) / f"enzyme_py_coverage{kind}.{os.getuid()}.jsonl"
    given.results = given.results or default
    known = read(given.results)
    names = in_loops.names() if given.in_loops else [*ROWS, *EDGES]
    if given.shapes:
        names = of_sizes.names(given.rounds)
    if given.only:
        names = [name for name in names if _is_named(name, given.only)]
    elif given.failed:
        bad = {
            name for (name, _), one in known.items() if one.status not in ("works", "uncompiled")
        }
        names = [name for name in names if name in bad]
    elif not given.again:
        done = {name for name, _ in known}
        names = [name for name in names if name not in done]
    show(measured(names, given.results), verbose=bool(given.only))
    found = read(given.results)
    own = {name for name, _ in found} if given.shapes else ROWS
    print(summary(found, in_loops.names() if given.in_loops else own))
    if given.write:
        text = report_of_sizes(found) if given.shapes else report(found)
        (DOCUMENTS / ("shapes.md" if given.shapes else "coverage.md")).write_text(text)


def show(findings: Iterable[Finding], *, verbose: bool) -> None:
    """Print what does not work as it comes, or all."""
    for finding in findings:
        if verbose or finding.status != "works":
            print(
                f"{finding.name:40} {finding.order:4} {finding.status:10} {finding.detail[:150]}",
                flush=True,
            )


if __name__ == "__main__":
    main()
