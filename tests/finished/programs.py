"""Programs that are run in processes of their own, and what came of their calls."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

from enzyme_py.host.installing.locate import find_toolchain
from enzyme_py.settings import settings

# Behind each program: what it answered, how its calls were served, and what was imported for it.
_END = """
import json, sys
import enzyme_py.finished.search as search
outcomes = [one.outcome for one in search.looks()]
heavy = [one for one in ("enzyme_py.assembly.entry", "enzyme_py.llvm", "scipy.linalg", "numba.np.linalg") if one in sys.modules]
print(json.dumps({"answer": answer, "outcomes": outcomes, "heavy": heavy}))
"""


def run(source: str, cache: Path, folder: Path, **environment: str) -> dict[str, Any]:
    """Run a program that leaves its `answer` as JSON can hold it; `cache` is its cache folder."""
    write(source, folder)
    return run_again(cache, folder, **environment)


def write(source: str, folder: Path) -> None:
    """Write a program into a folder, as `run` would."""
    (folder / "program.py").write_text(textwrap.dedent(source) + _END)


def started(cache: Path, folder: Path, **environment: str) -> subprocess.Popen[str]:
    """Start the program that lies in a folder. It is not written anew: Numba looks at its time."""
    named = {"ENZYME_PY_CACHE_DIR": str(cache), "PYTHONDONTWRITEBYTECODE": "1"}
    if not settings.plugin:
        named["ENZYME_PY_HOST"] = str(find_toolchain().executable)
    return subprocess.Popen(
        [sys.executable, "program.py"],
        env={**os.environ, **named, **environment},
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def told_by(process: subprocess.Popen[str]) -> dict[str, Any]:
    """Return what a program says in the end."""
    output, errors = process.communicate(timeout=300)
    assert process.returncode == 0, errors
    return {**json.loads(output.splitlines()[-1]), "stderr": errors}


def run_again(cache: Path, folder: Path, **environment: str) -> dict[str, Any]:
    """Run the program that lies in a folder."""
    return told_by(started(cache, folder, **environment))
