"""`differentiate`: a DiffModule goes to the host, a DifferentiatedModule or an exception comes back.

The servers of this process are kept here: started on first use, replaced when they died, forgotten
in a process made by os.fork. Importing starts nothing.
"""

from __future__ import annotations

import atexit
import errno
import os
import signal
import threading
from pathlib import Path

from enzyme_py.assembly.module import DiffModule
from enzyme_py.errors import HostCrashed, HostError, NoDerivativeError, Where
from enzyme_py.foundations.stages import stage
from enzyme_py.host.crash_files import save_module
from enzyme_py.host.diagnose import REQUIRED_OPTIONS, judge
from enzyme_py.host.installing.locate import find_toolchain
from enzyme_py.host.made import reads_nowhere, without_same_values
from enzyme_py.host.module import DifferentiatedModule
from enzyme_py.host.process import oneshot
from enzyme_py.host.process.forkserver import ForkServer, ServerEnded, can_serve
from enzyme_py.host.process.outcome import Limits, Outcome
from enzyme_py.host.process.protocol import INPUT_DESCRIPTOR, OUTPUT_DESCRIPTOR, WORKSPACE
from enzyme_py.host.process.toolchain import Toolchain
from enzyme_py.passes.journal import journal
from enzyme_py.settings import settings
from enzyme_py.symbols import NO_RECOMPUTING

SOURCE = f"/proc/self/fd/{INPUT_DESCRIPTOR}"
RESULT = f"/proc/self/fd/{OUTPUT_DESCRIPTOR}"
# LLVM believes what Enzyme says of reads that give the same (made.py) of more reads than was meant, also within Enzyme's run:
# GVN hands the note on to reads before a write. SimplifyCFG gives it to what it hoists to where two paths part, if one
# of both had it: a list's length that is read in each iteration and behind the loop was read once, in front of it, since
# behind the loop nobody writes it (measured: "list index out of range").
_LEAVES_READS = ("--enable-gvn-memdep=0", "--simplifycfg-hoist-common=0")
# LoopLoadElimination keeps what an iteration stores for the read of the next one, and makes versions of the loop for that.
# Nothing is won before Enzyme, and a reverse loop that has gone through it is no vectors' any more: see native/rewrites/sums/.
_LEAVES_LOOPS = (
    "--runtime-check-per-loop-load-elim=0",
    "--loop-load-elimination-scev-check-threshold=0",
)
_ASSERTED = "making it again would end the pass by an assertion"
_NOWHERE = "with the usual choice it would read a number of a loop from memory that nobody wrote"
FIXED = (*_LEAVES_READS, *_LEAVES_LOOPS)  # options of each run of Enzyme
AT_ONCE = max(1, min(32, os.cpu_count() or 1))  # requests in Enzyme; more would only share cores


class Keeper:
    """Holds the servers of this process, one for each executable that was ever used."""

    def __init__(self) -> None:
        self._servers: dict[Path, ForkServer] = {}
        self._make_locks()

    def _make_locks(self) -> None:
        self._lock = threading.Lock()
        self.turns = threading.BoundedSemaphore(AT_ONCE)

    def server(self, executable: Path) -> ForkServer:
        """A live server; started now if there is none."""
        with self._lock:
            current = self._servers.get(executable)
            if current is not None and not current.is_alive():
                self._servers.pop(executable).close()
                current = None
            if current is None:
                current = self._servers[executable] = ForkServer(executable)
            return current

    def drop(self, executable: Path, ended: ForkServer) -> None:
        """Forget a server that has ended: its process may not seem dead yet."""
        with self._lock:
            if self._servers.get(executable) is ended:
                del self._servers[executable]
        ended.close()

    def close(self) -> None:
        """End all of them."""
        with self._lock:
            servers, self._servers = self._servers, {}
        for server in servers.values():
            server.close()

    def forget(self) -> None:
        """After os.fork, in the child: the servers belong to the parent.

        The old locks may be held by threads that do not exist here.
        """
        self._make_locks()
        servers, self._servers = self._servers, {}
        for server in servers.values():
            server.abandon()


keeper = Keeper()
atexit.register(keeper.close)
os.register_at_fork(after_in_child=keeper.forget)


def close() -> None:
    """End the host of this process, if one runs. The next request starts another."""
    keeper.close()


