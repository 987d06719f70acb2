"""The command: see the package."""

from __future__ import annotations

import argparse
import sys

from tests.traps.document import DOCUMENT, page
from tests.traps.trap import judged, passed, traps


def main() -> int:
    """Ask about all traps, or the named ones; the exit status is 1 if one does not do what its file says."""
    parser = argparse.ArgumentParser(prog="python -m tests.traps")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--show", action="store_true", help="what the pass said and made, too")
    parser.add_argument("--write", action="store_true", help="write docs/traps.md")
    given = parser.parse_args()
    if given.write and given.names:
        parser.error("the document is about all traps")
    verdicts = {}
    for trap in traps(tuple(given.names)):
        verdict = verdicts[trap.name] = judged(trap)
        told = "mended" if verdict.is_mended else "needed still"
        print(f"{trap.name:32} {told:14} {verdict.kind}: {verdict.detail}"[:160].rstrip(": "))
        if not verdict.is_mended and verdict.kind != trap.keys["symptom"]:
            print(f"{'':32} its file says: {trap.keys['symptom']}")
        if verdict.differences:
            print(f"{'':32} differences do not agree with its right answer: {verdict.differences}")
        if given.show:
            outcome = passed(trap)
            print(outcome.log, outcome.output, sep="\n")
    if given.write:
        DOCUMENT.write_text(page(traps(), verdicts), encoding="utf-8")
    return int(
        any(
            v.kind != t.keys["symptom"]
            for t in traps(tuple(given.names))
            for v in [verdicts[t.name]]
        )
    )


if __name__ == "__main__":
    sys.exit(main())
