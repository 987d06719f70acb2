"""`python -m enzyme_py inspect MODULE:FUNCTION ARGUMENT...`: the path of one kernel, told by the program itself.

$ python -m enzyme_py inspect kernels.py:energy "np.ones(3)" 2.0 --passes
$ python -m enzyme_py inspect kernels.py:energy "np.ones(3)" "Const(2.0)" --html energy.html
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from enzyme_py.annotations import Const
from enzyme_py.errors import EnzymeError
from enzyme_py.inspect.report import report
from enzyme_py.inspect.stages import attempts, ir, passes
from enzyme_py.modes import Forward, Reverse


def kernel_of(name: str) -> Callable[..., Any]:
    """Return the function that a command line names: `package.module:function` or `path/to/file.py:function`."""
    where, _, function = name.rpartition(":")
    if not where or not function:
        raise EnzymeError(f"{name!r} names no function", remedy="write module:function")
    try:
        found: Callable[..., Any] = getattr(_module(where), function)
    except (ImportError, AttributeError, OSError) as error:
        what = f"no function {function!r} in {where!r}: {error}"
        raise EnzymeError(
            what, remedy="give the module as Python imports it, or its file"
        ) from error
    return found


def _module(where: str) -> Any:
    if not where.endswith(".py"):
        return importlib.import_module(where)
    spec = importlib.util.spec_from_file_location(Path(where).stem, where)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def arguments_of(texts: Sequence[str]) -> list[Any]:
    """Return the arguments that a command line writes as Python expressions: the user's own code, as the kernel is."""
    try:
        return [eval(text, {"np": np, "Const": Const}) for text in texts]  # noqa: S307 - what the user typed
    except Exception as error:
        what = f"an argument is no Python expression: {error}"
        raise EnzymeError(what, remedy='quote it for the shell: "np.ones(3)"') from error


def passes_of(kernel: Callable[..., Any], arguments: Sequence[Any]) -> str:
    """Return a table of the passes that changed the kernel's gradient."""
    rows = [f"{'pass':<28}{'lines':>7}{'ms':>9}"]
    rows += [
        f"{one.name:<28}{one.lines:>7}{one.seconds * 1e3:>9.1f}"
        for one in passes(kernel, *arguments)
    ]
    return "\n".join(rows)


def attempts_of(kernel: Callable[..., Any], arguments: Sequence[Any]) -> str:
    """Return what was tried to differentiate the kernel, a line for each attempt, the innermost first."""
    return "\n".join(map(str, attempts(kernel, *arguments)))


def report_of(kernel: Callable[..., Any], arguments: Sequence[Any], asked: argparse.Namespace) -> str:
    """Return the short form of a report, whose page and data are written to files where that was asked for."""
    modes = {"reverse": Reverse, "forward": Forward}
    found = report(kernel, *arguments, mode=modes[asked.mode], order=asked.order, against=asked.compare)
    rows = [found.text()]
    rows += [f"written: {found.save(path)}" for path in (asked.html, asked.json) if path is not None]
    return "\n".join(rows)


def code_behind(name: str, kernel: Callable[..., Any], arguments: Sequence[Any]) -> str:
    """Return the code of the kernel's gradient behind a pass."""
    return ir(kernel, *arguments, after=name)
