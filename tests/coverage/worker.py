"""A process that measures rows: their names come in by lines, findings go out by lines of JSON."""

from __future__ import annotations

import json
import sys

from tests.coverage.measure import measure, measure_edge
from tests.coverage.tables import EDGES, ROWS


def main() -> None:
    """Answer until the input ends. Only findings go to the standard output."""
    answers, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        name = line.strip()
        findings = measure_edge(EDGES[name]) if name in EDGES else measure(ROWS[name])
        for finding in findings:
            answers.write(json.dumps(finding.as_json()) + "\n")
            answers.flush()
        answers.write(json.dumps(None) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
