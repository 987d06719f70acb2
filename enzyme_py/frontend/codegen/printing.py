"""`print` of an array in a kernel: an array of Python's that looks at the memory while it is printed.

Numba makes one that owns the memory with the kernel, by a dtype that it keeps beside the function. Memory of a derivative has no
owner that Python knows, and a derivative keeps nothing: the dtype goes into the code as bytes, as constants that are printed do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.np import numpy_support
from numba.np.arrayobj import make_array


def printed_array(function: Any, sig: Any) -> Callable[..., Any] | None:
    """Return what lowers the printing of an array, or None for anything else."""
    is_array = function == "print_item" and isinstance(sig.args[0], types.Array)
    return _lower_array if is_array else None


def _lower_array(context: Any, builder: ir.IRBuilder, sig: Any, args: Sequence[Any]) -> Any:
    (kind,) = sig.args
    python = context.get_python_api(builder)
    array = make_array(kind)(context, builder, value=args[0])
    array.meminfo = ir.Constant(array.meminfo.type, None)
    array.parent = ir.Constant(array.parent.type, None)
    dtype = python.unserialize(python.serialize_object(numpy_support.as_dtype(kind.dtype)))
    made = python.nrt_adapt_ndarray_to_python(kind, array._getvalue(), dtype)
    python.print_object(made)
    python.decref(made)
    python.decref(dtype)
    return context.get_dummy_value()
