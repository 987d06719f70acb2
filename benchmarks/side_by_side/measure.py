"""Runs the tools in processes of their own, compares answers, and times them in turn."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from . import problems

TOOLS = ("c", "ours", "numba", "jax", "torch")
WITH_PRIMAL = ("c", "ours")
TOLERANCE = 1e-8
SLICE = 0.04  # seconds of a tool in a round, if one call takes no longer
MOST = 12.0  # seconds of all rounds of one workload, for each tool


@dataclass(frozen=True)
class Settings:
    """Which tools run, by which interpreters, how often, and on which core."""

    tools: list[str]
    pythons: dict[str, str]
    rounds: int
    core: int


class Worker:
    """A tool in its process."""

    def __init__(self, tool: str, settings: Settings, environment: dict[str, str] | None = None):
        python = settings.pythons.get(tool, sys.executable)
        program = Path(__file__).with_name("worker.py")
        self.log = tempfile.TemporaryFile("w+")  # noqa: SIM115  # lives as long as the worker
        self.process = subprocess.Popen(
            [python, str(program), tool, str(settings.core)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            text=True,
            env={**os.environ, **(environment or {})},
        )
        self.greeting = self._reply()

    def ask(self, do: str, **message: Any) -> dict[str, Any]:
        """Send a message and return the reply; a process that ended gives an error."""
        if self.process.poll() is None:
            print(json.dumps({"do": do, **message}), file=self.process.stdin, flush=True)
        return self._reply()

    def _reply(self) -> dict[str, Any]:
        line = self.process.stdout.readline()  # type: ignore[union-attr]
        if line:
            return json.loads(line)
        code = self.process.wait()
        self.log.seek(0)
        last = (self.log.read().strip().splitlines() or ["nothing said"])[-1]
        return {"error": f"the process ended with {code}: {last[:200]}"}

    def close(self) -> None:
        """End the process."""
        self.process.stdin.close()  # type: ignore[union-attr]
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()


def difference(found: Any, wanted: Any) -> float:
    """Return how far an answer is from another, beside the largest number of that."""
    if found.shape != wanted.shape:
        return float("inf")
    largest = float(np.max(np.abs(wanted))) or 1.0
    return float(np.max(np.abs(found - wanted))) / largest


def warm(names: list[str], sizes: str, settings: Settings) -> Iterator[dict[str, Any]]:
    """Yield a line for each workload, tool and function."""
    for problem in names:
        workers = {tool: Worker(tool, settings) for tool in settings.tools}
        for tool, worker in workers.items():
            if "error" in worker.greeting:
                yield {"problem": problem, "tool": tool, "error": worker.greeting["error"]}
        ready = {tool: one for tool, one in workers.items() if "error" not in one.greeting}
        for numbers in problems.workloads(problem, sizes):
            for tool, worker in ready.items():
                if worker.process.poll() is not None:
                    ready[tool] = Worker(tool, settings)
            yield from workload(problem, numbers, ready, settings)
        for worker in {**workers, **ready}.values():
            worker.close()


def workload(
    problem: str, numbers: dict[str, int], workers: dict[str, Worker], settings: Settings
) -> Iterator[dict[str, Any]]:
    """Check, then time."""
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for function in ("gradient", "primal"):
            using = [tool for tool in workers if function == "gradient" or tool in WITH_PRIMAL]
            answers: dict[str, Any] = {}
            for tool in using:
                file = f"{folder}/{tool}-{function}.npy"
                asked = {"problem": problem, "numbers": numbers, "function": function}
                line = {"problem": problem, "size": problems.described(numbers), "tool": tool}
                line |= {"numbers": numbers, "function": function}
                line |= workers[tool].ask("prepare", name=function, answer=file, **asked)
                if "error" not in line:
                    answers[tool] = np.load(file)
                    line["difference"] = difference(answers[tool], answers[next(iter(answers))])
                    if not line["difference"] <= TOLERANCE:
                        line["error"] = f"the answer differs by {line['difference']:.1e}"
                lines.append(line)
    timed = [line for line in lines if "error" not in line]
    for line in timed:
        line["rounds"] = []
    # The first runs of a round are those that ran last in the round before, and so on.
    for number in range(settings.rounds):
        for line in timed if number % 2 else reversed(timed):
            if "error" in line or sum(sum(one) for one in line["rounds"]) > MOST:
                continue
            reply = workers[line["tool"]].ask("time", name=line["function"], seconds=SLICE)
            if "error" in reply:
                line["error"] = reply["error"]
            else:
                line["rounds"].append(reply["times"])
    for line in timed:
        if line["rounds"]:
            line["minimum"] = min(min(times) for times in line["rounds"])
            line["median"] = median(median(times) for times in line["rounds"])
            line["rounds"] = [min(times) for times in line["rounds"]]
    for worker in workers.values():
        if worker.process.poll() is None:
            worker.ask("forget")
    yield from lines
