"""Copies of arguments in compiled code, for what runs a kernel more than once.

A kernel may write to its arguments, so each run gets its own; where it surely writes none of them, they are lent to it
as they are. How Numba lowers both is in copies_lowering.py.
"""

from __future__ import annotations

from typing import Any


def copy_of(value: Any) -> Any:
    """Return the value with every array copied; only in compiled code."""
    message = "copy_of is called from compiled code only"
    raise RuntimeError(message)


def lent(value: Any) -> Any:
    """Return the value itself where it has the type of its copy, else a copy; only in compiled code.

    Inside a kernel it is always a copy.
    """
    message = "lent is called from compiled code only"
    raise RuntimeError(message)


def tangent_like(direction: Any, value: Any) -> Any:
    """Return the direction in memory of its own, laid out as a copy of the value; only in compiled code."""
    message = "tangent_like is called from compiled code only"
    raise RuntimeError(message)


def lent_tangent(direction: Any, value: Any) -> Any:
    """Return the direction itself where it lies as the value does, and elsewhere; else as `tangent_like`."""
    message = "lent_tangent is called from compiled code only"
    raise RuntimeError(message)
