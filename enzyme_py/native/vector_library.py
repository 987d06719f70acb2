"""The C library's functions of vectors, by name: see rewrites/fast_math.py."""

from __future__ import annotations

import ctypes
import functools

LIBRARY = "libmvec.so.1"
PREFIX = "_ZGV"


@functools.cache
def vector_address(name: str) -> int | None:
    """The address of a vector function, or None if this system's C library lacks it."""
    library = _library()
    if library is None or not name.startswith(PREFIX):
        return None
    try:
        return ctypes.cast(library[name], ctypes.c_void_p).value
    except AttributeError:
        return None


@functools.cache
def _library() -> ctypes.CDLL | None:
    try:
        return ctypes.CDLL(LIBRARY)
    except OSError:  # glibc only
        return None
