"""Products of arrays, lowered without Numba's special cases.

For `A @ B` Numba makes code for empty operands (another allocation, filled with zeros), for rows and for
columns, and chooses between them while running. Enzyme would differentiate all of it, and stumbles
over the empty ones: they merge two allocations, and fill memory of size zero. Here a product is one
allocation and one call, and rules/blas.py says what that does with empty operands.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.compiler import Flags
from numba.core.typing import signature
from numba.extending import intrinsic
from numba.np import linalg
from numba.np.arrayobj import make_array

_LARGEST = 2**31 - 1


def is_product(function: Any) -> bool:
    """Tell whether a function of Numba's belongs to its products, which are always inlined.

    Behind a call Enzyme cannot see that a product writes to its new result only, and keeps a copy of
    each matrix for each product of a loop (measured: 48 kB a step of an RNN with 64 states).
    """
    return bool(function.__module__ == linalg.__name__)


def inlined() -> Flags:
    """Return Numba's own flags for a helper, with inlining."""
    flags = Flags()
    flags.nrt = True
    flags.forceinline = True
    return flags


def replaced(function: Any) -> Any:
    """Return what is compiled in place of a function that Numba compiles for its own use."""
    if function.__module__ != linalg.__name__:
        return function
    return _REPLACED.get(function.__qualname__, function)


def _matrix_matrix(a, b):  # type: ignore[no-untyped-def]  # compiled by Numba
    rows, inner = a.shape
    _inner, columns = b.shape
    if inner != _inner:
        raise ValueError("incompatible array sizes for np.dot(a, b) (matrix * matrix)")
    if rows > _LARGEST or inner > _LARGEST or columns > _LARGEST:
        raise OverflowError("array size too large to fit in C int")
    out = np.empty((rows, columns), a.dtype)
    _multiply(a, b, out)
    return out


def _matrix_vector(a, b):  # type: ignore[no-untyped-def]
    rows, inner = a.shape
    if inner != b.shape[0]:
        raise ValueError("incompatible array sizes for np.dot(a, b) (matrix * vector)")
    if rows > _LARGEST or inner > _LARGEST:
        raise OverflowError("array size too large to fit in C int")
    out = np.empty((rows,), a.dtype)
    _multiply(a, b, out)
    return out


def _vector_matrix(a, b):  # type: ignore[no-untyped-def]
    inner, columns = b.shape
    if inner != a.shape[0]:
        raise ValueError("incompatible array sizes for np.dot(a, b) (vector * matrix)")
    if columns > _LARGEST or inner > _LARGEST:
        raise OverflowError("array size too large to fit in C int")
    out = np.empty((columns,), a.dtype)
    _multiply(a, b, out)
    return out


_REPLACED: dict[str, Callable[..., Any]] = {
    "dot_2_mm.<locals>.dot_impl": _matrix_matrix,
    "dot_2_mv.<locals>.dot_impl": _matrix_vector,
    "dot_2_vm.<locals>.dot_impl": _vector_matrix,
}


@intrinsic
def _multiply(typing_context, a, b, out):  # type: ignore[no-untyped-def]
    """Write the product of two contiguous arrays into `out`, a new one."""

    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> Any:
        linalg.ensure_blas()
        kinds = sig.args
        arrays = [
            make_array(kind)(context, builder, one) for kind, one in zip(kinds, args, strict=True)
        ]
        shapes = [cgutils.unpack_tuple(builder, one.shape) for one in arrays]
        (x, y, result) = (one.data for one in arrays)
        if kinds[0].ndim == kinds[1].ndim:
            parts = zip(kinds, shapes, (x, y, result), strict=True)
            linalg.call_xxgemm(context, builder, *(part for operand in parts for part in operand))
        elif kinds[0].ndim > kinds[1].ndim:
            is_transposed = kinds[0].layout == "C"
            linalg.call_xxgemv(context, builder, is_transposed, kinds[0], shapes[0], x, y, result)
        else:
            is_transposed = kinds[1].layout == "F"
            linalg.call_xxgemv(context, builder, is_transposed, kinds[1], shapes[1], y, x, result)
        return context.get_dummy_value()

    return signature(types.none, a, b, out), lower
