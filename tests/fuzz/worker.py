"""A process that asks the questions of kernels it is given, see runs.py."""

from __future__ import annotations

import json
import os
import sys

from numba.core.errors import NumbaError

from enzyme_py.native.runtime import library
from tests.fuzz.checks import Inconclusive, Outcome, outcomes
from tests.fuzz.runs import as_json


def main() -> None:
    """Answer until the input ends; whatever else prints does not disturb the answers."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    library().enzyme_py_scribble(1)  # fresh memory holds NaN, so that nothing rests on luck
    for line in sys.stdin:
        request = json.loads(line)
        try:
            found = outcomes(request["source"], request["seed"], is_second=request["is_second"])
        except (NumbaError, NameError, ZeroDivisionError, IndexError) as error:
            found = [Outcome("numba", "inconclusive", str(error).split("\n")[0])]
        except Inconclusive as error:
            found = [Outcome("value", "inconclusive", str(error))]
        print(as_json(found), file=answers, flush=True)


if __name__ == "__main__":
    main()
