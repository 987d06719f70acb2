"""A process that asks about seeds, see tests/numba_suite/worker.py; CALLED_CALLS says what stays a call, CALLED_SECOND asks for second orders, CALLED_GRAMMAR names the grammar."""

from __future__ import annotations

import os
import time
from dataclasses import asdict
from typing import Any

from tests.called.kernels import arguments, kernel
from tests.numba_suite.questions import outcomes
from tests.numba_suite.recording import Call
from tests.numba_suite.worker import answered, megabytes
from tests.passes.switches import leave_out

# What stays a call, and the switch for it.
CALLS = {"all": "LLVM's inlining", "users": "LLVM's inlining of users' functions", "large": ""}


def _answer(request: dict[str, Any], say: Any) -> None:
    seed, begun = int(request["test"]), time.process_time()
    key = str(seed)
    if key not in request["known"]:  # of which no process died
        say(begin=key)
        asked = kernel(seed, os.environ.get("CALLED_GRAMMAR", "narrow"))
        found = outcomes(Call(key, asked, arguments(seed), False), bool(os.environ.get("CALLED_SECOND")))
        say(key=key, outcomes=[asdict(one) for one in found], seconds=time.process_time() - begun)
    say(end=True, left={}, seconds=0.0, megabytes=megabytes())


if __name__ == "__main__":
    switch = CALLS[os.environ.get("CALLED_CALLS", "all")]
    if switch:
        leave_out(switch)
    answered(_answer)
