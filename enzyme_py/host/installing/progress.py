"""A progress bar on stderr, drawn only where somebody can see it move, and where `progress` is not switched off.

Where `config(progress=True)` asks for lines and nobody can see a bar move, each quarter is a line.
"""

from __future__ import annotations

import contextlib
import sys
from typing import Self

from enzyme_py.foundations.progress import is_terminal, line, may_be_said

WIDTH = 30


class ProgressBar:
    """`with ProgressBar("fetching", total) as bar: bar.show(done)`."""

    def __init__(self, label: str, total: int) -> None:
        self._label = label
        self._total = max(total, 1)
        self._drawn = -1
        self._said = may_be_said()
        self._visible = self._said and is_terminal()
        self._alone = contextlib.ExitStack()

    def show(self, done: int) -> None:
        """Draw the bar at `done` of the total."""
        percent = min(100, 100 * done // self._total)
        if not self._said or percent == self._drawn:
            return
        if not self._visible:
            if percent // 25 != self._drawn // 25:
                line.write(f"enzyme_py: {self._label}, {percent} %\n")
            self._drawn = percent
            return
        self._drawn = percent
        filled = WIDTH * percent // 100
        bar = "=" * filled + " " * (WIDTH - filled)
        sys.stderr.write(f"\renzyme_py: {self._label} [{bar}] {percent:3d} %")
        sys.stderr.flush()

    def __enter__(self) -> Self:
        self._alone.enter_context(line.hidden())  # that about what is compiled
        self.show(0)
        return self

    def __exit__(self, *_: object) -> None:
        if self._visible:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()
        self._alone.close()
