"""A process that runs one tool: JSON lines in, JSON lines out, the clock in here.

    python worker.py TOOL CORE

`prepare` makes a call ready, runs it once (the first one compiles) and saves its answer; `time` runs it again for a while.
Nothing is read from the calls but their time: what they return is dropped before the next.
"""

from __future__ import annotations

import json
import os
import sys
import time

BEGUN = time.perf_counter()
THREADS = "OMP_NUM_THREADS OPENBLAS_NUM_THREADS MKL_NUM_THREADS NUMBA_NUM_THREADS".split()
os.environ |= dict.fromkeys(THREADS, "1")
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
os.environ["JAX_PLATFORMS"] = "cpu"

import importlib
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

MODULES = {"ours": "ours", "c": "by_hand_c", "numba": "by_hand_numba", "jax": "by_jax"}
MODULES |= {"cfast": "by_hand_c_fast", "torch": "by_torch"}
MODULES["casadi"] = "by_casadi"
SHORT = 1e-3  # calls are timed in groups that take as long


class Calls:
    """The calls that were made ready, by name."""

    def __init__(self, tool: str) -> None:
        sys.path[:0] = [str(Path(__file__).resolve().parent.parent)]
        self.module = importlib.import_module(f"side_by_side.{MODULES[tool]}")
        self.runs: dict[str, Callable[[], Any]] = {}

    def prepare(self, message: dict[str, Any]) -> dict[str, Any]:
        """Make a call ready, run it, save its answer."""
        import numpy as np

        from side_by_side import problems

        self.runs.pop(message["name"], None)
        given = problems.given(message["problem"], message["numbers"])
        begun = time.perf_counter()
        run, flat = self.module.prepared(message["problem"], message["function"], given)
        found = run()
        first = time.perf_counter() - begun
        if message.get("answer"):
            np.save(message["answer"], np.asarray(flat(found), dtype=float))
        self.runs[message["name"]] = run
        return {"first": first}

    def time(self, message: dict[str, Any]) -> dict[str, Any]:
        """Call for a while; return the seconds of one call, group by group."""
        run = self.runs[message["name"]]
        clock = time.process_time if message.get("clock") == "cpu" else time.perf_counter
        begun = clock()
        run()
        once = clock() - begun
        count = max(1, int(SHORT / max(once, 1e-7)))
        times = [once] if count == 1 else []
        while not times or sum(times) * count < message["seconds"]:
            begun = clock()
            for _ in range(count):
                run()
            times.append((clock() - begun) / count)
        return {"times": times}

    def memory(self, message: dict[str, Any]) -> dict[str, Any]:
        """Return the most memory during one call above what the process had before, in bytes."""
        run = self.runs[message["name"]]
        Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
        run()
        return {"bytes": _status("VmHWM") - message["before"]}

    def resident(self, message: dict[str, Any]) -> dict[str, Any]:
        """Return the memory of the process, in bytes."""
        return {"bytes": _status("VmRSS")}

    def forget(self, message: dict[str, Any]) -> dict[str, Any]:
        """Drop all calls and what they hold."""
        self.runs.clear()
        return {}


def _said(error: Exception) -> str:
    """Return an error in one short line."""
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]


def _status(name: str) -> int:
    """Return a line of the process's status in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith(name))


def main() -> None:
    tool, core = sys.argv[1], int(sys.argv[2])
    if core >= 0 and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {core})
    # Whatever tools print goes to stderr: the channel is ours.
    channel = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    try:
        calls = Calls(tool)
        reply: dict[str, Any] = {"ready": True, "import": time.perf_counter() - BEGUN}
    except Exception as error:  # noqa: BLE001  # whatever it is, the tool is left out
        reply = {"ready": False, "error": _said(error)}
    print(json.dumps(reply), file=channel, flush=True)
    for line in sys.stdin:
        message = json.loads(line)
        try:
            reply = getattr(calls, message["do"])(message)
        except Exception as error:  # noqa: BLE001  # likewise
            traceback.print_exc()
            reply = {"error": _said(error)}
        print(json.dumps(reply), file=channel, flush=True)


if __name__ == "__main__":
    main()
