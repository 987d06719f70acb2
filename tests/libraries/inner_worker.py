"""A process as in worker.py, that also asks about what compiled functions call in turn: see the package."""

from __future__ import annotations

from tests.libraries.worker import main

if __name__ == "__main__":
    main(inner=True)
