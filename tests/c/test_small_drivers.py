"""C of the runtime that keeps no state: each driver of tests/c, plain and under the sanitizers, and the mirrors of the headers."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from enzyme_py.native import runtime

ROOT = Path(__file__).parent.parent.parent
FLAVOURS = {
    "plain": ["-O3"],
    "without vectors": ["-O2", "-U__SSE2__", "-DENZYME_PY_NO_VECTORS"],
    "sanitized": ["-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"],
}
MIRRORS = {
    "arrays": runtime.ARRAYS,
    "moves": runtime.MOVES,
    "progress": runtime.PROGRESS,
    "sampling": runtime.SAMPLING,
    "scans": runtime.SCANS,
    "sharing": runtime.SHARING,
    "trace": runtime.TRACE,
}
# As CMakeLists.txt builds them; loops that are unrolled by hand take the sanitizers long to optimise (measured: 15 s of 18, 9 of 13).
OWN = {("products", "plain"): ["-fno-tree-vectorize"], ("products", "sanitized"): ["-O0"]}
DRIVEN = ("blas", "moves", "products", "scans", "sharing")  # arrays are Python's


@pytest.mark.parametrize("flavour", FLAVOURS)
@pytest.mark.parametrize("name", DRIVEN)
def test_driver(name: str, flavour: str, tmp_path: Path) -> None:
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        pytest.skip("no C compiler on this machine")
    sources = [ROOT / f"tests/c/{name}_driver.c", ROOT / f"csrc/{name}.c"]
    flags = ["-std=c11", "-g", "-Wall", "-Wextra", "-Werror", f"-I{ROOT / 'csrc'}"]
    command = [compiler, *flags, *FLAVOURS[flavour], *OWN.get((name, flavour), []), *map(str, sources)]
    subprocess.run([*command, "-o", str(tmp_path / "driver")], check=True)
    run = subprocess.run([tmp_path / "driver"], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, (run.returncode, run.stderr)


@pytest.mark.parametrize("name", MIRRORS)
def test_the_mirror_declares_what_the_header_declares(name: str) -> None:
    header = re.findall(r"ENZYME_PY_API (.*;)", (ROOT / "csrc" / f"{name}.h").read_text())
    assert header == MIRRORS[name].strip().splitlines()
