"""`python -m enzyme_py doctor --last-crash`: what the C runtime left behind when a derivative died.

csrc/crash.c writes the file `last-crash` into the folder of crashed modules, with the module packed
beside it. Who starts next at a terminal is told of it once, in one line; nobody else is disturbed.
"""

from __future__ import annotations

import contextlib
import gzip
import os
import sys
import time
from pathlib import Path

from enzyme_py.host.crash_files import crash_folder
from enzyme_py.host.installing.store import objection_to

_NAME = "last-crash"
_OFFERED = "last-crash.offered"  # the same file, after a start that told of it
_MOST_BYTES = 2**28  # of an unpacked module
_ADVICE = """what to do
  1. Run the program again with ENZYME_PY_GUARD=1: it then stops where memory is first misused.
  2. Call the kernel alone with the same arguments, compiled with boundscheck=True: if it fails, too,
     the kernel reads or writes past an array, and the derivative merely does the same.
  3. A stack that overflowed is a recursion without an end, or a deep one: write it as a loop.
  4. Otherwise report it, with the module above, the kernel and its arguments."""


def last_crash() -> str | None:
    """Describe the last crash, or None if none is known."""
    facts = _read()
    if facts is None:
        return None
    module = _unpacked(facts.get("ir", ""))
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(float(facts.get("time", "0"))))
    rows = (
        ("signal", facts.get("signal", "")),
        ("derivative", facts.get("derivative", "")),
        ("kernel", f"{facts.get('kernel', '')} ({facts.get('place', '')})"),
        ("when", f"{when}, in process {facts.get('process', '')}"),
        ("program", facts.get("program", "")),
        ("versions", facts.get("versions", "")),
        ("guard pages", facts.get("guard", "")),
        ("module", str(module) if module else "could not be written"),
    )
    return "\n".join([*(f"{name:<12}{text}" for name, text in rows), _ADVICE])


def offer() -> None:
    """Tell a terminal, once, that a derivative crashed in an earlier process."""
    with contextlib.suppress(OSError, ValueError):
        path = crash_folder() / _NAME
        if not path.exists() or not sys.stderr.isatty() or objection_to(path.parent) is not None:
            return
        os.replace(path, path.with_name(_OFFERED))
        line = "enzyme_py: a derivative crashed before; `python -m enzyme_py doctor --last-crash` tells of it\n"
        sys.stderr.write(line)


def _read() -> dict[str, str] | None:
    """Return the facts of the newest file; none of a folder that others can write to."""
    folder = crash_folder()
    for path in (folder / _NAME, folder / _OFFERED):
        with contextlib.suppress(OSError):
            if objection_to(folder) is not None:
                return None
            lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
            return {name: text for name, _, text in (line.partition(": ") for line in lines)}
    return None


def _unpacked(name: str) -> Path | None:
    """Unpack the module beside where it lies, so that it can be read."""
    if not name or os.sep in name:
        return None
    packed = crash_folder() / name
    plain = packed.with_suffix("")
    try:
        if not plain.exists():
            with gzip.open(packed) as file:
                plain.write_bytes(file.read(_MOST_BYTES))
    except (OSError, EOFError):
        return packed if packed.exists() else None
    return plain