def differentiate(module: DiffModule) -> DifferentiatedModule:
    """Run Enzyme on `module`. Every way in which that can fail has its own exception.

    May be called from any thread. Ctrl-C ends the request at once, and only this one.
    """
    asked = (*module.options, *FIXED)
    outcome = _run(module, asked)
    if outcome.signal == signal.SIGSEGV and not outcome.timed_out:
        # LLVM's GVN, which Enzyme runs on what it made, can crash on large loops; O3 comes later anyway.
        outcome = _run(module, (*asked, "--enzyme-postopt=0"))
    if outcome.signal == signal.SIGABRT and not outcome.timed_out:
        # Its choice of what to keep, a minimal cut, can leave phis of shadows half made (an assertion).
        outcome = _run(module, (*asked, "--enzyme-mincut-cache=0"))
    if outcome.signal == signal.SIGABRT and not outcome.timed_out and NO_RECOMPUTING not in asked:
        # So can memory that it makes again: an array that is another one or a copy of it, in a loop that has been unrolled.
        with journal().attempt("without making memory again", _ASSERTED):
            outcome = _run(module, (*asked, NO_RECOMPUTING))
    done = judge(module, outcome)
    if _reads_nowhere(module, done):
        # With another choice of what to cache it does not.
        with journal().attempt("another choice of what is cached", _NOWHERE):
            done = judge(module, _run(module, (*asked, "--enzyme-mincut-cache=0")))
            if _reads_nowhere(module, done):
                what = "Enzyme would read a number of a loop's last turn from memory that nobody wrote"
                remedy = (
                    "take second derivatives as jvp of grad (forward over reverse), or store what the "
                    "loop leaves in an array's element, in each turn, and read it there"
                )
                raise NoDerivativeError(what, where=module.where, remedy=remedy)
    without_same_values(done.code)
    return done.with_code(done.code)


def _reads_nowhere(module: DiffModule, done: DifferentiatedModule) -> bool:
    return reads_nowhere(done.code) and not reads_nowhere(module.code)


def simplify(module: DiffModule) -> DiffModule:
    """Return the module as Enzyme would see it: after O2, before Enzyme."""
    outcome = _run(module, (*module.options, *_LEAVES_LOOPS, "--enzyme-enable=0"))
    return module.with_code(judge(module, outcome, is_complete=False).code)


def _run(module: DiffModule, asked: tuple[str, ...]) -> Outcome:
    with stage("host"):
        toolchain = find_toolchain()
        options = (*REQUIRED_OPTIONS, *asked)
        limits = Limits(seconds=settings.time_limit, memory=settings.memory_limit)
        ir = toolchain.prepare(module.ir).encode()
        with keeper.turns:
            try:
                if can_serve(toolchain.executable):
                    return _serve(toolchain, options, ir, limits, module)
                return oneshot.run(toolchain, options, ir, limits)
            except OSError as error:
                raise _short_of(error, module.where) from error


_SHORTAGES = (
    ((errno.EMFILE, errno.ENFILE), "close files that are not needed, or raise `ulimit -n`"),
    ((errno.ENOMEM, errno.EAGAIN), "free memory, or end other processes"),
    ((errno.ENOSPC, errno.EDQUOT, errno.EFBIG), "free room on the disk, or raise `ulimit -f`"),
)


def _short_of(error: OSError, where: Where) -> HostError:
    """Return what to tell where the system refuses what the host needs."""
    what = f"the Enzyme host could not be given a module: {error.strerror}"
    remedies = [remedy for numbers, remedy in _SHORTAGES if error.errno in numbers]
    remedy = remedies[0] if remedies else "run `python -m enzyme_py doctor`"
    return HostError(what, where=where, remedy=remedy, detail=str(error))


def _serve(
    toolchain: Toolchain, options: tuple[str, ...], ir: bytes, limits: Limits, module: DiffModule
) -> Outcome:
    """Ask the server. If that one ends, whoever ended it, ask a fresh one, once.

    A request changes nothing outside its child, so asking twice is harmless.
    """
    arguments = toolchain.arguments(options, SOURCE, RESULT, WORKSPACE)
    first = keeper.server(toolchain.executable)
    try:
        return first.run(arguments, ir, limits)
    except ServerEnded:
        keeper.drop(toolchain.executable, first)
    try:
        return keeper.server(toolchain.executable).run(arguments, ir, limits)
    except ServerEnded as error:
        remedy, saved = error.remedy, save_module(module.ir, error.what)
        if saved is not None:
            remedy += f"; the module was saved as {saved}"
        raise HostCrashed(error.what, where=module.where, remedy=remedy) from error
