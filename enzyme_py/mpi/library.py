"""The MPI library of this process, told to the C runtime (csrc/mpi.h) at the first question for one of its functions.

    mpi_address(name)        the address of `enzyme_py_mpi_...`, None of any other name

Generated code calls the runtime by names, and the runtime calls MPI through pointers, which differ from process to process. So
code that another process or another rank compiled is linked anew, and finds the library of its own. Which library that is, and
its handles, mpi4py knows, through which numba-mpi loads it.
"""

from __future__ import annotations

import ctypes
import functools
import os
from typing import Any

from enzyme_py.errors import EnzymeError
from enzyme_py.foundations.libraries import library_file

PREFIX = "enzyme_py_mpi_"
TIMEOUT = "ENZYME_PY_MPI_TIMEOUT"
_FUNCTIONS = (
    "Isend Irecv Test Get_count Ibcast Ireduce Iallreduce Igather Iscatter Iallgather Ireduce_scatter_block Ibarrier "
    "Comm_rank Comm_size Error_string Abort"
).split()
_MARK = 12345  # a tag that is looked for in a status


class _Table(ctypes.Structure):
    """What csrc/mpi.h calls enzyme_py_mpi_table."""

    _fields_ = (
        *((name, ctypes.c_void_p) for name in _FUNCTIONS),
        ("world", ctypes.c_ssize_t),
        ("no_request", ctypes.c_ssize_t),
        ("types", ctypes.c_ssize_t * 3),
        ("ops", ctypes.c_ssize_t * 3),
        ("tag_at", ctypes.c_int64),
        ("nobody", ctypes.c_int64),
        ("anybody", ctypes.c_int64),
        ("timeout", ctypes.c_double),
    )


def mpi_address(name: str) -> int | None:
    """Return the address of one of the runtime's functions for MPI; None of other names."""
    if not name.startswith(PREFIX):
        return None
    return ctypes.cast(_bound()[name], ctypes.c_void_p).value


def runtime_function(name: str) -> Any:
    """Return one of these functions, to be called from Python: `pending`, `calls`, `rank`, `size`."""
    found = _bound()[PREFIX + name]
    found.restype = ctypes.c_int64
    return found


@functools.cache
def _bound() -> ctypes.CDLL:
    """Return the runtime, to which MPI's functions and handles have been told."""
    loaded = ctypes.CDLL(str(library_file("libenzyme_py_runtime.so")))
    bind = loaded.enzyme_py_mpi_bind
    bind.argtypes, bind.restype = [ctypes.POINTER(_Table)], None
    bind(ctypes.byref(_table()))
    return loaded


def _table() -> _Table:
    try:
        from mpi4py import MPI
        from numba_mpi.common import libmpi
    except (ImportError, RuntimeError) as error:
        message = "the kernel calls MPI, and numba-mpi or an MPI library cannot be loaded"
        remedy = "pip install 'enzyme_py[mpi]', which brings mpi4py, numba-mpi and MPICH"
        raise EnzymeError(message, remedy=remedy, detail=str(error)) from error
    table = _Table()
    for name in _FUNCTIONS:
        setattr(table, name, ctypes.cast(libmpi[f"MPI_{name}"], ctypes.c_void_p).value)
    table.world, table.no_request = _handle(MPI, MPI.COMM_WORLD), _handle(MPI, MPI.REQUEST_NULL)
    table.types[:] = [_handle(MPI, one) for one in (MPI.DOUBLE, MPI.FLOAT, MPI.INT64_T)]
    table.ops[:] = [_handle(MPI, one) for one in (MPI.SUM, MPI.MIN, MPI.MAX)]
    table.tag_at = _place_of_tag(MPI)
    table.nobody, table.anybody = MPI.PROC_NULL, MPI.ANY_SOURCE
    table.timeout = _timeout()
    return table


def _handle(mpi: Any, value: Any) -> int:
    """Return MPI's own handle behind an object of mpi4py: an integer in MPICH, a pointer in Open MPI."""
    is_integer = mpi._sizeof(value) == ctypes.sizeof(ctypes.c_int)
    kind = ctypes.c_int if is_integer else ctypes.c_ssize_t
    return kind.from_address(mpi._addressof(value)).value


def _place_of_tag(mpi: Any) -> int:
    """Return at which byte of a status the tag stands."""
    status = mpi.Status()
    status.Set_tag(_MARK)
    size = mpi._sizeof(status)
    inside = bytes((ctypes.c_char * size).from_address(mpi._addressof(status)))
    mark = ctypes.c_int(_MARK)
    return inside.index(bytes(mark))


def _timeout() -> float:
    text = os.environ.get(TIMEOUT, "").strip() or "0"
    try:
        return float(text)
    except ValueError:
        message = f"{TIMEOUT} is {text!r}"
        raise EnzymeError(message, remedy="give it seconds, for example 60; 0 waits for ever") from None
