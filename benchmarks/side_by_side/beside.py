"""Cold starts, and time and memory against size."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from statistics import median
from typing import Any

from . import problems
from .processes import Settings, Worker

Line = dict[str, Any]
SIZES = [10**exponent for exponent in range(3, 8)]
# So few coefficients that a library which keeps all powers has memory for them.
SCALED: dict[str, Any] = {"lse": lambda n: {"n": n}, "llsq": lambda n: {"n": n, "m": 16}}


def cold(names: list[str], settings: Settings) -> Iterator[Line]:
    """Yield, for new processes, what importing takes and what the first call does."""
    for problem in names:
        if time.monotonic() > settings.until:
            yield {"part": "cold", "problem": problem, "what": "ours", "error": "no time was left"}
            continue
        with tempfile.TemporaryDirectory() as cache, tempfile.TemporaryDirectory() as empty:
            ways = {
                "ours": ("ours", "gradient", cache),
                "ours, from the disk cache": ("ours", "gradient", cache),
                "Numba, the primal": ("ours", "primal", cache),
                "by hand, Numba": ("numba", "gradient", cache),
                "by hand, C": ("c", "gradient", empty),
                "JAX": ("jax", "gradient", cache),
                "PyTorch": ("torch", "gradient", cache),
                "CasADi": ("casadi", "gradient", cache),
            }
            for what, (tool, function, folder) in ways.items():
                if tool not in settings.tools:
                    continue
                named = {"ENZYME_PY_CACHE_DIR": folder}
                if tool == "c":
                    named["TMPDIR"] = folder
                worker = Worker(tool, settings, **named)
                line = {"part": "cold", "problem": problem, "what": what, **worker.greeting}
                numbers = problems.workloads(problem, "small")[0]
                asked = {"problem": problem, "numbers": numbers, "function": function}
                yield line | worker.ask("prepare", name="only", **asked)
                worker.close()


def scaled(names: list[str], settings: Settings) -> Iterator[Line]:
    """Yield seconds and bytes against n, tool by tool."""
    for problem, numbers_of in SCALED.items():
        for tool in settings.tools:
            if problem not in names or tool in ("numba", "cfast"):
                continue
            worker = Worker(tool, settings)
            asked = {"problem": problem, "function": "gradient", "name": "only"}
            worker.ask("prepare", numbers=numbers_of(100), **asked)
            before = worker.ask("resident").get("bytes", 0)
            for n in SIZES:
                line = {"part": "size", "problem": problem, "tool": tool, "n": n}
                if time.monotonic() > settings.until:
                    yield {**line, "error": "no time was left"}
                    continue
                worker.ask("forget")
                line |= worker.ask("prepare", numbers=numbers_of(n), **asked)
                if "error" not in line:
                    line |= worker.ask("memory", name="only", before=before)
                    line |= _timed(worker, settings)
                yield line
            worker.close()


def _timed(worker: Worker, settings: Settings) -> Line:
    reply = worker.ask("time", name="only", seconds=0.1, clock=settings.clock)
    if "error" in reply:
        return reply
    return {"minimum": min(reply["times"]), "median": median(reply["times"])}
