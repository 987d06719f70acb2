"""Runs of the fuzzer: kernels spread over processes that may die, and what they find.

A worker reads numbers of kernels and writes one JSON line for each. One that dies takes only the kernel that it
was at: that counts as a crash, and a new worker goes on behind it. Workers live for some hundred kernels only, because
Numba frees nothing. With a folder, every answer is kept in it, a run goes on where it was interrupted, and kernels
with bad answers are written there, as they are and made small.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from enzyme_py.foundations.progress import counted
from tests.fuzz import grammar
from tests.fuzz.checks import BAD
from tests.fuzz.report import Report, kept, without_names
from tests.fuzz.shrink import shrunk

LIMIT = 300.0  # seconds of a processor for one kernel
LIMITS = 6  # times that, on the clock
KERNELS = 400  # of one process: the first twenty take twice as long, each leaves two megabytes
MEGABYTES = 3000  # of one process: a kernel of loops on threads leaves forty
_ROOT = Path(__file__).resolve().parent.parent.parent


def started(module: str, own: Mapping[str, str]) -> subprocess.Popen[str]:
    """Start a module as a process that is asked line by line, with variables of its own in the environment."""
    return subprocess.Popen(
        [sys.executable, "-m", module],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=_ROOT,
        # Numba's own code is only compared with, not measured; with 0, Numba 0.68 dies of `for k in {1, 2, 3}`.
        env={**os.environ, "NUMBA_OPT": "1", **own},
        start_new_session=True,  # Ctrl-C is for the run; a worker that dies of it is no crash
    )


def close_pipes(process: subprocess.Popen[str]) -> None:
    """Close what a process that is gone was asked by."""
    for pipe in (process.stdin, process.stdout):
        with contextlib.suppress(BrokenPipeError):
            if pipe is not None:
                pipe.close()


class Worker:
    """One process that asks the questions."""

    def __init__(
        self, cache: Path | None = None, without: str | None = None, *, is_guided: bool = False
    ) -> None:
        """Start the process, without one of the passes if tests are to see that the fuzzer would miss it.

        A guided one says what was reached, and asks no questions of what is no kernel in plain Python.
        """
        own = {"FUZZ_GUIDED": "1"} if is_guided else {}
        if without is not None:
            own["FUZZ_WITHOUT"] = without
        if cache is not None:
            own["ENZYME_PY_CACHE_DIR"] = str(cache)
        self._process = started("tests.fuzz.worker", own)
        self.asked = 0

    def ask(
        self, source: str, seed: int, questions: Collection[str] | None = None
    ) -> dict[str, Any] | None:
        """Return the answers, or None if the process died or hung; then it is gone."""
        self.asked += 1
        names = None if questions is None else list(questions)
        request = {"source": source, "seed": seed, "questions": names}
        self._watch(self._seconds() + LIMIT, LIMITS)
        try:
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = ""
        finally:
            self._timer.cancel()
        if not line:
            self._process.wait()
            self.close()
            return None
        answers: dict[str, Any] = json.loads(line)
        return answers

    def _watch(self, end: float, left: int) -> None:
        """Kill the process when it has used its time of a processor, or much more of the clock, which others share."""

        def look() -> None:
            if left and self._seconds() < end:
                self._watch(end, left - 1)
            else:
                self._process.kill()

        self._timer = threading.Timer(LIMIT, look)
        self._timer.start()

    def _seconds(self) -> float:
        """Return what the process has used of a processor."""
        with contextlib.suppress(OSError, IndexError):
            fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        return float("inf")

    @property
    def status(self) -> int | None:
        """The exit status of a process that is gone."""
        return self._process.poll()

    def kill(self) -> None:
        """End the process at once; who waits for an answer gets none."""
        self._process.kill()

    def close(self) -> None:
        """End the process."""
        self.kill()
        self._process.wait()
        close_pipes(self._process)


class _Run:
    """What the threads of a run share: one thread for each worker."""

    def __init__(
        self,
        seeds: Iterable[int],
        size: int | None,
        tell: Callable[[str], None],
        folder: Path | None,
        cache: Path,
        questions: Collection[str] | None,
        name: str | None,
    ) -> None:
        self.report = Report(grammar=name)
        self._size, self._tell, self._cache, self._questions = size, tell, cache, questions
        self._lock = threading.Lock()
        self.count: Callable[[int, str], None] = lambda done, step: None
        self._workers: list[Worker] = []
        self._is_stopped = False
        self._kept = folder / f"answers{'-' * bool(name)}{name or ''}.jsonl" if folder else None
        done = {one["seed"]: one for one in kept(self._kept)} if self._kept else {}
        self._pending: queue.SimpleQueue[int] = queue.SimpleQueue()
        for seed in seeds:
            if seed in done:
                self.report.add(seed, size, done[seed])
            else:
                self._pending.put(seed)

    def go(self) -> None:
        """Ask all questions of one kernel after the other."""
        worker = self._started()
        with contextlib.suppress(queue.Empty):
            while not self._is_stopped:
                kernel = grammar.kernel(self._pending.get_nowait(), self._size, self.report.grammar)
                answer = worker.ask(kernel.source, kernel.seed, self._questions)
                if self._is_stopped:
                    break
                if answer is None:
                    verdict = "hung" if worker.status == -9 else "crashed"
                    reason = f"the process ended with {worker.status}"
                    one = {"question": "all", "verdict": verdict, "reason": reason}
                    answer = {"outcomes": [one]}
                is_full = worker.asked >= KERNELS or answer.get("megabytes", 0) > MEGABYTES
                if worker.status is not None or is_full:
                    self._ended(worker)
                    worker = self._started()
                with self._lock:
                    self._take(kernel.seed, answer)
        self._ended(worker)

    def stop(self) -> None:
        """Ask nothing more. The kernels at hand have no answer: a run that goes on asks them again."""
        self._is_stopped = True
        for worker in list(self._workers):
            worker.kill()

    def _started(self) -> Worker:
        worker = Worker(self._cache)
        self._workers.append(worker)
        return worker

    def _ended(self, worker: Worker) -> None:
        self._workers.remove(worker)
        worker.close()

    def _take(self, seed: int, answer: dict[str, Any]) -> None:
        self.report.add(seed, self._size, answer)
        if self._kept:
            with self._kept.open("a") as file:
                file.write(json.dumps({"seed": seed, **answer}) + "\n")
        for one in answer["outcomes"]:
            if one["verdict"] in BAD:
                self._tell(f"BAD seed {seed}: {json.dumps(one)}")
        self.count(self.report.kernels, f"{len(self.report.bad)} bad")
        if self.report.kernels % 50 == 0:
            self._tell(f"{self.report.kernels} kernels, {len(self.report.bad)} bad")


def run(
    seeds: Iterable[int],
    workers: int,
    tell: Callable[[str], None],
    size: int | None = None,
    folder: Path | None = None,
    questions: Collection[str] | None = None,
    name: str | None = None,
) -> Report:
    """Ask questions of the kernels of these seeds, all or those they draw, from an empty cache of derivatives.

    The kernels are of the grammar of this name, or of those that the seeds draw.
    """
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
    begun = time.monotonic()
    seeds = list(seeds)
    with (
        tempfile.TemporaryDirectory(prefix="enzyme_py_fuzz_") as cache,
        counted("fuzz", len(seeds)) as count,
    ):
        work = _Run(seeds, size, tell, folder, Path(cache), questions, name)
        work.count = count
        threads = [threading.Thread(target=work.go) for _ in range(workers)]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                thread.join()
        except BaseException:  # a signal: see the command
            work.stop()
            for thread in threads:
                thread.join()
            raise
    work.report.seconds = time.monotonic() - begun
    return work.report


def smallest(
    source: str,
    seed: int,
    question: str,
    verdict: str,
    reason: str = "",
    attempts: int = 300,
    *,
    is_guided: bool = False,
) -> str:
    """Return a small kernel that has the same answer: refused with the same words, if they are given."""
    names = None if question == "all" else [question]
    workers = [Worker(is_guided=is_guided)]
    ends: list[int | None] = []  # how the process ended each time, that of the kernel itself first

    def fails(source: str) -> bool:
        answer = workers[0].ask(source, seed, names)
        if answer is None:
            ends.append(workers[0].status)
            workers[0] = Worker(is_guided=is_guided)
            return verdict in ("crashed", "hung") and ends[-1] == ends[0]
        found = answer["outcomes"]
        return any(
            one["question"] == question
            and one["verdict"] == verdict
            and (not reason or without_names(one["reason"]) == without_names(reason))
            for one in found
        )

    try:
        fails(source)
        return shrunk(source, fails, attempts)
    finally:
        workers[0].close()


def cores() -> int:
    """Return the number of processes that a run uses."""
    return len(os.sched_getaffinity(0))
