"""A process that measures rows: their names come in by lines, findings go out by lines of JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator

from tests.coverage.in_loops import SUFFIX, measure_in_a_loop
from tests.coverage.measure import ALL_ORDERS, Finding, measure, measure_edge
from tests.coverage.of_sizes import BEHIND, measure_sizes
from tests.coverage.tables import EDGES, ROWS
from tests.tensors import KERNELS


def _findings(name: str) -> Iterator[Finding]:
    if name in EDGES:
        return measure_edge(EDGES[name])
    if name in KERNELS:
        return measure(KERNELS[name], tuple(ALL_ORDERS))
    if BEHIND in name:
        return measure_sizes(name)
    return measure_in_a_loop(name) if name.endswith(SUFFIX) else measure(ROWS[name])


def main() -> None:
    """Answer until the input ends. Only findings go to the standard output."""
    answers, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        name = line.strip()
        for finding in _findings(name):
            answers.write(json.dumps(finding.as_json()) + "\n")
            answers.flush()
        answers.write(json.dumps(None) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
