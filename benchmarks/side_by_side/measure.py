"""Warm times: answers compared first, then rounds in which every tool runs once."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np

from . import problems
from .processes import Settings, Worker

Line = dict[str, Any]
WITH_PRIMAL = ("c", "cfast", "ours")
TOLERANCE = 1e-8
SLICE = 0.04  # seconds of a tool in a round, if one call takes no longer
MOST = 2.0  # seconds of all rounds of one call: after these no round begins


@dataclass(frozen=True)
class Workload:
    """A problem of one size."""

    problem: str
    numbers: problems.Numbers

    def line(self, tool: str, function: str) -> Line:
        """Begin a line of the results."""
        size = problems.described(self.numbers)
        line = {"part": "warm", "problem": self.problem, "size": size, "numbers": self.numbers}
        return {**line, "tool": tool, "function": function}


def difference(found: Any, wanted: Any) -> float:
    """Return how far an answer is from another, beside the largest number of that."""
    if found.shape != wanted.shape:
        return float("inf")
    largest = float(np.max(np.abs(wanted))) or 1.0
    return float(np.max(np.abs(found - wanted))) / largest


def warm(names: list[str], sizes: str, settings: Settings) -> Iterator[Line]:
    """Yield a line for each workload, function and tool."""
    for problem in names:
        workers = {tool: Worker(tool, settings) for tool in settings.tools}
        for numbers in problems.workloads(problem, sizes):
            workload = Workload(problem, numbers)
            if time.monotonic() > settings.until:
                yield {**workload.line("ours", "gradient"), "error": "left out: no time was left"}
                continue
            for tool, worker in workers.items():
                if worker.ended():
                    workers[tool] = Worker(tool, settings)
            yield from measured(workload, workers, settings)
        for worker in workers.values():
            worker.close()


def measured(workload: Workload, workers: dict[str, Worker], settings: Settings) -> Iterator[Line]:
    """Check, then time."""
    lines = []
    for function in ("gradient", "primal"):
        using = {t: w for t, w in workers.items() if function == "gradient" or t in WITH_PRIMAL}
        lines += compared(workload, function, using)
    timed = [line for line in lines if "error" not in line]
    in_rounds(timed, workers, settings)
    for line in timed:
        if line["rounds"]:
            line["minimum"] = min(min(times) for times in line["rounds"])
            line["median"] = median(median(times) for times in line["rounds"])
            line["rounds"] = [min(times) for times in line["rounds"]]
    for worker in workers.values():
        worker.ask("forget")
    yield from lines


def compared(workload: Workload, function: str, workers: dict[str, Worker]) -> Iterator[Line]:
    """Make the calls ready; the first tool that answers is what the others are compared with."""
    wanted = None
    with tempfile.TemporaryDirectory() as folder:
        for tool, worker in workers.items():
            line = workload.line(tool, function)
            file = f"{folder}/{tool}.npy"
            asked = {"problem": workload.problem, "numbers": workload.numbers, "answer": file}
            line |= worker.ask("prepare", name=function, function=function, **asked)
            if "error" not in line:
                found = np.load(file)
                wanted = found if wanted is None else wanted
                line["difference"] = difference(found, wanted)
                if not line["difference"] <= TOLERANCE:
                    line["error"] = f"the answer differs by {line['difference']:.1e}"
            yield line


def in_rounds(lines: list[Line], workers: dict[str, Worker], settings: Settings) -> None:
    """Time all calls once in each round, in turn from the first and from the last."""
    for line in lines:
        line |= {"rounds": [], "clock": settings.clock}
    for number in range(settings.rounds):
        for line in lines if number % 2 else reversed(lines):
            if "error" in line or sum(sum(one) for one in line["rounds"]) > MOST:
                continue
            asked = {"name": line["function"], "seconds": SLICE, "clock": settings.clock}
            reply = workers[line["tool"]].ask("time", **asked)
            if "error" in reply:
                line["error"] = reply["error"]
            else:
                line["rounds"].append(reply["times"])
