"""The C shim, driven through the fake host, as it is shipped, under ASan and UBSan, and under TSan."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from enzyme_py.errors import HostError, HostNotFound
from enzyme_py.host.process import protocol
from enzyme_py.host.process.forkserver import ForkServer, ServerEnded
from tests.host.host_programs import (
    ROOT,
    SANITIZERS,
    Build,
    ask,
    children_of,
    is_running,
    make_build,
    running,
    wait_until,
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the shim is for Linux")


@pytest.fixture(scope="module", params=["plain", *SANITIZERS])
def build(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Build:
    """The builds."""
    folder = tmp_path_factory.mktemp(request.param)
    return make_build(folder, request.param)


@pytest.fixture
def server(build: Build) -> Iterator[ForkServer]:
    """A server that must end without a sanitizer's report, without children, and at once."""
    with running(build) as server:
        yield server
        pid = server.hello.pid
    assert not is_running(pid)
    assert build.complaints() == ""


def test_hello(server: ForkServer) -> None:
    assert is_running(server.hello.pid)
    assert not server.hello.has_enzyme  # the fake host has none
    assert server.hello.llvm_version == (0, 0, 0)


def test_the_result_comes_back_and_code_generation_is_not_reached(server: ForkServer) -> None:
    outcome = ask(server, "copy the result")
    assert (outcome.output, outcome.log, outcome.wait_status) == ("the result", "", 0)
    assert 0 < outcome.seconds < 20
    assert outcome.peak_bytes > 0


def test_a_large_result(server: ForkServer) -> None:
    text = "0123456789abcdef" * 60000
    assert ask(server, f"copy {text}").output == text


def test_what_the_program_prints_goes_to_the_log_only(
    server: ForkServer, capfd: pytest.CaptureFixture[str]
) -> None:
    outcome = ask(server, "print x")
    assert outcome.log == "to stdout\nto stderr\n"
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("words", "exit_status", "number"),
    [
        ("refuse", 1, None),
        ("segv", None, signal.SIGSEGV),
        ("assert", None, signal.SIGABRT),
        ("no-such-action", 65, None),
        ("overflow quietly", 4, None),
    ],
)
def test_the_wait_status_is_relayed(
    server: ForkServer, words: str, exit_status: int | None, number: int | None
) -> None:
    outcome = ask(server, words)
    assert (outcome.exit_status, outcome.signal, outcome.timed_out) == (exit_status, number, False)
    assert ask(server, "copy still here").output == "still here"


@pytest.mark.parametrize("words", ["hang", "spin"])
def test_a_time_limit(server: ForkServer, words: str) -> None:
    begun = time.monotonic()
    outcome = ask(server, words, seconds=0.3)
    assert outcome.timed_out
    assert outcome.signal == signal.SIGKILL
    assert 0.3 <= time.monotonic() - begun < 5


def test_time_in_which_the_machine_slept_is_nobodys(build: Build, server: ForkServer) -> None:
    """Server and child are frozen for longer than the limit, as in a laptop or a container that sleeps."""
    if build.is_sanitized:
        pytest.skip("once is enough: it takes seconds")
    with ThreadPoolExecutor() as pool:
        begun = time.monotonic()
        asked = pool.submit(ask, server, "hang", seconds=1.5)
        wait_until(lambda: children_of(server.hello.pid), "the request runs")
        frozen = [server.hello.pid, *children_of(server.hello.pid)]
        for pid in frozen:
            os.kill(pid, signal.SIGSTOP)
        time.sleep(3.0)
        for pid in frozen:
            os.kill(pid, signal.SIGCONT)
        outcome = asked.result()
    assert outcome.timed_out  # of what it ran itself
    assert outcome.seconds < 2.5 < 3.2 < time.monotonic() - begun


def test_a_memory_limit(build: Build, server: ForkServer) -> None:
    if build.is_sanitized:
        pytest.skip("sanitizers map more than any limit")
    outcome = ask(server, "grow", memory=2**28)
    assert outcome.signal == signal.SIGABRT
    assert outcome.peak_bytes < 2**28
    assert "out of memory" in outcome.log


def test_an_output_limit(server: ForkServer) -> None:
    assert ask(server, "overflow", output=2**22).signal == signal.SIGXFSZ


def test_a_flood_of_text_is_cut_and_harms_nothing(server: ForkServer) -> None:
    outcome = ask(server, "flood x", output=2**30)
    assert outcome.output == "x"
    assert protocol.LOG_LIMIT - 65536 <= len(outcome.log) <= protocol.LOG_LIMIT


def test_a_deep_recursion_has_stack(build: Build, server: ForkServer) -> None:
    assert ask(server, "recurse deep").output == "deep"


def test_what_the_child_leaves_behind_is_killed(server: ForkServer) -> None:
    grandchild = int(ask(server, "leave-child").output)
    wait_until(lambda: not is_running(grandchild), "the grandchild is gone")


def test_the_child_has_five_descriptors(server: ForkServer) -> None:
    assert ask(server, "descriptors").output.split() == ["0", "1", "2", "3", "4"]


