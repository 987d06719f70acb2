"""`python -m tests.typed`: what mypy and pyright say of uses.py, and of the programs that they must refuse."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.typed.checkers import MYPY, PYRIGHT, REFUSED, USES, complaint, unseen


def main() -> int:
    """Return the exit status: 0 where both checkers are content with what is right, and with nothing else."""
    bad = 0
    for name, checker in (("mypy", MYPY), ("pyright", PYRIGHT)):
        said = complaint(checker, USES)
        with tempfile.TemporaryDirectory() as folder:
            missed = unseen(checker, Path(folder))
        bad += bool(said) + len(missed)
        print(f"{name}: {said or 'uses.py is right'}; {len(REFUSED) - len(missed)} of {len(REFUSED)} wrong programs seen")
        for one in missed:
            print(f"  not seen: {one}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
