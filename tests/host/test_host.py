"""`host.differentiate` as its callers see it: with the real executable, and with a misbehaving one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from enzyme_py import host
from enzyme_py.assembly.module import DiffModule
from enzyme_py.errors import (
    DerivativeError,
    EnzymeError,
    HostCrashed,
    HostError,
    HostNotFound,
    HostOutOfMemory,
    HostTimedOut,
    NoDerivativeError,
)
from enzyme_py.host import crash_files
from enzyme_py.host.installing import locate
from enzyme_py.host.process.client import FIXED, keeper
from enzyme_py.settings import config, settings
from tests.host.host_modules import FORWARD, HEAD, REVERSE, SQUARE, WHERE, a_module
from tests.host.host_programs import ROOT, children_of, compile_c, is_running, wait_until

# ---- with the real executable ----


@pytest.mark.parametrize("ir", [REVERSE, FORWARD], ids=["reverse", "forward alone"])
def test_a_derivative(ir: str) -> None:
    result = host.differentiate(a_module(ir))
    assert "define double @entry" in result.ir
    assert "__enzyme_" not in result.ir.replace("__enzyme_autodiff_absent", "")
    assert result.entries == ("entry",)
    assert result.where is WHERE
    assert result.seconds > 0


def test_the_options_reach_the_pass() -> None:
    exact = host.differentiate(a_module(REVERSE)).ir
    fast = host.differentiate(DiffModule(REVERSE, ("entry",), (), WHERE)).ir
    assert " fast " in fast
    assert " fast " not in exact


def test_simplify_stops_before_enzyme() -> None:
    module = host.simplify(a_module(REVERSE))
    assert "@__enzyme_autodiff(" in module.ir
    assert "; ModuleID" in module.ir  # it went through LLVM
    assert "@__enzyme_autodiff(" not in host.differentiate(module).ir


def test_nothing_is_written_and_nothing_is_printed(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    host.close()
    host.differentiate(a_module(REVERSE))
    assert list(tmp_path.iterdir()) == []
    assert capfd.readouterr() == ("", "")


def test_importing_starts_and_loads_nothing() -> None:
    program = (
        "import sys, os\nfrom enzyme_py import host\n"
        "loaded = [n for n in ('process.client', 'installing.locate', 'installing.provision') if 'enzyme_py.host.' + n in sys.modules]\n"
        "assert not loaded, loaded\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "ENZYME_PY_HOST": "/no/such/host"}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True)


LINES = 60_000  # for more than half a second and 320 MiB


def test_the_real_pass_is_stopped_by_its_limits() -> None:
    body = "\n".join(f"  %y{i + 1} = fmul double %y{i}, %x" for i in range(LINES))
    many = SQUARE.replace("MODE", "autodiff").replace("ONE", "").replace("%y = fmul double %x, %x", f"%y0 = fmul double %x, %x\n{body}").replace("ret double %y\n", f"ret double %y{LINES}\n")  # fmt: skip
    with config(time_limit=0.5), pytest.raises(HostTimedOut, match=r"time limit of 0\.5 s"):
        host.differentiate(a_module(HEAD + many))
    with config(memory_limit=320 * 2**20), pytest.raises(HostOutOfMemory, match="limit of 320 MiB"):
        host.differentiate(a_module(HEAD + many))
    assert host.differentiate(a_module(REVERSE)).ir


def test_in_a_forked_process() -> None:
    """As multiprocessing forks: the child must not speak to its parent's server."""
    host.close()  # those of other tests, of other executables
    before = host.differentiate(a_module(REVERSE)).ir
    (server,) = keeper._servers.values()
    child = os.fork()
    if child == 0:
        status = 1
        try:
            same = host.differentiate(a_module(REVERSE)).ir == before
            (own,) = keeper._servers.values()
            status = 0 if same and own.hello.pid != server.hello.pid else 2
        finally:
            host.close()
            os._exit(status)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert server.is_alive()
    assert host.differentiate(a_module(REVERSE)).ir == before


