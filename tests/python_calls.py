"""What a call costs in Python: the functions that it calls there.

A call that Numba's C dispatcher knows calls itself only: Numba tells a profiler of compiled functions as well. This
is counted, not timed, so it is the same on a busy machine.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def python_functions_called(run: Callable[[], Any]) -> list[str]:
    """Return the names of the Python functions that are called within `run`, by this thread."""
    names: list[str] = []

    def entered(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            names.append(frame.f_code.co_name)

    before, collects = sys.getprofile(), gc.isenabled()
    gc.disable()  # what is collected meanwhile may call Python
    sys.setprofile(entered)
    try:
        run()
    finally:
        sys.setprofile(before)
        if collects:
            gc.enable()
    return names[1:]  # the first is `run`