def test_the_child_knows_nothing_of_the_shim(server: ForkServer) -> None:
    assert ask(server, "environment").output == "none none"
    assert ask(server, "signals").output == "clean"


def test_arguments_arrive_as_given(server: ForkServer) -> None:
    outcome = ask(server, "arguments")
    assert outcome.output.splitlines()[0] == str(server.executable)
    assert outcome.output.splitlines()[-1] == "/proc/self/fd/3"


def test_requests_of_many_threads_are_not_mixed_up(server: ForkServer) -> None:
    def one(number: int) -> bool:
        return ask(server, f"copy {number}").output == str(number)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(one, range(80)))


def test_a_slow_request_holds_up_no_other(server: ForkServer) -> None:
    with ThreadPoolExecutor(1) as pool:
        slow = pool.submit(ask, server, "hang", seconds=2.0)
        assert ask(server, "copy quick").seconds < 1.5
        assert not slow.done()
        assert slow.result().timed_out


def test_three_hundred_requests_leak_nothing(server: ForkServer) -> None:
    ask(server, "copy first")
    wait_until(lambda: children_of(server.hello.pid) == [], "it is reaped")
    time.sleep(0.1)
    ours, theirs = _descriptors(os.getpid()), _descriptors(server.hello.pid)
    for number in range(300):
        ask(server, ["copy x", "refuse", "segv"][number % 3])
    assert _descriptors(os.getpid()) == ours
    # an answer is sent a moment before its pipe is closed
    wait_until(lambda: _descriptors(server.hello.pid) == theirs, "all are closed")
    assert children_of(server.hello.pid) == []


