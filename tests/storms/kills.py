"""Threads ask for derivatives while hosts are killed and cache entries damaged beneath them.

A worker asks for a derivative that it knows by hand, new ones and old ones mixed, half of them from
the IR (so that most time passes in the host), some from Python. The killer ends a server, or a child
of one, at random moments. The vandal damages entries of the disk cache and has them asked for again.
Right numbers are counted, errors of the host's family too; a wrong number, another exception, a
worker without progress, or a process left behind is a failure.
"""

from __future__ import annotations

import collections
import faulthandler
import os
import queue
import random
import signal
import tempfile
import threading
import time
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import enzyme_py as enzyme
from enzyme_py import host, native
from enzyme_py.assembly.module import DiffModule
from enzyme_py.errors import CacheWarning, HostError
from enzyme_py.host.process.client import keeper
from enzyme_py.native.stored import disk_cache
from enzyme_py.settings import config
from tests.host.host_programs import children_of, is_running
from tests.native.modules import before_the_pass, call_scalar
from tests.storms.watch import Holding, holding, mark_descendants, marked

STUCK_SECONDS = 180.0  # far beyond any request here: a worker that is silent for so long hangs
TRIES = 20  # of one question; each may lose its host twice
FROM_PYTHON = 0.1  # of the questions: these spend their time in Numba
REVISITED = 0.4

CUBE = """
@enzyme_const = external global i32
declare double @__enzyme_autodiff(ptr, ...)
define internal double @cube(double %x) {
  %y = fmul double %x, %x
  %z = fmul double %y, %x
  %c = fmul double %z, FACTOR.0
  ret double %c
}
define i32 @entry(ptr %ret, ptr %excinfo, double %x) {
  %g = call double (ptr, ...) @__enzyme_autodiff(ptr @cube, double %x)
  store double %g, ptr %ret
  ret i32 0
}
"""
KERNEL = """
def kernel(x):
    s = 0.0
    for i in range(x.size):
        s += {factor} * x[i] ** 3
    return s
"""


@dataclass
class Tally:
    """What happened; the lock is for the workers."""

    right: int = 0
    from_cache: int = 0
    from_python: int = 0
    errors: collections.Counter[str] = field(default_factory=collections.Counter)
    servers_killed: int = 0
    children_killed: int = 0
    damaged: int = 0
    failures: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def kills(self) -> int:
        """Processes that ran when they were killed."""
        return self.servers_killed + self.children_killed

    def fail(self, what: str) -> None:
        """Note what must not happen."""
        with self.lock:
            self.failures.append(what)


def module_of(factor: int) -> DiffModule:
    """IR whose derivative is 3 * factor * x**2."""
    return before_the_pass(CUBE.replace("FACTOR", str(factor)), options=("--enzyme-fast-math=0",))


class Worker(threading.Thread):
    """Asks, compares, and asks again where the host was lost."""

    def __init__(self, storm: Storm, seed: int) -> None:
        super().__init__(name=f"worker {seed}", daemon=True)
        self.storm = storm
        self.draw = random.Random(seed)
        self.last_progress = time.monotonic()

    def run(self) -> None:
        """Until the storm is over."""
        while not self.storm.is_over.is_set():
            factor = self.storm.next_factor(self.draw)
            ask = self.from_python if self.draw.random() < FROM_PYTHON else self.from_ir
            try:
                self._until_answered(ask, factor)
            except BaseException as error:
                self.storm.tally.fail(f"{type(error).__name__} for {factor}: {error}")
                self.storm.is_over.set()
                return
            self.last_progress = time.monotonic()

    def _until_answered(self, ask: Any, factor: int) -> None:
        for _ in range(TRIES):
            try:
                ask(factor)
            except HostError as error:
                with self.storm.tally.lock:
                    self.storm.tally.errors[type(error).__name__] += 1
            else:
                return
        self.storm.tally.fail(f"{factor} was not answered in {TRIES} tries")

    def from_ir(self, factor: int) -> None:
        """By the stages below Numba."""
        function = native.compile(module_of(factor), host.differentiate, host.identity())
        x = float(self.draw.randrange(1, 50))
        got, wanted = call_scalar(function.addresses["entry"], x), 3.0 * factor * x * x
        self._count(got == wanted, f"{got} for {factor} at {x}", function.profile.is_from_cache)

    def from_python(self, factor: int) -> None:
        """As a user does."""
        scope: dict[str, Any] = {}
        exec(KERNEL.format(factor=float(factor)), scope)
        x = np.array([1.0, 2.0, float(self.draw.randrange(1, 50))])
        got = enzyme.grad(enzyme.jit(scope["kernel"]))(x)
        is_right = bool(np.all(got == 3.0 * factor * x**2))
        self._count(is_right, f"{got} for {factor} at {x}", False, python=1)

    def _count(self, is_right: bool, what: str, is_from_cache: bool, python: int = 0) -> None:
        if not is_right:
            self.storm.tally.fail(f"a wrong derivative: {what}")
        with self.storm.tally.lock:
            self.storm.tally.right += is_right
            self.storm.tally.from_cache += is_from_cache
            self.storm.tally.from_python += python


