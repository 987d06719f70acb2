"""What the rules of linear algebra share: parts of work arrays, adjoints, BLAS's and LAPACK's names.

A work array is cut into parts in the order in which they stand (frontend/external/ruled.py). All parts are in C
order; those that LAPACK has to read or write hold the transposed matrix, which is its own order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.errors import TypingError
from numba.core.typing import signature
from numba.extending import intrinsic, overload, register_jitable
from numba.np import linalg
from numba.np.arrayobj import make_array

from enzyme_py.foundations.scipy_bindings import integer_bits
from enzyme_py.frontend.external.ruled import NUMBERS_OF_A_SIZE

TARGET = "enzyme"
INTEGER = np.int64 if integer_bits() == 64 else np.int32
_LETTERS = {
    types.float32: "s",
    types.float64: "d",
    types.complex64: "c",
    types.complex128: "z",
}


def primal_of(implementation: Any) -> Any:
    """Return a function that compiles to Numba's own implementation of something, by LAPACK."""

    def own(*args):
        raise RuntimeError(implementation.__name__)

    overload(own, strict=False)(implementation)
    return own


@register_jitable(forceinline=True)
def matrix_at(work, start, rows, columns):
    """Return a part of a work array as a matrix."""
    return work[start : start + rows * columns].reshape((rows, columns))


@register_jitable(forceinline=True)
def first_of(sizes):
    """Return where the first part stands behind so many sizes and the length."""
    return NUMBERS_OF_A_SIZE * (sizes + 1)


def adjoint(a):
    """Return the conjugate transpose of a contiguous matrix; only in compiled code."""
    raise RuntimeError


@overload(adjoint, strict=False, jit_options={"forceinline": True})
def _adjoint(a):
    if isinstance(a.dtype, types.Complex):
        return lambda a: np.conj(a).T
    return lambda a: a.T


def conjugate(a):
    """Return the conjugate of an array, which may be the array itself; only in compiled code."""
    raise RuntimeError


@overload(conjugate, strict=False, jit_options={"forceinline": True})
def _conjugate(a):
    if isinstance(a.dtype, types.Complex):
        return lambda a: np.conj(a)  # noqa: PLW0108  # Numba needs source code here
    return lambda a: a


def real_type(dtype: Any) -> Any:
    """Return NumPy's type of the real parts of one of Numba's types."""
    return np.dtype(str(getattr(dtype, "underlying_float", dtype))).type


def must_be_square(a):
    """Raise unless a matrix is square, as Numba does; only in compiled code."""
    raise RuntimeError


@overload(must_be_square, strict=False)
def _must_be_square(a):
    def check(a):
        if a.shape[0] != a.shape[1]:
            raise np.linalg.LinAlgError("Last 2 dimensions of the array must be square.")

    return check


check_finite = linalg._check_finite_matrix


@intrinsic
def fortran(typing_context, routine, like, arrays):
    """Call a routine of LAPACK for the type of `like`, with pointers to the first items of arrays."""
    if not isinstance(routine, types.StringLiteral):
        message = "a routine of LAPACK is called by a literal name"
        raise TypingError(message)

    def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> Any:
        linalg.ensure_lapack()
        pointer = ir.IntType(8).as_pointer()
        kinds = sig.args[2].types
        given = [
            builder.bitcast(make_array(kind)(context, builder, one).data, pointer)
            for kind, one in zip(kinds, cgutils.unpack_tuple(builder, args[2]), strict=True)
        ]
        kind = ir.FunctionType(ir.VoidType(), [pointer] * len(given))
        symbol = f"{_LETTERS[sig.args[1].dtype]}{sig.args[0].literal_value}_"
        builder.call(cgutils.get_or_insert_function(builder.module, kind, symbol), given)
        return context.get_dummy_value()

    return signature(types.none, routine, like, arrays), lower
