"""A process that asks about functions, see tests/numba_suite/worker.py: a request names one, with the type of numbers and the way."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

from tests.c_functions.functions import FUNCTIONS
from tests.c_functions.questions import verdicts
from tests.enzyme_suite.programs import newest_clang
from tests.numba_suite.worker import answered, megabytes


def _answer(request: dict[str, Any], say: Any) -> None:
    key = request["test"]
    if key not in request["known"]:  # else a process died of it
        name, kind, way = key.split(", ")
        say(begin=key)
        begun = time.process_time()
        with tempfile.TemporaryDirectory() as folder:
            found = list(verdicts(FUNCTIONS[name], kind, way, Path(folder), newest_clang() or ""))
        say(key=key, outcomes=found, seconds=time.process_time() - begun)
    say(end=True, left={}, seconds=0.0, megabytes=megabytes())


if __name__ == "__main__":
    answered(_answer)
