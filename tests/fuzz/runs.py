"""Runs of the fuzzer: kernels spread over processes that may die, and the summary.

A worker reads numbers of kernels and writes one JSON line for each. One that dies takes only the kernel that it
was at: that counts as a crash, and a new worker goes on behind it.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tests.fuzz import grammar
from tests.fuzz.shrink import shrunk

LIMIT = 300.0  # seconds for one kernel
EVERY = 4  # second orders are asked of each fourth kernel
BAD = ("wrong", "crashed", "unexplained", "hung")


@dataclass
class Report:
    """What a run has found."""

    kernels: int = 0
    seconds: float = 0.0
    verdicts: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    features: Counter[str] = field(default_factory=Counter)
    bad: list[dict[str, Any]] = field(default_factory=list)

    def add(self, kernel: grammar.Kernel, outcomes: list[dict[str, str]]) -> None:
        """Count the answers of one kernel."""
        self.kernels += 1
        self.features.update(kernel.features)
        for one in outcomes:
            self.verdicts[f"{one['question']}: {one['verdict']}"] += 1
            if one["verdict"] in ("refused", "pass crashed"):
                self.refusals[f"{one['question']}: {one['reason']}"] += 1
            if one["verdict"] in BAD:
                self.bad.append({"seed": kernel.seed, **one})

    def text(self) -> str:
        """Return the summary."""
        lines = [f"{self.kernels} kernels in {self.seconds:.0f} s, {len(self.bad)} bad answers"]
        for title, counter in (
            ("answers", self.verdicts),
            ("refusals", self.refusals),
            ("features", self.features),
        ):
            lines.append(f"{title}:")
            lines += [f"  {count:6d}  {name}" for name, count in counter.most_common()]
        lines += [f"BAD {json.dumps(one)}" for one in self.bad]
        return "\n".join(lines)


class Worker:
    """One process that asks the questions."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "tests.fuzz.worker"]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=Path(__file__).resolve().parent.parent.parent,
        )

    def ask(self, source: str, seed: int, *, is_second: bool) -> list[dict[str, str]] | None:
        """Return the answers, or None if the process died or hung; then it is gone."""
        request = {"source": source, "seed": seed, "is_second": is_second}
        timer = threading.Timer(LIMIT, self._process.kill)
        timer.start()
        try:
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        finally:
            timer.cancel()
        if not line:
            self._process.wait()
            self.close()
            return None
        answers: list[dict[str, str]] = json.loads(line)
        return answers

    @property
    def status(self) -> int | None:
        """The exit status of a process that is gone."""
        return self._process.poll()

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(BrokenPipeError):
                if pipe is not None:
                    pipe.close()


class _Work:
    """What the threads of a run share: one thread for each worker."""

    def __init__(self, seeds: Iterable[int], size: int, tell: Callable[[str], None]) -> None:
        self.report = Report()
        self._size, self._tell = size, tell
        self._lock = threading.Lock()
        self._pending: queue.SimpleQueue[int] = queue.SimpleQueue()
        for seed in seeds:
            self._pending.put(seed)

    def go(self) -> None:
        """Ask all questions of one kernel after the other."""
        worker = Worker()
        with contextlib.suppress(queue.Empty):
            while True:
                kernel = grammar.kernel(self._pending.get_nowait(), self._size)
                is_second = kernel.seed % EVERY == 0
                answers = worker.ask(kernel.source, kernel.seed, is_second=is_second)
                if answers is None:
                    reason = f"the process ended with {worker.status}"
                    answers = [{"question": "all", "verdict": "crashed", "reason": reason}]
                    worker = Worker()
                with self._lock:
                    self._take(kernel, answers)
        worker.close()

    def _take(self, kernel: grammar.Kernel, answers: list[dict[str, str]]) -> None:
        self.report.add(kernel, answers)
        for one in answers:
            if one["verdict"] in BAD:
                self._tell(f"BAD seed {kernel.seed}: {json.dumps(one)}")
        if self.report.kernels % 20 == 0:
            self._tell(f"{self.report.kernels} kernels, {len(self.report.bad)} bad")


def run(seeds: Iterable[int], workers: int, tell: Callable[[str], None], size: int = 6) -> Report:
    """Ask all questions of the kernels of these seeds."""
    work, begun = _Work(seeds, size, tell), time.monotonic()
    threads = [threading.Thread(target=work.go) for _ in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    work.report.seconds = time.monotonic() - begun
    return work.report


def smallest(kernel: grammar.Kernel, question: str, verdict: str) -> str:
    """Return a small kernel that has the same bad answer."""
    workers = [Worker()]

    def fails(source: str) -> bool:
        answers = workers[0].ask(source, kernel.seed, is_second=True)
        if answers is None:
            workers[0] = Worker()
            return verdict == "crashed"
        return any(one["question"] == question and one["verdict"] == verdict for one in answers)

    try:
        return shrunk(kernel.source, fails)
    finally:
        workers[0].close()


def cores() -> int:
    """Return the number of processes that a run uses."""
    return len(os.sched_getaffinity(0))


def as_json(outcomes: Iterable[Any]) -> str:
    """Return the line that a worker writes."""
    return json.dumps([asdict(one) for one in outcomes])
