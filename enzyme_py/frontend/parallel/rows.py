"""What each part of a loop has a row of: copies of shared arrays, cells of numbers, and Numba's reductions."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.typing import signature
from numba.extending import intrinsic
from numba.np.ufunc import parallel

from enzyme_py.symbols import PARTS

_INT = ir.IntType(64)


@contextlib.contextmanager
def numbas(owner: Any, name: str, own: Any) -> Iterator[None]:
    """Within the block, Numba uses our version of one of its functions. Numba's lock is held."""
    usual = getattr(owner, name)
    setattr(owner, name, own)
    try:
        yield
    finally:
        setattr(owner, name, usual)


@contextlib.contextmanager
def rows_of_parts() -> Iterator[None]:
    """Reductions have a row for each part, and the body sees one row."""
    with (
        numbas(parallel, "_iget_num_threads", _parts),
        numbas(parallel, "_iget_thread_id", _only_row),
    ):
        yield


def declared(module: ir.Module, name: str, kind: ir.FunctionType) -> ir.Function:
    """Return a function of another module."""
    return cgutils.get_or_insert_function(module, kind, name)


@intrinsic
def _parts(typing: Any) -> Any:
    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
        return builder.call(declared(builder.module, PARTS, ir.FunctionType(_INT, [])), [])

    return signature(types.intp), lower


@intrinsic
def _only_row(typing: Any) -> Any:
    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> ir.Value:
        return _INT(0)

    return signature(types.intp), lower


def copies(count, array):  # type: ignore[no-untyped-def]  # compiled by Numba
    """Return so many copies of an array."""
    made = np.empty((count, *array.shape), array.dtype)
    for part in range(count):
        made[part] = array
    return made


def cells(count, value):  # type: ignore[no-untyped-def]  # compiled by Numba
    """Return an array of so many times a number."""
    made = np.empty(count, type(value))
    for part in range(count):
        made[part] = value
    return made


def rows_kind(kind: Any) -> Any:
    """Return the type of an array of arrays."""
    return types.Array(kind.dtype, kind.ndim + 1, "C")
