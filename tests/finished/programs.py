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
    program = folder / "program.py"
    program.write_text(textwrap.dedent(source) + _END)
    named = {"ENZYME_PY_CACHE_DIR": str(cache), "PYTHONDONTWRITEBYTECODE": "1"}
    if not settings.plugin:
        named["ENZYME_PY_HOST"] = str(find_toolchain().executable)
    done = subprocess.run(
        [sys.executable, str(program)],
        env={**os.environ, **named, **environment},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return {**json.loads(done.stdout.splitlines()[-1]), "stderr": done.stderr}
