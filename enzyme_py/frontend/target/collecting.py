"""Python's collector of cycles looks less often while something is compiled.

Numba makes many small objects, and its tables are large: each look through all of them takes 30 to 60 ms and finds little
(measured: a tenth of a first gradient). Within the block the collector looks through what is new after more objects, and through
everything only where there is very much. Behind it all is as the user had set it.
"""

from __future__ import annotations

import contextlib
import gc
import os
from collections.abc import Iterator

from enzyme_py.foundations.locks import LockOfProcess

_RARELY = (50_000, 20, 1000)


class _Blocks:
    """Those that are open, in all threads, and what was set in front of the first."""

    def __init__(self) -> None:
        self.lock = LockOfProcess()
        self.open = 0
        self.before = (0, 0, 0)


_blocks = _Blocks()


@contextlib.contextmanager
def seldom_collected() -> Iterator[None]:
    """Let the collector look less often, unless it is off or the user has it look even less."""
    with _blocks.lock:
        if not _blocks.open:
            _blocks.before = gc.get_threshold()
        _blocks.open += 1
        if 0 < gc.get_threshold()[0] < _RARELY[0]:
            gc.set_threshold(*_RARELY)
    try:
        yield
    finally:
        with _blocks.lock:
            _blocks.open = max(0, _blocks.open - 1)
            # Whichever block ends last; what somebody else has set meanwhile stays.
            if not _blocks.open and gc.get_threshold() == _RARELY:
                gc.set_threshold(*_blocks.before)


def _forget() -> None:
    """In a process made by os.fork: what another thread has begun does not end here."""
    if _blocks.open and gc.get_threshold() == _RARELY:
        gc.set_threshold(*_blocks.before)
    _blocks.open = 0


os.register_at_fork(after_in_child=_forget)
