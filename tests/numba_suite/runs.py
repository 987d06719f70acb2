"""A run: the tests of Numba one after the other, in processes that may die, and a file of what came out.

A process that dies or hangs takes the call that it was at: that counts as a crash, and a new one runs the same test again,
without the calls that have an answer. Processes live for some dozen tests only, because Numba frees nothing. A run that is
started again with the same folder goes on where it was interrupted.
"""

from __future__ import annotations

import contextlib
import json
import queue
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from tests.fuzz.checks import BAD
from tests.fuzz.report import kept
from tests.fuzz.runs import close_pipes, started
from tests.numba_suite.summary import Summary

LIMIT = 120.0  # seconds without a word
WORKER = "tests.numba_suite.worker"
MEGABYTES = 1500  # of a process, behind which a new one is started


class Worker:
    """One process that runs tests and asks about what they call."""

    def __init__(self, cache: Path, without: str | None = None, module: str = WORKER) -> None:
        own = {
            "ENZYME_PY_CACHE_DIR": str(cache),
            "OPENBLAS_NUM_THREADS": "1",
            "NUMBA_NUM_THREADS": "2",
        }
        if without is not None:
            own["SUITE_WITHOUT"] = without
        self.known = 0  # how many keys it has been told
        self._process = started(module, own)

    def ask(self, **request: Any) -> Iterator[dict[str, Any]]:
        """Yield the lines of an answer; if the process dies or hangs, the last one is missing."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            return
        while True:
            timer = threading.Timer(LIMIT, self._process.kill)
            timer.start()
            line = self._process.stdout.readline()
            timer.cancel()
            try:
                answer = json.loads(line)
            except ValueError:
                return
            yield answer
            if "end" in answer or "tests" in answer:
                return

    def close(self) -> int:
        """End the process, and return its exit status."""
        assert self._process.stdin is not None
        status = self._process.poll()
        if status is None:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()  # nothing more is asked: it ends by itself
            try:
                status = self._process.wait(1.0)
            except subprocess.TimeoutExpired:
                self._process.kill()
                status = self._process.wait()
        close_pipes(self._process)
        return status


class _Run:
    """What the threads of a run share: one thread for each process."""

    def __init__(
        self,
        folder: Path,
        most: int,
        tell: Callable[[str], None],
        cache: Path,
        without: str | None,
        module: str,
    ) -> None:
        self.summary, self._module = Summary(), module
        self._most, self._tell, self._cache, self._without = most, tell, cache, without
        self._file = folder / "answers.jsonl"
        self._lock = threading.Lock()
        self._known: list[str] = []
        self._done: set[str] = set()
        self._workers: list[Worker] = []
        self.is_stopped = False
        for line in kept(self._file):
            self._take(line)
        self.pending: queue.SimpleQueue[str] = queue.SimpleQueue()

    def _take(self, line: dict[str, Any]) -> None:
        self.summary.add(line)
        if "key" in line:
            self._known.append(line["key"])
        else:
            self._done.add(line["test"])

    def plan(self, tests: Iterable[str]) -> None:
        """Put the tests into the queue that have not been run."""
        for one in tests:
            if one not in self._done:
                self.pending.put(one)

    def listed(self, modules: Iterable[str]) -> list[str]:
        """Return the names of the tests of modules."""
        worker = self._started()
        found: list[str] = []
        for one in modules:
            answers = list(worker.ask(module=one))
            found += answers[0]["tests"] if answers else []
            if not answers:
                self._tell(f"{one} cannot be imported")
                worker.close()
                worker = self._started()
        worker.close()
        return found

    def _started(self) -> Worker:
        worker = Worker(self._cache, self._without, self._module)
        self._workers.append(worker)
        return worker

    def go(self) -> None:
        """Run one test after the other, in a process that is started where there is one to run."""
        worker = None
        while not self.is_stopped:
            try:
                test = self.pending.get_nowait()
            except queue.Empty:
                break
            worker = self._run(test, worker or self._started())
        if worker is not None:
            worker.close()

    def _run(self, test: str, worker: Worker) -> Worker:
        """Run a test, again after each death; return the process that is there behind it."""
        deaths = 0
        while True:
            with self._lock:
                news, worker.known = self._known[worker.known :], len(self._known)
            begun, megabytes = None, 0
            ended = False
            for line in worker.ask(test=test, known=news, most=self._most):
                if "alive" in line:
                    continue
                if "begin" in line:
                    begun = line["begin"]
                else:
                    begun = None
                    ended = "end" in line
                    megabytes = line.get("megabytes", 0)
                    self._put({**line, "test": test})
            if ended:
                if megabytes > MEGABYTES:
                    worker.close()
                    return self._started()
                return worker
            status = worker.close()
            if self.is_stopped:
                return worker
            worker = self._started()
            deaths += 1
            verdict = "hung" if status == -9 else "crashed"
            one = {
                "question": "all",
                "verdict": verdict,
                "reason": f"the process ended with {status}",
            }
            if begun is not None:
                self._put({"key": begun, "test": test, "outcomes": [one], "seconds": 0.0})
            if begun is None or deaths > 10:
                self._put(
                    {
                        "end": True,
                        "test": test,
                        "left": {f"the test {verdict} itself": 1},
                        "seconds": 0.0,
                    }
                )
                return worker

    def _put(self, line: dict[str, Any]) -> None:
        with self._lock:
            self._take(line)
            with self._file.open("a") as file:
                file.write(json.dumps(line) + "\n")
            if self.summary.kernels % 50 == 0 and "key" in line:
                self._tell(f"{self.summary.kernels} kernels, {len(self.summary.bad)} bad")
        for one in line.get("outcomes", ()):
            if one["verdict"] in BAD:
                self._tell(f"BAD {line['key']} in {line['test']}: {json.dumps(one)}")

    def stop(self) -> None:
        """Ask nothing more."""
        self.is_stopped = True
        for worker in list(self._workers):
            worker._process.kill()


def run(
    folder: Path,
    modules: Iterable[str],
    tell: Callable[[str], None],
    most: int,
    workers: int = 1,
    only: Iterable[str] = (),
    without: str | None = None,
    worker: str = WORKER,
) -> Summary:
    """Run the tests of modules, or some tests, and ask about each call; most calls of one test that are asked about.

    Workers of other kinds are asked about whatever `only` names.
    """
    folder.mkdir(parents=True, exist_ok=True)
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="enzyme_py_suite_") as cache:
        work = _Run(folder, most, tell, Path(cache), without, worker)
        work.plan(only or work.listed(modules))
        threads = [threading.Thread(target=work.go) for _ in range(workers)]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                thread.join()
        except BaseException:  # a signal
            work.stop()
            for thread in threads:
                thread.join()
            raise
    work.summary.seconds = time.monotonic() - begun
    return work.summary
