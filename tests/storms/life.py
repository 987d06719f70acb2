"""A long life: very many calls and derivatives in one process, whose fork servers die in the middle, and what it holds on the way.

    run(calls, derivatives, say) -> what failed

Each round makes a derivative that is new, calls it and compares it, and drops it: three of four from IR, where the pass and the native
stage take all the time, every fourth from a Python function, as users write it. In between come a share of the calls, of gradients
that stay. A thread kills the fork server, or the child that is at work, now and then; what was lost is asked again.

Looked at from time to time: resident memory, descriptors, mappings, executable memory, threads, child processes. Flat means that
the second half of a life adds no more than the bounds below.
"""

from __future__ import annotations

import contextlib
import math
import os
import random
import signal
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import enzyme_py as enzyme
from enzyme_py import host, native
from enzyme_py.errors import HostError
from enzyme_py.host.process.client import keeper
from enzyme_py.settings import config
from tests.host.host_programs import children_of
from tests.native.modules import call_scalar
from tests.storms.kills import module_of
from tests.storms.resources import checked_square, derivative_of, square
from tests.storms.watch import Holding, holding

FROM_PYTHON = 4  # one derivative of so many
SECONDS_BETWEEN_KILLS = 3.0
LOOKS = 100
MOST_KIB_BY_DERIVATIVE = 4.0  # in the second half: see docs/testing.md for what these are
SLACK_KIB = 8192  # what the C library's allocator keeps in pieces
SLACK_CODE_KIB = 1024  # of executable memory: what has not been collected yet
TRIES = 20

Say = Callable[[str], None]


@dataclass(frozen=True)
class Look:
    """What the process holds after some calls and derivatives."""

    calls: int
    derivatives: int
    held: Holding
    executable_kib: int
    threads: int
    children: int
    seconds: float

    def __str__(self) -> str:
        held = f"{self.held}, {self.executable_kib} KiB executable, {self.threads} threads, {self.children} children"
        return f"{self.calls} calls, {self.derivatives} derivatives: {held}, {self.seconds:.0f} s"


def executable_kib() -> int:
    """Memory of this process that can be run and belongs to no file: generated code."""
    total = 0
    for line in Path("/proc/self/maps").read_text().splitlines():
        span, rights, _, _, inode, *_ = line.split()
        if "x" in rights and inode == "0" and not line.endswith("]"):
            first, last = (int(end, 16) for end in span.split("-"))
            total += last - first
    return total // 1024


class Killer(threading.Thread):
    """Kills the fork server, or a child of it, at random moments; at most once for each answer, however slow a machine is."""

    def __init__(self, draw: random.Random, mean_seconds: float, answers: Callable[[], int]) -> None:
        super().__init__(name="killer", daemon=True)
        self._draw, self._mean, self._answers = draw, mean_seconds, answers
        self.is_over = threading.Event()
        self.kills = 0

    def run(self) -> None:
        """Until the life is over."""
        answered = -1
        while not self.is_over.wait(self._draw.expovariate(1.0 / self._mean)):
            if answered == self._answers():
                continue
            servers = [one.hello.pid for one in list(keeper._servers.values())]
            children = [child for one in servers for child in children_of(one)]
            choice = children if children and self._draw.random() < 0.5 else servers
            with contextlib.suppress(ProcessLookupError):
                for victim in choice[:1]:
                    os.kill(victim, signal.SIGKILL)
                    self.kills += 1
                    answered = self._answers()


