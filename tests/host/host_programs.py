"""Programs for the tests of the host: the fake one, and the shim, plain and under sanitizers."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from enzyme_py.host.process.forkserver import ForkServer
from enzyme_py.host.process.outcome import Limits, Outcome
from enzyme_py.host.process.toolchain import Catalyst

ROOT = Path(__file__).resolve().parent.parent.parent
WARNINGS = ["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-g"]
SANITIZERS = {  # flags, and the library to preload
    "sanitized": (["-fsanitize=address,undefined", "-fno-sanitize-recover=all"], "libasan.so"),
    "threads": (["-fsanitize=thread"], "libtsan.so"),
}
SHIM_SOURCES = [str(ROOT / "csrc" / name) for name in ("forkserver.c", "frame.c")]
SOURCE, RESULT = "/proc/self/fd/3", "/proc/self/fd/4"


def compile_c(target: Path, *arguments: str) -> Path:
    """Run the C compiler, which every machine that runs these tests has."""
    subprocess.run(["gcc", *WARNINGS, *arguments, "-o", str(target)], check=True)
    return target


@dataclass(frozen=True)
class Build:
    """A fake host and a shim to preload into it."""

    executable: Path
    preload: tuple[str, ...]
    reports: Path  # where sanitizers write
    is_sanitized: bool

    def start(self) -> ForkServer:
        """Start a server."""
        options = f"log_path={self.reports}/report:detect_leaks=0:handle_segv=0:handle_abort=0"
        names = ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS")
        before = {name: os.environ.get(name) for name in names}
        os.environ.update(dict.fromkeys(before, options))
        try:
            return ForkServer(self.executable, preload=self.preload)
        finally:
            for name, value in before.items():
                if value is None:
                    del os.environ[name]
                else:
                    os.environ[name] = value

    def complaints(self) -> str:
        """What the sanitizers have reported."""
        return "".join(path.read_text() for path in self.reports.glob("report*"))


def make_build(folder: Path, flavour: str) -> Build:
    """Compile both: "plain", or the shim under one of the sanitizers."""
    reports = folder / "reports"
    reports.mkdir()
    executable = compile_c(folder / "fake_host", str(ROOT / "tests/csrc/fake_host.c"))
    flags, runtime = SANITIZERS.get(flavour, ([], ""))
    flags = ["-O1", *flags] if runtime else ["-O2", "-fvisibility=hidden"]
    shim = folder / "shim.so"
    compile_c(shim, "-fPIC", "-shared", *flags, *SHIM_SOURCES, "-ldl")
    preload = [_library(runtime)] if runtime else []
    return Build(executable, (*preload, str(shim)), reports, bool(runtime))


def _library(name: str) -> str:
    found = subprocess.run(
        ["gcc", f"-print-file-name={name}"], check=True, capture_output=True, text=True
    )
    return str(Path(found.stdout.strip()).resolve())


def ask(
    server: ForkServer, words: str, *, seconds: float = 20.0, memory: int = 0, output: int = 2**26
) -> Outcome:
    """Let the fake host do what `words` say."""
    arguments = Catalyst(server.executable).arguments([], SOURCE, RESULT)
    return server.run(arguments, words.encode(), Limits(seconds, memory, output))


def children_of(pid: int) -> list[int]:
    """Processes whose parent is `pid`, zombies included."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            found.append(int(folder.name))
    return found


def is_running(pid: int) -> bool:
    """False once a process has ended, reaped or not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


def wait_until(condition: Callable[[], object], what: str, seconds: float = 10.0) -> None:
    """Poll until something holds; a test that waits for ever helps nobody."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            pytest.fail(f"waited {seconds} s in vain until {what}")
        time.sleep(0.01)


@contextmanager
def running(build: Build) -> Iterator[ForkServer]:
    """A server for a block."""
    server = build.start()
    try:
        yield server
    finally:
        server.close()
