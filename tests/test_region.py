"""The C runtime: every case of tests/c/region_driver.c, plain and under the sanitizers.

The driver compares contents under random requests, and checks what runtime.h promises of keeping,
raising, running out, tapes, threads and fork; and that Python's mirror of the header is true.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from numba.core import callconv

from enzyme_py.native import runtime

ROOT = Path(__file__).parent.parent
HEADER = (ROOT / "csrc" / "runtime.h").read_text()
SOURCES = [ROOT / "tests/c/region_driver.c", ROOT / "csrc/region.c", ROOT / "csrc/raise.c"]
DRIVER = SOURCES[0].read_text()
CASES = re.findall(r'^    \{"(\w+)",', DRIVER, re.MULTILINE)
FLAVOURS = {
    "plain": ["-O2"],
    "sanitized": ["-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"],
}
LAST_WORDS = {
    "die_free_twice": "freed a block twice",
    "die_free_foreign": "freed what it did not allocate",
    "die_raise": "raised outside of any entry",
}
# The sanitizer's shadow memory alone is larger than any limit on address space.
ADDRESS_LIMITED = {"address_limit", "real_exhaustion"}


@pytest.fixture(scope="module", params=FLAVOURS)
def driver(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no C compiler on this machine")
    built = tmp_path_factory.mktemp("region") / str(request.param)
    flags = ["-std=c11", "-g", "-Wall", "-Wextra", "-Werror", "-pthread", f"-I{ROOT / 'csrc'}"]
    sources = [str(source) for source in SOURCES]
    subprocess.run(
        [compiler, *flags, *FLAVOURS[request.param], *sources, "-o", str(built)], check=True
    )
    return built


@pytest.mark.parametrize("case", CASES)
def test_driver_case(driver: Path, case: str) -> None:
    if driver.name == "sanitized" and case in ADDRESS_LIMITED:
        pytest.skip("needs a limit on address space, which the sanitizer cannot live under")
    run = subprocess.run([driver, case], capture_output=True, text=True, timeout=120)
    if case in LAST_WORDS:
        assert run.returncode != 0
        assert LAST_WORDS[case] in run.stderr
    else:
        assert run.returncode == 0, run.stderr


def test_all_cases_are_found() -> None:
    assert len(CASES) == len(re.findall(r"^    \{\"", DRIVER, re.MULTILINE)) >= 20


def test_mirror_declares_what_the_header_declares() -> None:
    promised = set(
        re.findall(r"(\benzyme_py_\w+)\(", re.sub(r"/\*.*?\*/", "", HEADER, flags=re.DOTALL))
    )
    declared = set(re.findall(r"(\benzyme_py_\w+)\(", runtime.DECLARATIONS))
    copies = set(re.findall(r"(\benzyme_py_\w+)\(", runtime.copy_declarations()))
    assert promised == declared == set(runtime.runtime_addresses()) - copies


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
