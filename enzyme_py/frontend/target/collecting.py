"""Python's collector of cycles looks less often while something is compiled.

Numba makes many small objects, and its tables are large: each look through all of them takes 30 to 60 ms and finds little
(measured: a tenth of a first gradient). Within the block the collector looks through what is new after more objects, and through
everything only where there is very much. Behind it all is as the user had set it.
"""

from __future__ import annotations

import contextlib
import gc
import os
import threading
from collections.abc import Iterator

_RARELY = (50_000, 20, 1000)


class _Set:
    """What was set in front of the first block that is open, and how many are."""

    lock = threading.Lock()
    usual = (0, 0, 0)
    open = 0


def _begin() -> None:
    _Set.lock = threading.Lock()  # another thread of the parent may have held it


os.register_at_fork(after_in_child=_begin)


@contextlib.contextmanager
def seldom_collected() -> Iterator[None]:
    """Let the collector look less often, unless it is off or the user has it look even less."""
    with _Set.lock:
        if _Set.open == 0:
            _Set.usual = gc.get_threshold()
            if 0 < _Set.usual[0] < _RARELY[0]:
                gc.set_threshold(*_RARELY)
        _Set.open += 1
    try:
        yield
    finally:
        with _Set.lock:
            _Set.open -= 1
            if (
                _Set.open == 0 and gc.get_threshold() == _RARELY
            ):  # else the user has set something else meanwhile
                gc.set_threshold(*_Set.usual)
