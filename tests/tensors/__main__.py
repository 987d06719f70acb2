"""The command: see the package."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

from tests.coverage.__main__ import measured, read, show
from tests.coverage.report import summary
from tests.tensors import KERNELS


def main() -> int:
    """Ask kernels; the exit status is 1 if anything is wrong or has killed its process."""
    parser = argparse.ArgumentParser(prog="python -m tests.tensors")
    parser.add_argument("names", nargs="*", help="kernels, by the ends of their names")
    parser.add_argument("--failed", action="store_true", help="ask again what did not work")
    parser.add_argument("--results", type=Path, help="findings; a temporary file, if not given")
    given = parser.parse_args()
    default = Path(tempfile.gettempdir()) / f"enzyme_py_tensors.{os.getuid()}.jsonl"
    results = given.results or default
    known = read(results)
    names = [name for name in KERNELS if name.endswith(tuple(given.names))] if given.names else []
    if given.failed:
        names = [name for (name, _), one in known.items() if one.status != "works"]
        names = list(dict.fromkeys(names))
    elif not given.names:
        done = {name for name, _ in known}
        names = [name for name in KERNELS if name not in done]
    show(measured(names, results), verbose=bool(given.names))
    found = {key: one for key, one in read(results).items() if key[0] in KERNELS}
    print(summary(found, KERNELS))
    return 1 if any(one.status not in ("works", "refused") for one in found.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
