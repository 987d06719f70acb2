"""What is said when generated code dies: planted crashes, each in a process of its own."""

from __future__ import annotations

import ctypes
import gzip
import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from enzyme_py.errors import Where
from enzyme_py.host import crash_files, last_crash
from enzyme_py.native import runtime
from enzyme_py.native.faults import watched
from enzyme_py.settings import config, settings

ROOT = Path(__file__).parent.parent.parent
PROGRAMS = ROOT / "tests" / "native" / "crash_programs.py"
LINE = re.compile(r"^enzyme_py: (SIG\w+) while `(\w+)` \(([^)]*):(\d+)\) ran(.*)$", re.MULTILINE)


@pytest.fixture
def folder(tmp_path) -> Path:
    """A cache of its own, with the derivatives that are there."""
    known = settings.cache_dir / "derivatives"
    if known.is_dir():
        (tmp_path / "derivatives").symlink_to(known)
    return tmp_path


def command(folder: Path, *how: str, **variables: str) -> dict[str, object]:
    environment = {**os.environ, "ENZYME_PY_CACHE_DIR": str(folder), **variables}
    environment.pop("PYTHONFAULTHANDLER", None)
    return {
        "args": [sys.executable, "-m", "tests.native.crash_programs", *how],
        "cwd": ROOT,
        "env": environment,
        "text": True,
        "stdout": subprocess.PIPE,
        "stderr": subprocess.PIPE,
    }


def died(folder: Path, *how: str, **variables: str) -> tuple[int, str]:
    done = subprocess.run(**command(folder, *how, **variables), timeout=300)
    return done.returncode, done.stderr


def line_of(name: str) -> int:
    lines = PROGRAMS.read_text().splitlines()
    return next(i for i, line in enumerate(lines, 1) if line.startswith(f"def {name}(")) - 1


WAYS = [
    ((), signal.SIGSEGV, "writes_anywhere"),
    (("faulthandler-before",), signal.SIGSEGV, "writes_anywhere"),
    (("faulthandler-after",), signal.SIGSEGV, "writes_anywhere"),
    (("faulthandler-before", "faulthandler-off"), None, "writes_anywhere"),
    (("thread",), signal.SIGSEGV, "writes_anywhere"),
    (("thread", "faulthandler-before"), signal.SIGSEGV, "writes_anywhere"),
    (("fork",), signal.SIGSEGV, "writes_anywhere"),
    (("deep",), signal.SIGSEGV, "descends"),
    (("deep", "thread"), signal.SIGSEGV, "descends"),
    (("deep", "faulthandler-before"), signal.SIGSEGV, "descends"),
    (("abort",), signal.SIGABRT, "aborts"),
    (("abort", "faulthandler-after"), signal.SIGABRT, "aborts"),
]


@pytest.mark.parametrize(
    ("how", "number", "kernel"), WAYS, ids=["-".join(w[0]) or "plain" for w in WAYS]
)
def test_the_derivative_that_died_is_named(folder, how, number, kernel) -> None:
    status, errors = died(folder, *how)
    found = LINE.findall(errors)
    if number is None:  # who calls faulthandler off takes what came behind it with it
        assert (status, found) == (-signal.SIGSEGV, [])
        return
    assert status == -number
    assert len(found) == 1, errors
    name, derivative, file, line, rest = found[0]
    assert (name, derivative) == (number.name, f"reverse_of_{kernel}")
    assert Path(file) == PROGRAMS
    if kernel != "aborts":
        assert int(line) == line_of(kernel)
    assert "ENZYME_PY_GUARD=1" in rest
    has_dump = "Fatal Python error" in errors
    assert has_dump == any(word.startswith("faulthandler") for word in how)
    ir = re.search(r"its IR: (\S+);", rest)
    assert ir is not None
    assert f"reverse_of_{kernel}" in gzip.decompress(Path(ir.group(1)).read_bytes()).decode()
    with config(cache_dir=folder):
        told = last_crash.last_crash()
    assert told is not None
    for part in (number.name, derivative, f"{file}:{line}", "numba", "guard pages off", ".ll\n"):
        assert part in told


def test_derivatives_inside_of_derivatives_are_named(folder) -> None:
    status, errors = died(folder, "nested")
    assert status == -signal.SIGSEGV
    assert len(LINE.findall(errors)) == 1
    assert "inner_and_outer" in errors


@pytest.mark.parametrize("name", ["SIGABRT", "SIGFPE", "SIGILL", "SIGBUS", "SIGSEGV"])
def test_each_signal_goes_on(folder, name) -> None:
    with subprocess.Popen(**command(folder, "endless")) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begins\n"
        signalled = False
        while not signalled:  # until the derivative runs
            state = Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
            signalled = state == "R"
        time.sleep(0.5)
        process.send_signal(getattr(signal, name))
        _, errors = process.communicate(timeout=60)
    assert process.returncode == -getattr(signal, name)
    assert [one[:2] for one in LINE.findall(errors)] == [(name, "reverse_of_never_ends")]


