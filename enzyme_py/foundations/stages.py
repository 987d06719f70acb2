"""The stages of compiling: which one each thread is in, and how long each took.

    with stage("assembling", kernel="loss"):
        with stage("typing"):       # its time is not counted to the stage around it
            ...

The outermost `with` of a thread is one piece of work. When it ends, each stage's seconds become records (timings.py), and
their sum is the time that the work took, waiting included: each moment is counted to the innermost stage. Stages say which
kernel they work for; one that does not works for that of the stage around it. Someone else may look on meanwhile
(progress.py): `running()`.

Long work of many alike steps says how far it is, for whoever looks on alone; its seconds are counted nowhere:

    with counted("autotune of loss", 6) as count:
        for number, one in enumerate(choices):
            count(number, one)
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from enzyme_py.foundations.locks import LockOfProcess
from enzyme_py.foundations.timings import record

# Every stage, and what it is called where somebody waits for it.
STAGES = {
    "imports": "imports",
    "typing": "typing and lowering",
    "assembling": "assembling",
    "passes": "passes",
    "host": "Enzyme",
    "optimising": "O3",
    "loading": "loading",
    "cache": "the disk cache",
    "entry": "Numba's entry",
    "checking": "comparing with differences",
}


@dataclass
class Work:
    """What one thread compiles: its title, when it began, and the stages that it is in, the innermost last."""

    title: str
    begun: float
    inside: list[tuple[str, str]] = field(default_factory=list)  # kernel, stage
    seconds: dict[tuple[str, str], float] = field(default_factory=dict)
    since: float = 0.0  # the innermost stage goes on

    @property
    def stage(self) -> str:
        """What the innermost stage is called."""
        return STAGES[self.inside[-1][1]] if self.inside else ""

    def count(self) -> None:
        """Count the time since the last change to the innermost stage."""
        now = time.perf_counter()
        if self.inside:
            key = self.inside[-1]
            self.seconds[key] = self.seconds.get(key, 0.0) + now - self.since
        self.since = now


@dataclass
class Counted:
    """Work of many alike steps: its title, when it began, and how many are done of how many (0: nobody knows)."""

    title: str
    begun: float
    total: int
    done: int = 0
    step: str = ""  # what it is at

    def __call__(self, done: int, step: str = "", total: int | None = None) -> None:
        """Say how far it is, and what comes next."""
        self.done, self.step = done, step
        if total is not None:
            self.total = total


class _OfThread(threading.local):
    work: Work | None = None


_current = _OfThread()
_running: list[Work] = []
_counted: list[Counted] = []
_lock = LockOfProcess()
when_begun: list[Callable[[], None]] = []  # called when a piece of work begins
when_ended: list[Callable[[], None]] = []


@contextlib.contextmanager
def stage(name: str, kernel: str = "", title: str = "") -> Iterator[None]:
    """Be in a stage. `title` says what is made, should this be the outermost one."""
    work = _current.work
    if work is not None:
        work.count()
        work.inside.append((kernel or work.inside[-1][0], name))
        try:
            yield
        finally:
            work.count()
            work.inside.pop()
        return
    begun = time.perf_counter()
    work = _current.work = Work(title or kernel, begun, [(kernel, name)], since=begun)
    with _lock:
        _running.append(work)
    try:
        for action in when_begun:
            action()
        yield
    finally:
        _current.work = None
        with _lock:
            if work in _running:
                _running.remove(work)
        for action in when_ended:
            action()
        work.count()
        for (worked_for, one), seconds in work.seconds.items():
            record(worked_for, one, seconds)


@contextlib.contextmanager
def counted(title: str, total: int = 0) -> Iterator[Counted]:
    """Be in long work, which says how far it is by a call of what this gives."""
    work = Counted(title, time.perf_counter(), total)
    with _lock:
        _counted.append(work)
    try:
        for action in when_begun:
            action()
        yield work
    finally:
        with _lock:
            if work in _counted:
                _counted.remove(work)
        for action in when_ended:
            action()


def counts() -> list[Counted]:
    """Return the counted work of all threads, the outermost first."""
    with _lock:
        return list(_counted)


def running() -> list[Work]:
    """Return the work of all threads, the oldest first."""
    with _lock:
        return list(_running)


def _forget() -> None:
    """In a process made by os.fork: threads of the parent are not here."""
    own = _current.work
    _running[:] = [] if own is None else [own]
    _counted.clear()


os.register_at_fork(after_in_child=_forget)