class Life:
    """One process, and what it does."""

    def __init__(self, calls: int, derivatives: int, say: Say, seconds_between_kills: float, most_seconds: float) -> None:
        self.wanted, self.say, self._most_seconds = (calls, derivatives), say, most_seconds
        self.failures: list[str] = []
        self.looks: list[Look] = []
        self.lost = self.done_calls = self.done_derivatives = 0
        self.killer = Killer(random.Random(1), seconds_between_kills, lambda: self.done_derivatives)
        self._x, self._shadow = np.arange(1.0, 9.0), np.zeros(8)
        self._gradient, self._checked = enzyme.grad(square), enzyme.grad(checked_square)

    def run(self) -> None:
        """Live."""
        calls, derivatives = self.wanted
        share = max(1, calls // max(1, derivatives))
        every = max(1, derivatives // LOOKS)
        self._begun = time.monotonic()
        for number in range(min(60, derivatives)):  # what is made once, and what a freshly started allocator still lacks
            self._derivative(-1 - number)
            self._calls(50)
        self.done_calls = self.done_derivatives = 0
        self.killer.start()
        try:
            for number in range(derivatives):
                if number % every == 0:
                    self.look()
                if time.monotonic() - self._begun > self._most_seconds:
                    break
                self._derivative(number)
                self._calls(share)
            self.look()
        finally:
            self.killer.is_over.set()
            self.killer.join()
        self._judge()

    def look(self) -> None:
        """Measure, and say it."""
        servers = len(keeper._servers)
        found = Look(
            self.done_calls,
            self.done_derivatives,
            holding(),
            executable_kib(),
            threading.active_count(),
            max(0, len(children_of(os.getpid())) - servers),
            time.monotonic() - self._begun,
        )
        self.looks.append(found)
        self.say(f"{found}; {self.killer.kills} killed, {self.lost} asked again")

    def _derivative(self, number: int) -> None:
        for _ in range(TRIES):
            try:
                self._asked(number)
            except HostError:
                self.lost += 1
            else:
                self.done_derivatives += 1
                return
        self.failures.append(f"derivative {number} was not answered in {TRIES} tries")

    def _asked(self, number: int) -> None:
        if number % FROM_PYTHON == 0:
            got, want = derivative_of(number)[0], 24.0 * (number + 0.5)
        else:
            factor = abs(number) + 1 + 10**7 * (number < 0)
            function = native.compile(module_of(factor), host.differentiate, host.identity())
            got, want = call_scalar(function.addresses["entry"], 2.0), 12.0 * factor
        if got != want:
            self.failures.append(f"a wrong derivative: {got} of {number}, not {want}")

    def _calls(self, count: int) -> None:
        gradient, x = self._gradient, self._x
        for number in range(count):
            if number % 10 == 8:
                with contextlib.suppress(ValueError):
                    self._checked(-1.0)
            elif number % 10 == 9:
                enzyme.autodiff(enzyme.Reverse, square, enzyme.Duplicated(x, self._shadow))
            else:
                gradient(x)
        if not np.array_equal(gradient(x), 8.0 * x):
            self.failures.append("a wrong gradient")
        self.done_calls += count

    def _judge(self) -> None:
        first, last = self.looks[len(self.looks) // 2], self.looks[-1]
        count = max(1, last.derivatives - first.derivatives)
        grown = last.held.resident_kib - first.held.resident_kib
        self.say(f"in the second half {grown / count:.2f} KiB by derivative, of {count}")
        if grown > MOST_KIB_BY_DERIVATIVE * count + SLACK_KIB:
            self.failures.append(f"memory grew by {grown} KiB with {count} derivatives")
        if last.executable_kib > first.executable_kib + SLACK_CODE_KIB:
            self.failures.append(f"code grew from {first.executable_kib} to {last.executable_kib} KiB")
        if last.held.descriptors > first.held.descriptors + 4:  # of one server that has just been started
            self.failures.append("descriptors grew")
        if last.threads > first.threads or last.children > 0:
            self.failures.append(f"left behind: {last.threads} threads, {last.children} children")


@contextlib.contextmanager
def own_cache() -> Iterator[None]:
    """A cache folder that goes afterwards, as small as the usual limit lets it be."""
    with (
        tempfile.TemporaryDirectory(prefix="enzyme_py_storm_") as name,
        config(cache_dir=name, cache_limit=2**26),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        yield


def run(
    calls: int,
    derivatives: int,
    say: Say,
    seconds_between_kills: float = SECONDS_BETWEEN_KILLS,
    most_seconds: float = math.inf,
) -> list[str]:
    """Live once, for some time at most; what failed."""
    with own_cache():
        life = Life(calls, derivatives, say, seconds_between_kills, most_seconds)
        life.run()
        host.close()
    return life.failures
