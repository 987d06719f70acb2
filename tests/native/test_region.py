"""The C runtime: every case of tests/c/region_driver.c, plain, guarded, and under the sanitizers.

The driver compares contents under random requests, and checks what runtime.h promises of keeping,
raising, running out, tapes, threads and fork; and that Python's mirror of the header is true.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from numba.core import callconv

from enzyme_py.native import runtime

ROOT = Path(__file__).parent.parent.parent
HEADER = (ROOT / "csrc" / "runtime.h").read_text()
SOURCES = [
    ROOT / "tests/c/region_driver.c",
    *(ROOT / "csrc" / name for name in ("region.c", "guard.c", "raise.c", "crash.c", "progress.c")),
]
DRIVER = SOURCES[0].read_text()
CASES = re.findall(r'^    \{"(\w+)",', DRIVER, re.MULTILINE)
FLAVOURS = {
    "plain": ["-O2"],
    "sanitized": ["-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"],
    "threads": ["-O1", "-fsanitize=thread"],
}
LAST_WORDS = {
    "die_free_twice": "freed a block twice",
    "die_free_foreign": "freed what it did not allocate",
    "die_raise": "raised outside of any entry",
}
# What the sanitizers cannot live under: their shadow memory alone is larger than such a limit.
ADDRESS_LIMITED = {"address_limit", "real_exhaustion"}
# Those that say nothing of where blocks lie; and those in which threads or processes meet.
ANYWHERE = {"fuzz_without_region", "raising", "keep", "leave_is_no_exit", "exhaustion", "tapes"}
MEETING = {"threads", "contended_tape", "foreign_thread", "forking"}
# What the guarded form alone notices: by a signal where it happens, or when the block goes.
GUARDED = {
    "die_overrun": -signal.SIGSEGV,
    "die_overrun_a_little": -signal.SIGABRT,
    "die_use_after_free": -signal.SIGSEGV,
}
EVERYWHERE = set(CASES) - set(GUARDED)
RUNS = {
    "plain": EVERYWHERE,
    "sanitized": EVERYWHERE - ADDRESS_LIMITED,
    "threads": (ANYWHERE - {"fuzz_without_region"}) | MEETING | set(LAST_WORDS),
    "guarded": {"fuzz", "fuzz_tape", *ANYWHERE, *MEETING, "die_raise", *GUARDED},
}


@pytest.fixture(scope="module")
def drivers(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no C compiler on this machine")
    folder = tmp_path_factory.mktemp("region")

    @functools.cache
    def built(flavour: str) -> Path:
        flags = ["-std=c11", "-g", "-Wall", "-Wextra", "-Werror", "-pthread", f"-I{ROOT / 'csrc'}"]
        command = [compiler, *flags, *FLAVOURS[flavour], *map(str, SOURCES)]
        subprocess.run([*command, "-o", str(folder / flavour)], check=True)
        return folder / flavour

    return built


@pytest.mark.parametrize(
    ("flavour", "case"), [(f, case) for f in RUNS for case in CASES if case in RUNS[f]]
)
def test_driver_case(drivers: Callable[[str], Path], flavour: str, case: str) -> None:
    environment = {**os.environ, "ENZYME_PY_GUARD": "1" if flavour == "guarded" else ""}
    command = [drivers("plain" if flavour == "guarded" else flavour), case]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)
    if case in LAST_WORDS:
        assert run.returncode != 0
        assert LAST_WORDS[case] in run.stderr
    else:
        assert run.returncode == GUARDED.get(case, 0), run.stderr


def test_all_cases_are_found() -> None:
    assert len(CASES) == len(re.findall(r"^    \{\"", DRIVER, re.MULTILINE)) >= 20


def test_mirror_declares_what_the_header_declares() -> None:
    promised = set(
        re.findall(r"(\benzyme_py_\w+)\(", re.sub(r"/\*.*?\*/", "", HEADER, flags=re.DOTALL))
    )
    declared = set(re.findall(r"(\benzyme_py_\w+)\(", runtime.DECLARATIONS))
    arrays = runtime.ARRAYS, runtime.MOVES, runtime.SCANS, runtime.SHARING, runtime.copy_declarations()
    others = "".join([*arrays, runtime.PROGRESS, runtime.SAMPLING, runtime.TRACE])
    apart = set(re.findall(r"(\benzyme_py_\w+)\(", others))
    assert promised == declared == set(runtime.runtime_addresses()) - apart


@pytest.mark.parametrize("name", ["OK", "NO_MEMORY", "BUSY"])
def test_mirror_has_the_status_codes_of_the_header(name: str) -> None:
    found = re.search(rf"ENZYME_PY_{name} = (-?\d+)", HEADER)
    assert found is not None
    assert int(found.group(1)) == getattr(runtime, name)


def test_status_codes_are_not_those_of_numba() -> None:
    taken = {
        getattr(callconv, name).constant for name in dir(callconv) if name.startswith("RETCODE_")
    }
    assert len(taken) >= 5
    for status in (runtime.NO_MEMORY, runtime.BUSY):
        assert status not in taken
        assert status < callconv.FIRST_USEREXC


def test_python_sees_the_statistics() -> None:
    runtime.library().enzyme_py_reset_stats()
    before = runtime.memory_stats()
    assert (before.live, before.peak, before.allocations) == (0, 0, 0)
    kept: list[int] = []

    @runtime.interface().callback("void(void *)")
    def body(_: object) -> None:
        block = runtime.library().enzyme_py_malloc(1000)
        kept.append(runtime.memory_stats().live)
        runtime.library().enzyme_py_free(block)

    assert (
        runtime.library().enzyme_py_enter(
            body, runtime.interface().NULL, runtime.interface().NULL, 0
        )
        == 0
    )
    after = runtime.memory_stats()
    assert 1000 <= kept[0] == after.peak < 2000
    assert (after.live, after.allocations, after.regions_open) == (0, 1, 0)
    assert after.held > 0
