"""The commands of the table of `prange` kernels: docs/threads-kernels.md.

python -m tests.threads --write                    all kernels, and the document
python -m tests.threads --folder FOLDER --write    goes on where it was interrupted
python -m tests.threads --only gather              one kernel
python -m tests.threads --memory 100000            memory over so many gradients on threads
python -m tests.threads --sanitizer                all kernels under ThreadSanitizer
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path

from tests.threads.memory import flat_over
from tests.threads.orders import ORDERS
from tests.threads.sanitizer import runs
from tests.threads.table import (
    FORKED,
    ONLY,
    PARTS,
    PLAIN,
    RIGHT,
    TABLE,
    THREADS,
    WATCHED,
    Row,
    by_name,
    is_good,
    row,
)

DOCUMENT = Path(__file__).resolve().parent.parent.parent / "docs" / "threads-kernels.md"
GROWN = 4.0  # MiB that a process may grow by


def main() -> int:
    """Ask for all rows that are not known, and write the document; the exit status is 1 if a row is bad."""
    parser = argparse.ArgumentParser(prog="python -m tests.threads")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--folder", type=Path, help="for all rows, and to go on from")
    parser.add_argument("--only", help="kernels, with commas")
    parser.add_argument("--memory", type=int, help="gradients on threads, whose memory is looked at")
    parser.add_argument("--sanitizer", action="store_true", help="look for races with ThreadSanitizer instead")
    given = parser.parse_args()
    if given.memory:
        grown, held = flat_over(given.memory, tell=True)
        return int(held != 0 or grown > GROWN)
    names = given.only.split(",") if given.only else list(by_name())
    for name in set(names) - set(by_name()):
        parser.error(f"no kernel is called {name!r}; they are {', '.join(by_name())}")
    if given.sanitizer:
        return runs.run(names, lambda line: print(line, flush=True))
    kept = given.folder / "rows.jsonl" if given.folder else None
    rows = known(kept)
    begun = time.process_time()
    for name in (one for one in names if one not in rows):
        rows[name] = row(by_name()[name])
        print(f"{time.process_time() - begun:.0f} s", "" if is_good(rows[name]) else "BAD", rows[name], flush=True)
        if kept:
            kept.parent.mkdir(parents=True, exist_ok=True)
            with kept.open("a") as file:
                file.write(json.dumps(rows[name]) + "\n")
    asked = [rows[name] for name in names]
    bad = [one for one in asked if not is_good(one)]
    print(f"{len(asked)} kernels, {len(bad)} bad: {', '.join(one['kernel'] for one in bad)}")
    if given.write:
        DOCUMENT.write_text(document([rows[one.name] for one in TABLE if one.name in rows]), encoding="utf-8")
    return 1 if bad else 0


def known(path: Path | None) -> dict[str, Row]:
    """Return the rows that an earlier run has written."""
    if path is None or not path.exists():
        return {}
    rows = [json.loads(line) for line in path.read_text().splitlines() if line.endswith("}")]
    return {one["kernel"]: one for one in rows}


def document(rows: list[Row]) -> str:
    """Return the text of docs/threads-kernels.md."""
    counts = Counter(one[order] for one in rows for order in ORDERS)
    many = ", ".join(map(str, (1, *THREADS)))
    neither = sum(counts.values()) - sum(counts[one] for one in RIGHT)
    raced = sum(bool(one["races"]) for one in rows)
    lines = [
        "# Kernels on threads",
        "",
        "Written by `python -m tests.threads --write`; see [threads](threads.md). The kernels stand in `tests/threads/kernels/`,",
        "each with its gradient by hand.",
        "",
        f"Every order of every kernel is asked with plain loops and on {many} threads, and compared with the answer by hand",
        "(second orders: a complex step of it). `threads` and `plain` say that all are right, and that the bits are the same: in",
        f"each run with as many threads, and with any number of threads in {PARTS} parts. `plain`: no loop ran on several threads.",
        f"`none` in the last column: no two parts touch one number that one of them writes ({', '.join(WATCHED)}): each load and store",
        "of all parts is compared with those of all others, whatever threads would have done.",
        "",
        f"{len(rows)} kernels; {sum(counts.values())} answers: {counts[FORKED]} on threads, {counts[PLAIN]} with plain loops,",
        f"{counts[ONLY]} on threads where plain loops are refused (`{ONLY}`), {neither} neither; {raced} kernels with races.",
        *_pending(rows),
        "",
        "| kernel | " + " | ".join(ORDERS) + " | why plain | races |",
        "| --- |" + " --- |" * (len(ORDERS) + 2),
    ]
    for one in rows:
        words = [f"`{one['kernel']}`", *(one[order] for order in ORDERS), one["why"], one["races"] or "none"]
        lines.append("| " + " | ".join(word.replace("|", "/") for word in words) + " |")
    return "\n".join([*lines, ""])


def _pending(rows: list[Row]) -> list[str]:
    """Return the line that names what was not asked yet."""
    done = {one["kernel"] for one in rows}
    names = [f"`{one.name}`" for one in TABLE if one.name not in done]
    return ["", f"Not asked yet ({len(names)}): {', '.join(names)}."] if names else []


if __name__ == "__main__":
    sys.exit(main())
