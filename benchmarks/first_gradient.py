"""One process that asks for one gradient and reports, as JSON, where the time went.

Started by whole_trip.py with an empty cache folder, then again with the one that it left; with the
argument `plain`, what a first call of the plain njit function costs in its place.
"""

from __future__ import annotations

import json
import sys
import time

begin = time.perf_counter()
import numba

numba_imported = time.perf_counter()
import enzyme_py as enzyme

imported = time.perf_counter()

from kernels import two_numbers


def main() -> None:
    kernel = two_numbers(1.2, 0.7)
    start = time.perf_counter()
    if sys.argv[1:] == ["plain"]:
        numba.njit(kernel.function)(*kernel.args)
    else:
        kernel.check(enzyme.gradient(kernel.function, *kernel.args))
    finish = time.perf_counter()
    stages: dict[str, float] = {}
    for record in enzyme.inspect.timings():
        stages[record.stage] = stages.get(record.stage, 0.0) + record.seconds
    report = {
        "import numba": numba_imported - begin,
        "import enzyme_py": imported - numba_imported,
        "first call": finish - start,
        "stages": stages,
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main()
