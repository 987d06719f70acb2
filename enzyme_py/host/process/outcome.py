"""What one run of Enzyme came to, before anybody judges it, and the limits it ran under."""

from __future__ import annotations

import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """What one request may take; 0 means no limit."""

    seconds: float = 0.0
    memory: int = 0  # bytes of address space
    output: int = 2**31  # bytes of IR


@dataclass(frozen=True)
class Outcome:
    """Output, log and wait status of one run."""

    output: str
    log: str
    wait_status: int  # as waitpid gives it
    timed_out: bool
    seconds: float
    peak_bytes: int
    limits: Limits

    @property
    def signal(self) -> int | None:
        """The signal that ended the run, if one did."""
        return os.WTERMSIG(self.wait_status) if os.WIFSIGNALED(self.wait_status) else None

    @property
    def exit_status(self) -> int | None:
        """The exit status, if the run ended by itself."""
        return os.WEXITSTATUS(self.wait_status) if os.WIFEXITED(self.wait_status) else None
