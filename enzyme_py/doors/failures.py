"""Exceptions behind a door: the C function returns a status, and Python can ask for the exception.

Generated code calls `enzyme_py_door_failed` where a kernel raised, and nowhere else. In this process that is a function of Python,
which takes the interpreter's lock, makes the exception and keeps it for the thread. In an exported library it is a
function of exported.c.
"""

from __future__ import annotations

import ctypes
import functools
import threading
from typing import Any

import llvmlite.binding as llvm
from numba.core import serialize

from enzyme_py.errors import EnzymeError

GOOD = 0
RAISED = 1
OTHER_SIZES = 2
FAILED = "enzyme_py_door_failed"  # void (int64_t door, int32_t status of Numba, void *excinfo)

# By door and thread. Not a threading.local: of a thread that Python does not know that is gone when the call returns.
_raised: dict[tuple[int, int], BaseException] = {}


class _Excinfo(ctypes.Structure):
    """What Numba knows of an exception (numba/core/callconv.py); the last three of one with values of run time alone."""

    _fields_ = (
        ("pickled", ctypes.c_void_p),
        ("size", ctypes.c_int32),
        ("values", ctypes.c_void_p),
        ("unwrap", ctypes.c_void_p),
        ("is_allocated", ctypes.c_int32),
    )


def take(door: int) -> BaseException | None:
    """Return the exception of this thread's last call that failed, once."""
    return _raised.pop((door, threading.get_ident()), None)


@functools.cache
def register() -> Any:
    """Make the function known to LLVM; returns what must live as long as the process."""
    kind = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int32, ctypes.c_void_p)
    function = kind(_failed)
    address = ctypes.cast(function, ctypes.c_void_p).value
    assert address is not None
    llvm.add_symbol(FAILED, address)
    return function


def _failed(door: int, status: int, excinfo: int | None) -> None:
    try:
        error = _exception(status, excinfo)
    except Exception as problem:  # noqa: BLE001  (whatever it is: the status must not stay without a reason)
        message = f"a kernel raised an exception that cannot be read: {problem!r}"
        error = EnzymeError(message, remedy="call the derivative from Python, where it raises itself")
    _raised[door, threading.get_ident()] = error


def _exception(status: int, excinfo: int | None) -> BaseException:
    if status < RAISED or not excinfo:
        return SystemError(f"a kernel ended with status {status}")
    info = _Excinfo.from_address(excinfo)
    pickled = ctypes.string_at(info.pickled, info.size)
    if info.is_allocated > 0:
        unwrap = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p)(info.unwrap)
        kind, arguments, _ = serialize.runtime_build_excinfo_struct(pickled, unwrap(info.values))
        _free(excinfo)
    else:
        kind, arguments, _ = serialize.loads(pickled)
    if kind is None:
        return RuntimeError("No active exception to reraise")
    made = kind(*(arguments or ()))
    assert isinstance(made, BaseException)
    return made


def _free(excinfo: int) -> None:
    from enzyme_py.native.symbols import shared_address

    address = shared_address("NRT_Free")
    if address:
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(address)(excinfo)
