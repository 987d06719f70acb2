"""What makes code of a module in place of the usual way, while someone watches (inspect/hunting.py)."""

from __future__ import annotations

import contextvars
from collections.abc import Callable
from typing import Any

watcher: contextvars.ContextVar[Callable[[Any], Any] | None]  # of a DifferentiatedModule, a NativeFunction
watcher = contextvars.ContextVar("watcher", default=None)
