"""A process that asks the questions of kernels it is given, see runs.py."""

from __future__ import annotations

import gc
import json
import os
import resource
import sys
import time
from dataclasses import asdict

from enzyme_py.native.runtime import library
from enzyme_py.settings import settings
from tests.fuzz import subject
from tests.fuzz.checks import outcomes
from tests.fuzz.guided.guide import Guide
from tests.fuzz.guided.interpreted import first_in_python
from tests.passes.switches import leave_out

COLLECTED = 40  # kernels, between two collections: they make a gigabyte of what refers to itself


def main() -> None:
    """Answer until the input ends; whatever else prints does not disturb the answers."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    settings.threads = 2  # of kernels with `prange`
    settings.compare_keys = True  # a finished derivative that another kernel's source finds is a defect
    library().enzyme_py_scribble(1)  # fresh memory holds NaN, so that nothing rests on luck
    if "FUZZ_WITHOUT" in os.environ:  # a cure, as tests/passes/switches.py names it
        leave_out(os.environ["FUZZ_WITHOUT"])
    subject.look = first_in_python()
    guide = Guide() if "FUZZ_GUIDED" in os.environ else None
    gc.disable()  # a sixth of the time
    for count, line in enumerate(sys.stdin, 1):
        request = json.loads(line)
        begun = time.process_time()
        asked = request["source"], request["seed"], request["questions"]
        found, told = guide.asked(*asked) if guide else (outcomes(*asked), {})
        answer = {
            "outcomes": [asdict(one) for one in found],
            **told,
            "seconds": time.process_time() - begun,
            "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        }
        print(json.dumps(answer), file=answers, flush=True)
        if count % COLLECTED == 0:
            gc.collect()
            if count == COLLECTED:
                gc.freeze()  # most of what is there by now stays


if __name__ == "__main__":
    main()