class Storm:
    """One run."""

    def __init__(self, kills: int, corrupt: int, threads: int, seed: int, say: Any) -> None:
        self.wanted_kills, self.wanted_damage = kills, corrupt
        self.draw = random.Random(seed)
        self.say = say
        self.tally = Tally()
        self.is_over = threading.Event()
        self.to_revisit: queue.SimpleQueue[int] = queue.SimpleQueue()
        self.used: list[int] = []
        self.workers = [Worker(self, seed * 1000 + number) for number in range(threads)]

    def next_factor(self, draw: random.Random) -> int:
        """A damaged one first, else an old or a new one."""
        try:
            return self.to_revisit.get_nowait()
        except queue.Empty:
            pass
        if self.used and draw.random() < REVISITED:
            return draw.choice(self.used)
        with self.tally.lock:
            self.used.append(len(self.used) + 1)
            return self.used[-1]

    def run(self) -> None:
        """Until all kills and all damage are done and met, or something failed."""
        for worker in self.workers:
            worker.start()
        vandal = threading.Thread(target=self._damage_entries, daemon=True)
        vandal.start()
        told = 0
        while not self.is_over.is_set():
            time.sleep(self.draw.expovariate(1 / 0.12))
            if self.tally.kills < self.wanted_kills:
                self._kill_one()
            elif not vandal.is_alive() and self.to_revisit.empty():
                self.is_over.set()
            if self.tally.kills >= told + max(1, self.wanted_kills // 10):
                told = self.tally.kills
                self.say(f"{told} kills, {self.tally.damaged} damaged, {self.tally.right} right")
            self._look_for_hangs()
        for worker in (*self.workers, vandal):
            worker.join(STUCK_SECONDS)
            if worker.is_alive():
                self.tally.fail(f"{worker.name} hangs")

    def _look_for_hangs(self) -> None:
        now = time.monotonic()
        for worker in self.workers:
            if now - worker.last_progress > STUCK_SECONDS:
                faulthandler.dump_traceback()
                self.tally.fail(f"{worker.name} has made no progress for {STUCK_SECONDS} s")
                self.is_over.set()

    def _kill_one(self) -> None:
        servers = [server.hello.pid for server in list(keeper._servers.values())]
        children = [child for server in servers for child in children_of(server)]
        is_child = bool(children) and self.draw.random() < 0.5
        choice = children if is_child else servers
        if not choice:
            return
        victim = self.draw.choice(choice)
        if not is_running(victim):
            return
        try:
            os.kill(victim, signal.SIGKILL)
        except ProcessLookupError:
            return
        with self.tally.lock:
            self.tally.children_killed += is_child
            self.tally.servers_killed += not is_child

    def _damage_entries(self) -> None:
        try:
            self._damage_all()
        except BaseException as error:
            self.tally.fail(f"the vandal: {type(error).__name__}: {error}")
            self.is_over.set()

    def _damage_all(self) -> None:
        identity = host.identity()
        while self.tally.damaged < self.wanted_damage and not self.is_over.is_set():
            time.sleep(0.05)
            if len(self.used) < 4:
                continue
            factor, other = self.draw.sample(self.used, 2)
            paths = [_path(one, identity) for one in (factor, other)]
            if damage(self.draw, *paths):
                self.tally.damaged += 1
                self.to_revisit.put(factor)


def _path(factor: int, identity: str) -> Path:
    return disk_cache.folder() / (disk_cache.key(module_of(factor), identity) + disk_cache.SUFFIX)


def damage(draw: random.Random, path: Path, other: Path) -> bool:
    """Spoil one entry, in place, in one of the ways that disks and people know."""
    try:
        content = bytearray(path.read_bytes())
        foreign = other.read_bytes()
    except FileNotFoundError:
        return False
    if not content:  # damaged before, and not asked for since
        return False
    place = draw.randrange(len(content))
    ways = [
        lambda: content[:place],
        lambda: (
            content[:place]
            + bytes([content[place] ^ (1 << draw.randrange(8))])
            + content[place + 1 :]
        ),
        lambda: bytes(len(content)),
        lambda: draw.randbytes(len(content)),
        lambda: content + b"more",
        lambda: content[:place] + bytes(len(content) - place),
        lambda: foreign,  # whole and sound, but the derivative of another function
        lambda: b"",
    ]
    path.write_bytes(draw.choice(ways)())
    return True


def run(kills: int, corrupt: int, threads: int, seed: int, say: Any) -> tuple[Tally, str]:
    """Run a storm in a cache folder of its own; what happened, and as text."""
    mark = mark_descendants()
    begun = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="enzyme_py_storm_") as name, config(cache_dir=name):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CacheWarning)
            storm = Storm(kills, corrupt, threads, seed, say)
            before = holding()
            storm.run()
        host.close()
        parts = list(disk_cache.folder().glob("*.part"))
        if parts:
            storm.tally.fail(f"{len(parts)} half-written entries were left")
    orphans = [pid for pid in marked(mark) if pid != os.getpid()]
    if orphans:
        storm.tally.fail(f"processes were left behind: {orphans}")
    seconds = time.monotonic() - begun
    return storm.tally, _text(storm, seconds, before, holding())


def _text(storm: Storm, seconds: float, before: Holding, after: Holding) -> str:
    tally = storm.tally
    told = ", ".join(f"{count} {name}" for name, count in tally.errors.most_common()) or "none"
    lines = [
        f"{len(storm.workers)} threads, {seconds:.0f} s",
        f"killed: {tally.servers_killed} servers, {tally.children_killed} children",
        f"damaged entries: {tally.damaged}",
        f"right: {tally.right} ({tally.from_cache} from disk, {tally.from_python} from Python)",
        f"told as errors, then asked again: {told}",
        f"before: {before}",
        f"after:  {after}",
        f"failures: {len(tally.failures)}",
        *tally.failures[:20],
    ]
    return "\n".join(lines)