@pytest.mark.parametrize("how", [(), ("faulthandler-before",), ("faulthandler-after",)])
def test_a_crash_elsewhere_is_not_ours(folder, how) -> None:
    status, errors = died(folder, "elsewhere", *how)
    assert status == -signal.SIGSEGV
    assert "enzyme_py: " not in errors
    assert ("Fatal Python error" in errors) == bool(how)
    assert not (folder / "crashes" / "last-crash").exists()


def test_a_handler_of_the_users_still_gets_the_signal(folder) -> None:
    status, errors = died(folder, "own-handler")
    assert status == 77
    assert len(LINE.findall(errors)) == 1


def test_it_can_be_called_off(folder) -> None:
    status, errors = died(folder, ENZYME_PY_CRASH_LINE="0")
    assert (status, errors) == (-signal.SIGSEGV, "")


def test_guard_pages_are_told_of(folder) -> None:
    _, errors = died(folder, ENZYME_PY_GUARD="1")
    assert "ENZYME_PY_GUARD was on" in errors


def test_a_folder_that_others_write_to_is_left(folder) -> None:
    (folder / "crashes").mkdir()
    (folder / "crashes").chmod(0o777)
    _, errors = died(folder)
    assert len(LINE.findall(errors)) == 1
    assert "its IR" not in errors
    assert list((folder / "crashes").iterdir()) == []


def test_a_link_is_not_followed(folder, tmp_path) -> None:
    target = tmp_path / "precious"
    target.write_text("mine")
    (folder / "crashes").mkdir(mode=0o700)
    (folder / "crashes" / "last-crash").symlink_to(target)
    died(folder)
    assert target.read_text() == "mine"
    assert not (folder / "crashes" / "last-crash").is_symlink()


SHORT = """
import numpy as np, enzyme_py as enzyme
from numba import njit
enzyme.grad(njit(lambda x: x[0] * x[0]))(np.ones(2))
"""


def _at_a_terminal(folder: Path) -> str:
    ours, theirs = pty.openpty()
    environment = {**os.environ, "ENZYME_PY_CACHE_DIR": str(folder)}
    program = [sys.executable, "-c", SHORT]
    subprocess.run(program, cwd=ROOT, env=environment, stderr=theirs, check=True, timeout=300)
    os.close(theirs)
    try:
        return os.read(ours, 10000).decode()
    except OSError:  # nothing was written, and nobody holds the other end any more
        return ""
    finally:
        os.close(ours)


def test_the_next_start_at_a_terminal_offers_the_doctor_once(folder) -> None:
    died(folder)
    environment = {**os.environ, "ENZYME_PY_CACHE_DIR": str(folder)}
    program = [sys.executable, "-c", SHORT]
    quiet = subprocess.run(
        program, cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    assert quiet.stderr == ""
    assert "doctor --last-crash" in _at_a_terminal(folder)
    assert _at_a_terminal(folder) == ""
    told = subprocess.run(
        [sys.executable, "-m", "enzyme_py", "doctor", "--last-crash"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "reverse_of_writes_anywhere" in told.stdout
    assert "ENZYME_PY_GUARD=1" in told.stdout


def test_the_doctor_without_a_crash(folder) -> None:
    with config(cache_dir=folder):
        assert last_crash.last_crash() is None


def test_mirror_declares_what_the_header_declares() -> None:
    header = re.sub(r"/\*.*?\*/", "", (ROOT / "csrc/crash.h").read_text(), flags=re.DOTALL)
    promised = re.findall(r"ENZYME_PY_API ([^;]*?)(enzyme_py_crash_\w+)\(([^;]*)\);", header)
    kinds = {"size_t": ctypes.c_size_t, "char *": ctypes.c_char_p, "*": ctypes.c_void_p}

    def kind(text: str) -> object:
        if text.strip() == "void":
            return None
        words = text.strip().removeprefix("const ")
        return next(kind for start, kind in kinds.items() if words.startswith(start) or start == "*")

    library = runtime.crash_library()
    assert len(promised) == 2
    for result, name, parameters in promised:
        function = getattr(library, name)
        wanted = [kind(" ".join(one.split())) for one in parameters.split(",")]
        source = [place for place, one in enumerate(parameters.split(",")) if one.strip().endswith("*source")]
        for place in source:  # bytes, which ctypes passes as text
            wanted[place] = ctypes.c_char_p
        assert function.argtypes == wanted, name
        assert function.restype is kind(result), name


def test_records_are_taken_again() -> None:
    """A thousand derivatives that come and go leave as many records as one."""
    layout = watched.Layout(0, 16)
    origin = watched.Origin("d", Where("k"), "ir")
    records = set()
    for _ in range(1000):
        begin = watched.watch(origin, 4096, layout)
        found = watched.watched_at(4096 + 15)
        assert found is not None
        assert found.ir == "ir"
        records.add(found.record)
        watched.forget(begin)
        assert watched.watched_at(4096) is None
    assert len(records) == 1


def test_packed_modules_are_limited_as_well(tmp_path) -> None:
    with config(cache_dir=tmp_path):
        (tmp_path / "crashes").mkdir(mode=0o700)
        for number in range(crash_files.KEPT):
            (tmp_path / "crashes" / f"{number}.ll.gz").write_bytes(b"")
        crash_files.save_module("ir", "")
        assert len(list((tmp_path / "crashes").iterdir())) == crash_files.KEPT
