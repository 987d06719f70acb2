"""Which parallel loops of a kernel run on threads, and why others do not: written while it is compiled."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True)
class ParallelLoop:
    """One loop, or all of a kernel (line 0)."""

    function: str
    line: int
    why_serial: str = ""  # nothing: it runs on threads

    @property
    def is_threaded(self) -> bool:
        """Whether its derivative runs on threads."""
        return not self.why_serial


_log: ContextVar[list[ParallelLoop] | None] = ContextVar("parallel_loops", default=None)


def note(function: str, line: int, why_serial: str = "") -> None:
    """Note what becomes of a loop."""
    noted = _log.get()
    if noted is not None:
        noted.append(ParallelLoop(function, line, why_serial))


@contextmanager
def kept() -> Iterator[list[ParallelLoop]]:
    """Within the block, notes are kept in the list that is yielded."""
    noted: list[ParallelLoop] = []
    token = _log.set(noted)
    try:
        yield noted
    finally:
        _log.reset(token)