def test_forking_while_another_thread_waits() -> None:
    """The locks of a thread that does not exist in the child must not stop the child."""
    with ThreadPoolExecutor(1) as pool, keeper.turns:
        held = threading.Event()
        released = threading.Event()

        def hold() -> None:
            with keeper._lock:
                held.set()
                released.wait()

        waiting = pool.submit(hold)
        held.wait()
        child = os.fork()
        if child == 0:
            status = 1
            try:
                signal.alarm(30)
                host.differentiate(a_module(REVERSE))
                status = 0
            finally:
                host.close()
                os._exit(status)
        released.set()
        waiting.result()
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_the_server_ends_with_the_interpreter() -> None:
    program = (
        "from enzyme_py import host\nfrom enzyme_py.host.process.client import keeper\n"
        "from tests.host.host_modules import a_module, REVERSE\nhost.differentiate(a_module(REVERSE))\n"
        "print([s.hello.pid for s in keeper._servers.values()][0])"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stderr == ""
    assert not is_running(int(done.stdout))


# ---- with the fake one ----


@pytest.fixture(scope="module")
def fake_host(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fake")
    return compile_c(folder / "fake_host", str(ROOT / "tests/csrc/fake_host.c"))


@pytest.fixture
def fake(fake_host: Path, tmp_path: Path) -> Iterator[Path]:
    """The settings name the fake host, and a cache folder of the test's own."""
    with config(host=str(fake_host), cache_dir=tmp_path, time_limit=10.0):
        yield fake_host


GOOD = "copy define i32 @entry() { ret i32 0 }"


def test_a_crash_is_an_exception_and_the_module_is_kept(fake: Path, tmp_path: Path) -> None:
    with pytest.raises(HostCrashed) as caught:
        host.differentiate(a_module("assert ; the module"))
    message = str(caught.value)
    assert "Assertion `isActive" in message
    assert "model.py:3" in message
    (saved,) = (tmp_path / "crashes").glob("*.ll")
    assert str(saved) in message
    assert "assert ; the module" in saved.read_text()
    assert "; fake_host: Gradient.cpp:12" in saved.read_text()  # the log, as comments
    assert (saved.parent.stat().st_mode & 0o777) == 0o700
    assert host.differentiate(a_module(GOOD)).ir.startswith("define i32 @entry")


def test_only_so_many_crashes_are_kept(fake: Path, tmp_path: Path) -> None:
    for number in range(crash_files.KEPT + 3):
        with pytest.raises(HostCrashed):
            host.differentiate(a_module(f"segv {number}"))
    assert len(list((tmp_path / "crashes").iterdir())) == crash_files.KEPT


def test_a_crash_where_nothing_can_be_saved(fake: Path, tmp_path: Path) -> None:
    (tmp_path / "crashes").write_text("a file in the way")
    with pytest.raises(HostCrashed, match="Segmentation fault"):
        host.differentiate(a_module("segv"))


def test_out_of_memory(fake: Path) -> None:
    with config(memory_limit=2**28), pytest.raises(HostOutOfMemory, match="limit of 256 MiB"):
        host.differentiate(a_module("grow"))


def test_timed_out(fake: Path) -> None:
    with (
        config(time_limit=0.2),
        pytest.raises(HostTimedOut, match="config\\(time_limit=seconds\\)"),
    ):
        host.differentiate(a_module("hang"))


def test_killed_by_somebody_else(fake: Path) -> None:
    with ThreadPoolExecutor(1) as pool:
        request = pool.submit(host.differentiate, a_module("hang"))
        wait_until(lambda: _children_of_the_server(fake), "the child runs")
        os.kill(_children_of_the_server(fake)[0], signal.SIGKILL)
        with pytest.raises(HostOutOfMemory, match="ran out of memory"):
            request.result()


def _children_of_the_server(executable: Path) -> list[int]:
    server = keeper._servers.get(executable)  # None for the moment in which one is replaced
    return children_of(server.hello.pid) if server else []


def test_a_dead_server_is_replaced(fake: Path) -> None:
    host.differentiate(a_module(GOOD))
    first = keeper._servers[fake].hello.pid
    os.kill(first, signal.SIGKILL)
    assert host.differentiate(a_module(GOOD)).ir
    assert keeper._servers[fake].hello.pid != first


def test_a_server_that_dies_in_a_request_twice(fake: Path) -> None:
    with ThreadPoolExecutor(1) as pool:
        request = pool.submit(host.differentiate, a_module("hang"))
        wait_until(lambda: _children_of_the_server(fake), "the child runs")
        first = keeper._servers[fake].hello.pid
        os.kill(first, signal.SIGKILL)
        wait_until(lambda: _is_replaced(fake, first), "another server is asked")
        wait_until(lambda: _children_of_the_server(fake), "it runs a child")
        os.kill(keeper._servers[fake].hello.pid, signal.SIGKILL)
        with pytest.raises(HostCrashed, match="in the middle of a request") as caught:
            request.result()
        assert "the module was saved as" in caught.value.remedy
    assert host.differentiate(a_module(GOOD)).ir


def _is_replaced(executable: Path, first: int) -> bool:
    server = keeper._servers.get(executable)
    return server is not None and server.hello.pid != first


def test_a_result_without_its_entry(fake: Path) -> None:
    with pytest.raises(HostError, match="lacks its entry `entry`"):
        host.differentiate(a_module("copy define i32 @other() { ret i32 0 }"))


def test_a_result_that_is_no_code(fake: Path) -> None:
    with pytest.raises(HostError, match="cannot be read") as caught:
        host.differentiate(a_module("copy define i32 @entry("))
    assert "doctor" in caught.value.remedy
    assert "no function" in caught.value.detail


def test_a_derivative_left_undone(fake: Path) -> None:
    left = "copy define i32 @entry() { call double (ptr, ...) @__enzyme_autodiff(ptr @f) }"
    with pytest.raises(DerivativeError, match="left a derivative undone"):
        host.differentiate(a_module(left))


def test_more_text_than_can_be_checked(fake: Path) -> None:
    with pytest.raises(HostError, match="more than can be checked"):
        host.differentiate(a_module("flood define i32 @entry() { ret i32 0 }"))


def test_many_threads(fake: Path) -> None:
    def one(number: int) -> bool:
        text = f"{GOOD} ; {number} "
        return f"; {number} " in host.differentiate(a_module(text)).ir

    with ThreadPoolExecutor(16) as pool:
        assert all(pool.map(one, range(100)))


# ---- which program ----


def test_a_setting_that_names_nothing(tmp_path: Path) -> None:
    with config(host=str(tmp_path / "none")), pytest.raises(HostNotFound, match="is not a file"):
        host.differentiate(a_module(REVERSE))
    (tmp_path / "plain").write_text("x")
    with config(host=str(tmp_path / "plain")), pytest.raises(HostNotFound, match="not executable"):
        host.differentiate(a_module(REVERSE))


def test_a_plugin_that_is_not_there(tmp_path: Path) -> None:
    with (
        config(plugin=str(tmp_path / "none.so")),
        pytest.raises(HostNotFound, match="PLUGIN names"),
    ):
        host.differentiate(a_module(REVERSE))


def test_a_plugin_without_opt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plugin = tmp_path / "LLVMEnzyme-22.so"
    plugin.write_text("")
    monkeypatch.setenv("PATH", str(tmp_path))
    with config(plugin=str(plugin)), pytest.raises(HostNotFound, match="no `opt` of LLVM 22"):
        host.differentiate(a_module(REVERSE))


FAKE_OPT = """#!/bin/sh
for word in "$@"; do echo "$word" >&2; done
while [ "$1" != -S ]; do shift; done
cat "$2" > "$4"
"""


def test_a_plugin_is_run_by_opt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No real plugin exists here: an `opt` that says how it was called stands in for it."""
    plugin, opt = tmp_path / "LLVMEnzyme-22.so", tmp_path / "opt-22"
    code = GOOD.removeprefix("copy ")
    plugin.write_text("")
    opt.write_text(FAKE_OPT)
    opt.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with config(plugin=str(plugin), host=None):
        result = host.differentiate(DiffModule(code, ("entry",), ("--one", "--two"), WHERE))
    told = result.remarks.splitlines()
    assert told[0] == f"-load-pass-plugin={plugin}"
    assert told[1].startswith("-passes=preserve-nvvm,")
    assert told[-10:-3] == ["--one", "--two", *FIXED, "-S"]
    assert result.ir == code


@pytest.mark.parametrize(("words", "kind"), [("segv", HostCrashed), ("refuse", NoDerivativeError)])
def test_without_a_server(
    fake: Path, monkeypatch: pytest.MonkeyPatch, words: str, kind: type[EnzymeError]
) -> None:
    monkeypatch.setattr("enzyme_py.host.process.client.can_serve", lambda executable: False)
    with pytest.raises(kind):
        host.differentiate(a_module(words))


def test_limits_without_a_server(fake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("enzyme_py.host.process.client.can_serve", lambda executable: False)
    with config(time_limit=0.3), pytest.raises(HostTimedOut):
        host.differentiate(a_module("hang"))
    with config(memory_limit=2**28), pytest.raises(HostOutOfMemory):
        host.differentiate(a_module("grow"))


def test_the_real_pass_without_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    served = host.differentiate(a_module(REVERSE)).ir
    monkeypatch.setattr("enzyme_py.host.process.client.can_serve", lambda executable: False)
    assert host.differentiate(a_module(REVERSE)).ir == served


def test_identity_follows_the_settings(tmp_path: Path) -> None:
    with config(host=None, plugin=None):
        assert host.identity() == "pennylane-catalyst 0.15.0"
    program = tmp_path / "host"
    program.write_text("1")
    with config(host=str(program)):
        first = host.identity()
        program.write_text("12")
        assert host.identity() != first


def test_what_was_found_is_kept_until_the_settings_change(fake: Path) -> None:
    assert locate.find_toolchain() is locate.find_toolchain()
    assert locate.find_toolchain().executable == fake
    locate.forget()
    assert settings.host == str(fake)
