"""A process that asks about programs, see tests/numba_suite/worker.py: each in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from typing import Any

from tests.numba_suite.worker import answered, megabytes

LIMIT = 100.0  # seconds for one program
_STATED = "Assertion Failed"  # what programs say of a wrong number


def outcome(file: str, clang: str, level: str) -> dict[str, str]:
    """Run a program in a process of its own; return verdict and reason."""
    command = [sys.executable, "-m", "tests.enzyme_suite.program", file, clang, level]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False)
    except subprocess.TimeoutExpired:
        return {"verdict": "hung", "reason": f"{LIMIT:.0f} s"}
    if done.returncode == 0 and done.stdout.strip():
        found: dict[str, str] = json.loads(done.stdout)
        return found
    said = [line for line in done.stderr.splitlines() if _STATED in line]
    if said:
        return {"verdict": "wrong", "reason": said[0]}
    last = done.stderr.strip().splitlines()[-1:] or [""]
    return {"verdict": "crashed", "reason": f"the process ended with {done.returncode}: {last[0]}"}


def _answer(request: dict[str, Any], say: Any) -> None:
    file, level = request["test"].split("::")
    key = f"{os.path.basename(os.path.dirname(file))}/{os.path.basename(file)} {level}"
    begun = time.monotonic()
    say(begin=key)
    found = {"question": "program", **outcome(file, os.environ["SUITE_CLANG"], level)}
    say(key=key, outcomes=[found], seconds=time.monotonic() - begun)
    say(end=True, left={}, seconds=0.0, megabytes=megabytes())


if __name__ == "__main__":
    answered(_answer)
