"""The run: the runtime built with the sanitizer, processes for some kernels each, and what they saw."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
KERNELS = 6  # of one process
PATIENCE = 1200.0
OPTIONS = "exitcode=0:ignore_noninstrumented_modules=1:history_size=4:log_path="
Row = dict[str, Any]


def why_not() -> str:
    """Return why this machine cannot run it; nothing, if it can."""
    for tool in ("gcc", "cmake", "setarch"):
        if shutil.which(tool) is None:
            return f"needs {tool}"
    return "" if sanitizer().is_file() else "needs gcc's ThreadSanitizer (libtsan)"


def sanitizer() -> Path:
    """Return the sanitizer's library."""
    asked = ["gcc", "-print-file-name=libtsan.so"]
    return Path(subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()).resolve()


def built(folder: Path) -> Path:
    """Build the C runtime with the sanitizer, and return the folder of the library."""
    # As for a wheel: the library stays in the folder. Outside of such a build it goes beside the sources.
    settings = ["-DSKBUILD=ON", "-DENZYME_PY_SANITIZE=thread", "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_C_COMPILER=gcc"]
    commands = [
        ["cmake", "-S", str(ROOT), "-B", str(folder), *settings],
        ["cmake", "--build", str(folder), "--target", "enzyme_py_runtime"],
    ]
    for command in commands:
        subprocess.run(command, check=True, capture_output=True)
    return folder


def rows(names: Sequence[str], libraries: Path, logs: Path) -> Iterator[Row]:
    """Give the row of each kernel. A process that dies is a row with its status, of the kernel that it died in."""
    logs.mkdir(parents=True, exist_ok=True)
    left = list(names)
    while left:
        asked, left = left[:KERNELS], left[KERNELS:]
        done = _process(asked, libraries, logs / "log")
        found = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        yield from found
        if len(found) < len(asked):
            yield {"kernel": asked[len(found)], "died": done.returncode, "said": done.stderr[-2000:]}
            left = [*asked[len(found) + 1 :], *left]


def _process(names: Sequence[str], libraries: Path, log: Path) -> subprocess.CompletedProcess[str]:
    # The sanitizer wants memory where it expects it: addresses are not drawn at random.
    command = ["setarch", "-R", sys.executable, "-m", "tests.threads.sanitizer", str(libraries), str(log), *names]
    setting = {"LD_PRELOAD": str(sanitizer()), "TSAN_OPTIONS": OPTIONS + str(log), "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.run(
        command, capture_output=True, text=True, cwd=ROOT, env={**os.environ, **setting}, timeout=PATIENCE, check=False
    )


def is_good(row: Row) -> bool:
    """Tell whether a row is as it should be."""
    return "died" not in row and not row["races"] and not row["wrong"]


def run(names: Sequence[str], tell: Callable[[str], None]) -> int:
    """Ask about all kernels, tell what came of it, and return the exit status."""
    if reason := why_not():
        tell(reason)
        return 2
    with tempfile.TemporaryDirectory(prefix="enzyme_py_tsan_") as made:
        folder = Path(made)
        libraries, found = built(folder / "build"), []
        for row in rows(names, libraries, folder / "logs"):
            found.append(row)
            tell(f"{'' if is_good(row) else 'BAD '}{row}")
        for log in sorted((folder / "logs").glob("log.*")):
            tell(log.read_text(errors="replace")[:4000])
    bad = [one["kernel"] for one in found if not is_good(one)]
    forks, forked = sum(one.get("forks", 0) for one in found), sum(bool(one.get("forks")) for one in found)
    tell(f"{len(found)} kernels, {forked} of which on threads in {forks} forks; {len(bad)} bad: {', '.join(bad)}")
    return 1 if bad else 0
