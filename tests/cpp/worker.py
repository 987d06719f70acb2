"""A process that asks about seeds, see tests/numba_suite/worker.py; CPP_WAYS names the ways, if not those of each seed."""

from __future__ import annotations

import functools
import os
import tempfile
import time
from pathlib import Path
from typing import Any

from enzyme_py.settings import settings
from tests.cpp.grammar import kernel
from tests.cpp.programs import TOGETHER, Batch, compiled, level, ways
from tests.cpp.questions import answers
from tests.enzyme_suite.programs import newest_clang
from tests.numba_suite.worker import answered, megabytes

_ASKED = tuple(one for one in os.environ.get("CPP_WAYS", "").split(",") if one)

settings.time_limit = 60.0  # below what a process may be silent for: the pass can go on and on, and refuses then


@functools.lru_cache(maxsize=1)
def batch(first: int) -> Batch:
    """Return the kernels from a seed on."""
    compiler = newest_clang()
    assert compiler is not None
    with tempfile.TemporaryDirectory() as folder:
        kernels = {f"k{seed}": kernel(seed, f"k{seed}") for seed in range(first, first + TOGETHER)}
        return compiled(kernels, Path(folder), compiler, level(first))


def _answer(request: dict[str, Any], say: Any) -> None:
    seed = int(request["test"])
    key = str(seed)
    if key not in request["known"]:  # else a process died of it
        code = batch(seed - seed % TOGETHER)
        say(begin=key)
        begun = time.process_time()
        found = [
            {"question": way, "verdict": verdict.partition(":")[0], "reason": verdict.partition(": ")[2]}
            for way, verdict in answers(code, f"k{seed}", seed, _ASKED or ways(seed))
        ] or [{"question": "all", "verdict": "not asked", "reason": "numbers that are too large"}]
        say(key=key, outcomes=found, seconds=time.process_time() - begun)
    say(end=True, left={}, seconds=0.0, megabytes=megabytes())


if __name__ == "__main__":
    answered(_answer)
