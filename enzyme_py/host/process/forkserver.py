"""One running fork server: started, spoken to, and ended here, and nowhere else.

`ForkServer(executable).run(arguments, ir, limits)` runs the program's main on `ir` in a child of the
server and returns the Outcome. It may be called from many threads at once: each request has its own
reply pipe, so nobody waits for anybody's lock. Waiting releases the GIL and ends at once on Ctrl-C,
which kills that request's child and nothing else. A server that ended is never restarted here;
`ServerEnded` tells its keeper.
"""

from __future__ import annotations

import errno
import itertools
import mmap
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Self

from enzyme_py.errors import HostError, HostNotFound
from enzyme_py.foundations.libraries import library_file
from enzyme_py.host.process import protocol
from enzyme_py.host.process.environment import host_environment
from enzyme_py.host.process.outcome import Limits, Outcome

HELLO_LOOKS = 60  # of a second each, however long the machine sleeps in one: a cold start reads 227 MB from disk
FAREWELL_SECONDS = 5.0
FRESH = "something ends the host from outside; the next request starts a fresh one"
DOCTOR = "run `python -m enzyme_py doctor`; the detail has what the system says"


SHORTAGES = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN)  # not the program's fault


class ServerEnded(HostError):
    """The fork server ended before it could answer. Nobody knows whether this request is to blame."""


def can_serve(executable: Path) -> bool:
    """Whether the shim can be preloaded into it: a binary (no script), on Linux."""
    if sys.platform != "linux":
        return False
    with executable.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def shim_path() -> Path:
    """The preloaded library, which is package data."""
    return library_file("libenzyme_py_host.so")


def _splits(path: str) -> bool:
    """Tell whether the loader takes a path for several, so that a descriptor has to name the file."""
    return " " in path or ":" in path


@contextmanager
def _memory_file(name: str, content: bytes = b"") -> Iterator[int]:
    descriptor = os.memfd_create(f"enzyme_py_{name}", os.MFD_CLOEXEC)
    try:
        rest = memoryview(content)
        while rest:  # one write takes at most 2 GiB, and less at a limit on the size of files
            rest = rest[os.write(descriptor, rest) :]
        os.lseek(descriptor, 0, os.SEEK_SET)
        yield descriptor
    finally:
        os.close(descriptor)


def _content(descriptor: int) -> str:
    size = os.fstat(descriptor).st_size
    if size == 0:
        return ""
    with mmap.mmap(descriptor, size, prot=mmap.PROT_READ) as view:
        return str(view[:], "utf-8", "replace")


class _ReplyPipe:
    """The pipe of one answer. Closing it cancels the request."""

    def __init__(self) -> None:
        self.reader, self.writer = os.pipe()

    def read_answer(self) -> bytes:
        return os.read(self.reader, 4096)  # the server writes an answer in one piece

    def close_writer(self) -> None:
        if self.writer >= 0:
            os.close(self.writer)
            self.writer = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close_writer()
        os.close(self.reader)


class ForkServer:
    """A program turned into a fork server by the shim."""

    def __init__(self, executable: Path, *, preload: Sequence[str] | None = None) -> None:
        self.executable = executable
        self._ids = itertools.count(1)
        self._sending = threading.Lock()
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs, _memory_file("startup") as log:
            try:
                self._process = self._start(preload or [str(shim_path())], theirs, log)
                theirs.close()
                self.hello = self._read_hello(log)
            except BaseException:
                self.close()
                raise

    def _start(
        self, preload: Sequence[str], theirs: socket.socket, log: int
    ) -> subprocess.Popen[bytes]:
        environment = host_environment()
        held = [os.open(path, os.O_RDONLY | os.O_CLOEXEC) for path in preload if _splits(path)]
        names = iter([f"/proc/self/fd/{descriptor}" for descriptor in held])
        environment["LD_PRELOAD"] = " ".join(
            next(names) if _splits(path) else path for path in preload
        )
        environment[protocol.SERVER_FD_VARIABLE] = str(theirs.fileno())
        environment[protocol.CLIENT_PID_VARIABLE] = str(os.getpid())
        try:
            return subprocess.Popen(
                [str(self.executable)],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=log,
                cwd="/",  # a server that lives long must not keep a folder busy
                pass_fds=[theirs.fileno(), *held],
                start_new_session=True,  # the terminal's Ctrl-C is for Python alone
            )
        except OSError as error:
            if error.errno in SHORTAGES:
                raise
            message = f"the Enzyme host {self.executable} cannot be run: {error.strerror}"
            raise HostNotFound(message, remedy=DOCTOR, detail=str(error)) from error
        finally:
            for descriptor in held:
                os.close(descriptor)

    def _read_hello(self, log: int) -> protocol.Hello:
        frame = b""
        self._socket.settimeout(1.0)
        for _ in range(HELLO_LOOKS):
            try:
                frame = self._socket.recv(protocol.LARGEST_FRAME)
            except TimeoutError:
                continue
            except ConnectionError:
                pass
            break
        self._socket.settimeout(None)
        if not frame:
            message = f"the Enzyme host {self.executable} did not start"
            raise HostError(message, remedy=DOCTOR, detail=_content(log))
        return protocol.unpack_hello(frame)

    def is_alive(self) -> bool:
        """False once the process has ended."""
        return self._process.poll() is None

    def run(self, arguments: Sequence[str], ir: bytes, limits: Limits) -> Outcome:
        """Run the program's main once, in a child of the server."""
        id = next(self._ids)
        request = protocol.pack_request(
            id,
            arguments,
            time_limit=limits.seconds,
            memory_limit=limits.memory,
            file_limit=limits.output,
        )
        with (
            _memory_file("input", ir) as source,
            _memory_file("output") as output,
            _memory_file("log") as log,
            _ReplyPipe() as pipe,
        ):
            self._send(request, [source, output, log, pipe.writer])
            pipe.close_writer()
            answer = self._answer(pipe.read_answer(), id)
            return Outcome(
                output=_content(output),
                log=_content(log),
                wait_status=answer.wait_status,
                timed_out=answer.cause is protocol.Cause.TIMED_OUT,
                seconds=answer.elapsed_us / 1e6,
                peak_bytes=answer.peak_kib * 1024,
                limits=limits,
            )

    def _send(self, request: bytes, descriptors: list[int]) -> None:
        try:
            with self._sending:
                socket.send_fds(self._socket, [request], descriptors)
        except OSError as error:
            message = "the Enzyme host ended between two requests"
            raise ServerEnded(message, remedy=FRESH, detail=str(error)) from error

    def _answer(self, frame: bytes, id: int) -> protocol.Reply:
        if not frame:
            message = "the Enzyme host ended in the middle of a request"
            raise ServerEnded(message, remedy=FRESH)
        answer = protocol.unpack_answer(frame, id)
        if isinstance(answer, protocol.Refusal):
            raise HostError(f"the Enzyme host refused a request: {answer.reason}")
        return answer

    def close(self) -> None:
        """End the server; it kills what still runs. Closing twice does nothing more."""
        self._socket.close()
        process = getattr(self, "_process", None)
        if process is None or process.returncode is not None:
            return
        try:
            process.wait(FAREWELL_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def abandon(self) -> None:
        """After os.fork, in the child: let go of a server that belongs to the parent."""
        self._socket.close()
        self._process.returncode = 0  # it is not our child: never wait for it, never warn
