"""The line about what is being compiled: where it is seen, what it says, and that nothing of it is left."""

from __future__ import annotations

import io
import os
import pty
import subprocess
import sys
import textwrap

import pytest

from enzyme_py.foundations import progress
from enzyme_py.foundations.stages import Work
from enzyme_py.settings import Settings, read_environment

ERASE = "\r\033[K"
PROGRAM = """
import sys, threading, time
from enzyme_py.foundations import progress, stages
from enzyme_py.foundations.stages import stage
from enzyme_py.settings import config
progress.PATIENCE, progress.EVERY = {patience}, 0.01

def until(seen):
    end = time.monotonic() + 60
    while not seen() and time.monotonic() < end:
        time.sleep(0.005)

def shown(text):
    return lambda: text in progress.line._shown

"""


def run(text: str, *, patience: float = 0.0, **variables: str) -> str:
    """Return what a program writes on a terminal that is its standard error."""
    script = PROGRAM.replace("{patience}", str(patience)) + textwrap.dedent(text)
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", **variables}
    process = subprocess.Popen([sys.executable, "-c", script], stderr=theirs, stdout=subprocess.DEVNULL, env=environment)
    os.close(theirs)
    written = b""
    while True:
        try:
            more = os.read(ours, 4096)
        except OSError:  # Linux: the other end is closed
            break
        if not more:
            break
        written += more
    process.wait(60)
    os.close(ours)
    assert process.returncode == 0, written.decode()
    return written.decode()


STAGES = """
    with stage("entry", "loss", "grad of loss"):
        until(shown("Numba's entry"))
        with stage("host"):
            until(shown("Enzyme"))
"""


def test_stages_are_shown_and_the_line_is_taken_away() -> None:
    written = run(STAGES)
    first, second = "enzyme_py: grad of loss: Numba's entry", "enzyme_py: grad of loss: Enzyme"
    assert 0 < written.index(first) < written.index(second)
    assert written.endswith(ERASE)


def test_what_is_quick_says_nothing() -> None:
    assert run("with stage('entry', 'loss'): time.sleep(0.2)", patience=100.0) == ""


def test_an_exception_takes_it_away() -> None:
    text = """
        try:
            with stage("entry", "loss"):
                until(shown("loss"))
                raise ValueError
        except ValueError:
            print("caught", file=sys.stderr)
    """
    assert run(text).endswith(f"{ERASE}caught\r\n")


@pytest.mark.parametrize(
    ("setting", "variables"),
    [("config(progress=False)", {}), ("", {"ENZYME_PY_PROGRESS": "0"}), ("", {"TERM": "dumb"})],
)
def test_it_can_be_switched_off(setting: str, variables: dict[str, str]) -> None:
    text = f"{setting}\nwith stage('entry', 'loss'): time.sleep(0.2)\nassert progress.line._thread is None"
    assert run(text, **variables) == ""


def test_threads_share_the_line() -> None:
    text = """
        may_end = threading.Event()
        def work(name):
            with stage("entry", name):
                may_end.wait(60)
        threads = [threading.Thread(target=work, args=(f"f{i}",)) for i in range(3)]
        for one in threads:
            one.start()
            until(lambda: len(stages.running()) == threads.index(one) + 1)
        until(shown("and 2 more"))
        may_end.set()
        for one in threads: one.join()
        assert progress.line._shown == ""
    """
    written = run(text)
    assert "enzyme_py: f0: Numba's entry (and 2 more), 0 s" in written
    assert written.endswith(ERASE)


def test_whoever_draws_something_else_is_alone() -> None:
    text = """
        with stage("entry", "loss"):
            until(shown("loss"))
            with progress.line.hidden():
                print("bar", end="", file=sys.stderr, flush=True)
                time.sleep(0.2)
                print("!", file=sys.stderr)
            until(shown("loss"))
    """
    written = run(text)
    assert f"{ERASE}bar!\r\n" in written
    assert written.endswith(ERASE)


def test_the_thread_ends_when_there_is_nothing_to_draw() -> None:
    text = """
        progress.LINGERS = 0.05
        for _ in range(2):
            with stage("entry", "loss"):
                until(shown("loss"))
            until(lambda: progress.line._thread is None)
            assert not any("progress" in one.name for one in threading.enumerate())
    """
    assert run(text).count("loss") >= 2


def test_a_pipe_gets_lines_only_if_asked() -> None:
    script = PROGRAM.replace("{patience}", "0.0") + textwrap.dedent(STAGES)
    for setting, wanted in (("", ""), ("1", "enzyme_py: grad of loss: Numba's entry\n")):
        environment = {**os.environ, "ENZYME_PY_PROGRESS": setting}
        if not setting:
            script = script.replace("until(shown", "(time.sleep(0.2), shown")
        else:
            script = script.replace("(time.sleep(0.2), shown", "until(shown")
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment)
        assert done.returncode == 0, done.stderr
        assert done.stderr.startswith(wanted), done.stderr
        assert "\r" not in done.stderr
        assert bool(done.stderr) == bool(wanted)


def test_what_is_said() -> None:
    work = [Work("grad of f", 10.0, [("f", "entry"), ("f", "optimising")])]
    assert progress.said(work, 11.9) == ""
    assert progress.said(work, 22.4) == "enzyme_py: grad of f: O3, 12 s"
    assert progress.said([*work, *work], 12.0) == "enzyme_py: grad of f: O3 (and 1 more), 2 s"
    assert progress.said([], 12.0) == ""
    work = [Work("", 10.0, [("", "imports")])]  # nobody has said what for
    assert progress.said(work, 13.0) == "enzyme_py: compiling: imports, 3 s"


@pytest.mark.parametrize(("text", "value"), [("", None), ("1", True), ("0", False), ("off", False)])
def test_the_environment_says(text: str, value: bool | None) -> None:
    assert read_environment({"ENZYME_PY_PROGRESS": text}).progress is value
    assert Settings().progress is None


@pytest.mark.parametrize("stream", [None, object(), io.StringIO()])
def test_what_is_no_terminal_is_none(stream: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", stream)
    assert not progress.is_terminal()
    progress._write("text")
    assert progress._columns() == 80


def test_a_closed_stream_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = io.StringIO()
    closed.close()
    monkeypatch.setattr(sys, "stderr", closed)
    assert not progress.is_terminal()
    progress._write("text")
