"""The memory that a call needs at most."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from enzyme_py.native.runtime import library, memory_stats


def peak_of(run: Callable[[], Any]) -> tuple[int, Any]:
    """Return the bytes that compiled code holds at once in a second run, and its result; the first run compiles."""
    run()
    library().enzyme_py_reset_stats()
    result = run()
    return memory_stats().peak, result
