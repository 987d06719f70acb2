"""Python's collector of cycles looks less often while something is compiled.

Numba makes many small objects, and its tables are large: each look through all of them takes 30 to 60 ms and finds little
(measured: a tenth of a first gradient). Within the block the collector looks through what is new after more objects, and through
everything only where there is very much. Behind it all is as the user had set it.
"""

from __future__ import annotations

import contextlib
import gc
import threading
from collections.abc import Iterator

_RARELY = (50_000, 20, 1000)

_lock = threading.Lock()
_blocks: list[tuple[int, int, int]] = []  # what was set in front of each block that is open


@contextlib.contextmanager
def seldom_collected() -> Iterator[None]:
    """Let the collector look less often, unless it is off or the user has it look even less."""
    with _lock:
        before = gc.get_threshold()
        _blocks.append(before)
        if 0 < before[0] < _RARELY[0]:
            gc.set_threshold(*_RARELY)
    try:
        yield
    finally:
        with _lock:
            first = _blocks[0]
            _blocks.remove(before)
            if not _blocks and gc.get_threshold() == _RARELY:
                gc.set_threshold(*first)
            elif _blocks:
                _blocks[0] = first  # whichever block ends last gives back what the first one found
