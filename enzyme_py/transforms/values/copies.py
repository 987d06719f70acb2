"""Copies of arguments in compiled code, for what runs a kernel more than once.

A kernel may write to its arguments, so each run gets its own. How Numba lowers them is in copies_lowering.py.
"""

from __future__ import annotations

from typing import Any


def copy_of(value: Any) -> Any:
    """Return the value with every array copied; only in compiled code."""
    message = "copy_of is called from compiled code only"
    raise RuntimeError(message)
