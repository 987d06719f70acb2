"""Ctrl-C waits while Numba fills its registries.

Numba hands out what is new in a registry by generators that never end. One that Ctrl-C ends is broken for the rest
of the process: every later compilation fails with "generator raised StopIteration" (measured;
numba/core/typing/templates.py, RegistryLoader). Filling takes milliseconds, so Ctrl-C waits for it (registries.py).
"""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from typing import Any


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Within the block Ctrl-C is only noted; behind it, it comes. Other threads than the main one never see it."""
    usual = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(usual):
        yield
        return
    noted: list[tuple[Any, ...]] = []
    signal.signal(signal.SIGINT, lambda *given: noted.append(given))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
        if noted:
            usual(*noted[0])