def _descriptors(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/fd"))


def test_ctrl_c_ends_one_request_and_no_more(server: ForkServer) -> None:
    # A shell starts background jobs with SIGINT ignored, and so may what runs these tests.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        _interrupt_one_of_two(server)
    finally:
        signal.signal(signal.SIGINT, before)


def _interrupt_one_of_two(server: ForkServer) -> None:
    main = threading.main_thread().ident
    assert main is not None
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(ask, server, "hang", seconds=2.0)
        wait_until(lambda: len(children_of(server.hello.pid)) == 1, "one child runs")
        timer = threading.Timer(0.3, signal.pthread_kill, (main, signal.SIGINT))
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            ask(server, "hang")
        wait_until(lambda: len(children_of(server.hello.pid)) == 1, "the child was killed")
        assert other.result().timed_out
    assert ask(server, "copy on").output == "on"


def test_a_killed_server_takes_its_children_along(build: Build) -> None:
    with running(build) as server, ThreadPoolExecutor(1) as pool:
        request = pool.submit(ask, server, "hang")
        wait_until(lambda: children_of(server.hello.pid), "the child runs")
        (child,) = children_of(server.hello.pid)
        os.kill(server.hello.pid, signal.SIGKILL)
        with pytest.raises(ServerEnded, match="in the middle of a request"):
            request.result()
        wait_until(lambda: not is_running(child), "the child is gone")
        assert not server.is_alive()
        with pytest.raises(ServerEnded):
            ask(server, "copy x")


def test_closing_kills_what_runs(build: Build) -> None:
    with running(build) as server, ThreadPoolExecutor(1) as pool:
        request = pool.submit(ask, server, "hang")
        wait_until(lambda: children_of(server.hello.pid), "the child runs")
        server.close()
        server.close()
        with pytest.raises(ServerEnded):
            request.result()


ORPHAN_MAKER = """
import os, sys, threading, time
from pathlib import Path
from enzyme_py.host.process.forkserver import ForkServer
from tests.host.host_programs import ask
server = ForkServer(Path(sys.argv[1]), preload=[sys.argv[2]])
threading.Thread(target=ask, args=(server, "hang"), daemon=True).start()
keeper = os.fork() if sys.argv[3] == "forked" else 0
if sys.argv[3] == "forked" and keeper == 0:
    time.sleep(60)  # holds every descriptor of its parent
print(server.hello.pid, keeper, flush=True)
time.sleep(60)
"""


@pytest.mark.parametrize("kind", ["alone", "forked"])
def test_no_orphan_when_the_client_is_killed(build: Build, kind: str) -> None:
    if build.is_sanitized:
        pytest.skip("the client of this test preloads one library only")
    client = subprocess.Popen(
        [sys.executable, "-c", ORPHAN_MAKER, str(build.executable), *build.preload, kind],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert client.stdout is not None
    server, keeper = map(int, client.stdout.readline().split())
    wait_until(lambda: children_of(server), "the child runs")
    (child,) = children_of(server)
    client.kill()
    client.wait()
    client.stdout.close()
    wait_until(lambda: not is_running(child) and not is_running(server), "both are gone")
    if keeper:
        os.kill(keeper, signal.SIGKILL)


def test_a_server_outlives_the_thread_that_started_it(build: Build) -> None:
    with ThreadPoolExecutor(1) as pool:
        server = pool.submit(build.start).result()
    time.sleep(0.1)
    assert ask(server, "copy alive").output == "alive"
    server.close()


# ---- frames that no client of ours would send ----


def _raw_request(server: ForkServer, frame: bytes, *, descriptors: int = 4) -> bytes:
    """Send bytes, with a reply pipe as the last of so many descriptors; the answer's bytes."""
    reader, writer = os.pipe()
    try:
        socket.send_fds(server._socket, [frame], [writer] * descriptors)
        os.close(writer)
        return os.read(reader, 4096)
    finally:
        os.close(reader)


def _request(**changes: int) -> bytes:
    values = {
        "magic": protocol.FRAME_MAGIC,
        "version": protocol.PROTOCOL_VERSION,
        "kind": protocol.KIND_REQUEST,
        "count": 2,
        "extra": 0,
        "cut": 0,
        **changes,
    }
    payload = protocol.REQUEST.pack(1000, 0, 0, values["count"], 0) + b"one\0two\0"
    payload = payload[: len(payload) - values["cut"]]
    length = len(payload) + values["extra"]
    header = protocol.HEADER.pack(values["magic"], values["version"], values["kind"], 9, length, 0)
    return header + payload


MALFORMED = {
    "short": (b"EZYH", "shorter than its header"),
    "header cut": (_request()[:20], "shorter than its header"),
    "magic": (_request(magic=1), "foreign magic"),
    "version": (_request(version=2), "another protocol version"),
    "kind": (_request(kind=protocol.KIND_REPLY), "not a request"),
    "truncated": (_request(extra=10), "not as long as its header says"),
    "no payload": (_request(cut=100, extra=0), "shorter than its fields"),
    "too few arguments": (_request(count=3), "as many arguments"),
    "too many arguments": (_request(count=1), "as many arguments"),
    "argument not ended": (_request(cut=1), "as many arguments"),
    "too long": (_request() + bytes(protocol.MAX_PAYLOAD), "longer than the protocol allows"),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_a_malformed_frame_is_refused(server: ForkServer, case: str) -> None:
    frame, reason = MALFORMED[case]
    answer = _raw_request(server, frame)
    _, kind, payload = _parts(answer)
    assert kind == protocol.KIND_REFUSAL
    assert reason in payload.decode()
    assert ask(server, "copy fine").output == "fine"


def _parts(answer: bytes) -> tuple[int, int, bytes]:
    fields = protocol.HEADER.unpack_from(answer)
    assert fields[:2] == (protocol.FRAME_MAGIC, protocol.PROTOCOL_VERSION)
    assert fields[4] == len(answer) - protocol.HEADER.size
    return fields[3], fields[2], answer[protocol.HEADER.size :]


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_frame_that_cannot_be_answered_harms_no_good_one(build: Build, count: int) -> None:
    with running(build) as server:
        assert _raw_request(server, _request(magic=1), descriptors=count) == b""
        wait_until(lambda: not server.is_alive(), "the server has ended")


def test_too_many_descriptors_are_closed(server: ForkServer) -> None:
    before = _descriptors(server.hello.pid)
    for _ in range(5):
        _raw_request(server, _request(kind=99), descriptors=12)
    ask(server, "copy x")
    wait_until(lambda: _descriptors(server.hello.pid) == before, "all are closed")


def test_more_requests_than_the_server_keeps(server: ForkServer) -> None:
    pipes = [os.pipe() for _ in range(protocol.MAX_REQUESTS + 1)]
    frames = [_hanging_request(server, *pipe) for pipe in pipes]
    answer = os.read(pipes[-1][0], 4096)
    assert b"too many requests" in answer
    for reader, _ in pipes:
        os.close(reader)  # cancels
    assert len(frames) == len(pipes)
    wait_until(lambda: children_of(server.hello.pid) == [], "all were killed")
    assert ask(server, "copy x").output == "x"


def _hanging_request(server: ForkServer, reader: int, writer: int) -> None:
    source = os.memfd_create("hang")
    os.write(source, b"hang")
    arguments = [str(server.executable), f"/proc/self/fd/{protocol.INPUT_DESCRIPTOR}"]
    frame = protocol.pack_request(1, arguments, time_limit=0, memory_limit=0, file_limit=0)
    socket.send_fds(server._socket, [frame], [source, source, source, writer])
    os.close(source)
    os.close(writer)


# ---- programs that are no servers ----


def test_a_program_that_is_not_a_server(build: Build, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("#!/bin/sh\necho no Enzyme here >&2\n")
    script.chmod(0o755)
    with pytest.raises(HostError, match="did not start") as caught:
        ForkServer(script, preload=["/no/such/shim.so"])
    assert "no Enzyme here" in caught.value.detail


def test_a_program_that_cannot_be_run(build: Build, tmp_path: Path) -> None:
    nothing = tmp_path / "nothing"
    nothing.write_bytes(b"\x7fELF garbage")
    nothing.chmod(0o755)
    with pytest.raises(HostNotFound, match="cannot be run"):
        ForkServer(nothing, preload=build.preload)


def test_without_our_variable_the_program_runs_as_itself(build: Build) -> None:
    if build.is_sanitized:
        pytest.skip("the plain build shows it")
    environment = {**os.environ, "LD_PRELOAD": " ".join(build.preload)}
    done = subprocess.run(
        [str(build.executable)], env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (64, "fake_host: no arguments\n")
