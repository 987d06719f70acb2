"""Running Enzyme without a server: one process a request, files in a temporary folder.

For programs that the shim cannot be preloaded into: an `opt` that is a script, or another system
than Linux. Slower by the start of the program (about 50 ms), otherwise the same Outcome.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from enzyme_py.errors import HostError, HostNotFound
from enzyme_py.host.process.environment import host_environment
from enzyme_py.host.process.forkserver import SHORTAGES
from enzyme_py.host.process.outcome import Limits, Outcome
from enzyme_py.host.process.protocol import LOG_LIMIT, RESULT_SUFFIX
from enzyme_py.host.process.toolchain import Toolchain


def run(toolchain: Toolchain, options: Sequence[str], ir: bytes, limits: Limits) -> Outcome:
    """Run Enzyme on `ir` in a process of its own."""
    _check_temporary_folder(tempfile.gettempdir())
    with tempfile.TemporaryDirectory(prefix="enzyme_py_") as name:
        folder = Path(name)
        source, result, log = folder / "in.ll", folder / f"0{RESULT_SUFFIX}", folder / "log"
        source.write_bytes(ir)
        command = toolchain.arguments(options, str(source), str(result), str(folder))
        begun = time.monotonic()
        process = _start(command, log)
        timed_out = _wait(process, limits)
        return Outcome(
            output=_read_result(folder),
            log=log.read_bytes()[:LOG_LIMIT].decode("utf-8", "replace"),
            wait_status=_wait_status(process.returncode),
            timed_out=timed_out,
            seconds=time.monotonic() - begun,
            peak_bytes=0,  # unknown
            limits=limits,
        )


def _check_temporary_folder(folder: str) -> None:
    """Where everybody may rename everybody's folders, the result could be somebody else's code."""
    mode = os.stat(folder).st_mode
    if mode & stat.S_IWOTH and not mode & stat.S_ISVTX:
        message = f"the folder for temporary files, {folder}, lets others replace our files"
        remedy = "set TMPDIR to a folder that only you can write, or `chmod +t` this one"
        raise HostError(message, remedy=remedy)


def _start(command: list[str], log: Path) -> subprocess.Popen[bytes]:
    try:
        with log.open("wb") as file:
            return subprocess.Popen(
                command,
                env=host_environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,  # catalyst prints the module there once more
                stderr=file,
                start_new_session=True,
            )
    except OSError as error:
        if error.errno in SHORTAGES:
            raise
        message = f"{command[0]} cannot be run: {error.strerror}"
        remedy = "run `python -m enzyme_py doctor`"
        raise HostNotFound(message, remedy=remedy, detail=str(error)) from error


def _wait(process: subprocess.Popen[bytes], limits: Limits) -> bool:
    """Wait for the end; True if that came by the time limit. Nothing of it is left running."""
    _limit_memory(process.pid, limits)
    try:
        return not _has_ended(process, limits.seconds)
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _has_ended(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Wait for so many seconds, in looks of one: what the machine sleeps in a look does not count. 0: without a limit."""
    left = seconds
    while True:
        look = min(left, 1.0) if seconds else None
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(look)
            return True
        left -= 1.0
        if left <= 0.0:
            return False


def _limit_memory(pid: int, limits: Limits) -> None:
    """After the start, which is early enough: the program has only just begun to read its input."""
    if limits.memory and sys.platform == "linux":
        with contextlib.suppress(ProcessLookupError, PermissionError):
            resource.prlimit(pid, resource.RLIMIT_AS, (limits.memory, limits.memory))


def _read_result(folder: Path) -> str:
    for path in sorted(folder.glob(f"*{RESULT_SUFFIX}")):
        return path.read_text(encoding="utf-8", errors="replace")
    return ""


def _wait_status(returncode: int) -> int:
    """As waitpid would have given it."""
    return -returncode if returncode < 0 else returncode << 8
