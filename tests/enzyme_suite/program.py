"""A process for one program: `python -m tests.enzyme_suite.program FILE CLANG LEVEL`; prints what came of it as JSON."""

from __future__ import annotations

import ctypes
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from enzyme_py.errors import EnzymeError, HostCrashed
from enzyme_py.native.runtime import library
from tests.enzyme_suite.host import Derivative, Program
from tests.enzyme_suite.programs import NotAsked, compiled, declared
from tests.passes.switches import leave_out


def main() -> None:
    """Run the program. It may abort: then nothing is printed, and what it says of its answers is on standard error."""
    file, clang, level = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)

    def end(verdict: str, reason: str = "") -> None:
        print(json.dumps({"verdict": verdict, "reason": reason}), file=answers, flush=True)
        os._exit(0)

    library().enzyme_py_scribble(1)  # fresh memory holds NaN
    if "SUITE_WITHOUT" in os.environ:
        leave_out(os.environ["SUITE_WITHOUT"])
    with tempfile.TemporaryDirectory() as folder:
        try:
            status, calls = run(file, clang, level, Path(folder), end)
        except NotAsked as reason:
            end("not asked", str(reason))
        except EnzymeError as refusal:
            end(*refused(refusal))
    if not calls:
        end("not asked", "asked for no derivative while it ran")
    end("right" if status == 0 else "wrong", "" if status == 0 else f"the program returns {status}")


def refused(error: EnzymeError) -> tuple[str, str]:
    """Return the verdict and the reason of a refusal."""
    words = f"{type(error).__name__}: {str(error).splitlines()[0]}"
    if isinstance(error, HostCrashed):
        return "pass crashed", words
    is_explained = bool(error.remedy) and "defect of enzyme_py" not in error.remedy
    return "refused" if is_explained else "unexplained", words


def run(file: Path, clang: str, level: str, folder: Path, end: Any) -> tuple[int, int]:
    """Run a program; return its status, and the number of derivatives that it asked for."""
    if file.suffix == ".cpp":
        ctypes.CDLL("libstdc++.so.6", ctypes.RTLD_GLOBAL)
    program = Program(compiled(file, clang, "O0"))
    code = compiled(file, clang, level)
    calls = 0

    def answer(derivative: Derivative) -> Any:
        def answered(place: int, *values: Any) -> None:
            nonlocal calls
            calls += 1
            try:
                derivative(place, *values)
            except EnzymeError as refusal:
                end(*refused(refusal))
            except Exception as error:
                end("wrong", f"{type(error).__name__}: {error}")

        return answered

    answers = {}
    for site in program.sites:
        derivative = Derivative(site, declared(file, clang, site.name), code, folder)
        answers[site.symbol] = answer(derivative)
    return program.run(answers), calls


if __name__ == "__main__":
    main()
