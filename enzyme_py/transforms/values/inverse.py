"""The inverse of a matrix that is a constant to every derivative, by LAPACK.

In a kernel LAPACK's routine is called under a name of its own, which the table of inactive functions
has (rules/inactive.py): only the copy of a stopped value is ever given to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.typing import signature
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.extending import lower_builtin, overload
from numba.np.arrayobj import make_array

from enzyme_py.foundations.scipy_bindings import integer_bits
from enzyme_py.frontend.target.target import KernelContext
from enzyme_py.native.blas import blas_address
from enzyme_py.rules.inactive import CONSTANT_PREFIX
from enzyme_py.transforms.values.stop import stop_gradient

_INTEGER = np.int64 if integer_bits() == 64 else np.int32
_ROUTINES = {types.float64: "dgesv_", types.float32: "sgesv_"}


def constant_inverse(slope: Any) -> Any:
    """Return the inverse of a number or a square matrix, as a constant; only in compiled code."""
    message = "constant_inverse is called from compiled code only"
    raise RuntimeError(message)


@overload(constant_inverse, strict=False)  # annotations would count as a difference
def _constant_inverse(slope: Any) -> Callable[..., Any]:
    return _of_matrix if isinstance(slope, types.Array) else _of_number


def _of_number(slope):  # type: ignore[no-untyped-def]  # compiled by Numba
    own = stop_gradient(slope)
    if own == 0.0:
        raise np.linalg.LinAlgError("Matrix is singular to machine precision.")
    return 1.0 / own


def _of_matrix(slope):  # type: ignore[no-untyped-def]
    own = stop_gradient(slope)
    size = own.shape[0]
    found = np.zeros((size, size), own.dtype)
    for i in range(size):
        found[i, i] = 1.0
    # n, the number of right sides, the leading dimension, and what LAPACK says in the end. Both
    # matrices are transposed for it, and the inverse of the transposed one is the inverse transposed.
    numbers = np.array([size, size, max(size, 1), 0], _INTEGER)
    _gesv(own, found, np.zeros(size, _INTEGER), numbers)
    if numbers[3] != 0:
        raise np.linalg.LinAlgError("Matrix is singular to machine precision.")
    return found


def _gesv(matrix: Any, sides: Any, pivots: Any, numbers: Any) -> None:
    """Call LAPACK; only in compiled code."""


@infer_global(_gesv)
class _GesvTemplate(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Sequence[Any], kws: Any) -> Any:
        return None if kws else signature(types.none, *args)


@lower_builtin(_gesv, types.Array, types.Array, types.Array, types.Array)
def _lower_gesv(context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]) -> Any:
    routine = _ROUTINES[sig.args[0].dtype]
    pointer = ir.IntType(8).as_pointer()
    kind = ir.FunctionType(ir.VoidType(), [pointer] * 8)
    if isinstance(context, KernelContext):
        function = cgutils.get_or_insert_function(builder.module, kind, CONSTANT_PREFIX + routine)
    else:
        address = context.add_dynamic_addr(builder, blas_address(routine), info=routine)
        function = builder.bitcast(address, kind.as_pointer())
    matrix, sides, pivots, numbers = (
        make_array(own)(context, builder, value).data
        for own, value in zip(sig.args, args, strict=True)
    )
    n, count, leading, info = (builder.gep(numbers, [ir.IntType(32)(i)]) for i in range(4))
    given = [n, count, matrix, leading, pivots, sides, leading, info]
    builder.call(function, [builder.bitcast(one, pointer) for one in given])
    return context.get_dummy_value()
