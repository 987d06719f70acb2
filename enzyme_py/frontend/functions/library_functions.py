"""Functions of libraries as kernels: `enzyme.grad(np.sin)`, `enzyme.grad(math.lgamma)`, ufuncs, jitted ufuncs.

They have no bytecode. The kernel is a function that calls them, with the parameters that must be given:

    def sin(x0): return function(x0)
"""

from __future__ import annotations

import inspect
import types as pytypes
from typing import Any

import numpy as np
from numba.np.ufunc.dufunc import DUFunc

from enzyme_py.errors import UnsupportedTypeError
from enzyme_py.foundations.keeping import Recent

_kernels = Recent(512)
_ARRAY_FUNCTION = type(np.sum)


def is_library_function(function: Any) -> bool:
    """Tell whether a value is a ufunc, or a function of C or NumPy."""
    if isinstance(function, pytypes.BuiltinFunctionType):  # bound methods of C objects are of this kind, too
        return isinstance(function.__self__, (pytypes.ModuleType, type(None)))
    return isinstance(function, (np.ufunc, DUFunc, _ARRAY_FUNCTION))


def kernel_of_library_function(function: Any) -> Any:
    """Return the kernel that calls a function of a library."""
    from enzyme_py.frontend.functions.kernels import jitted

    found = _kernels.get(id(function))
    if found is None:
        found = _kernels.put(id(function), (jitted(_caller(function), {}), function))
    kernel, _ = found
    return kernel


def _caller(function: Any) -> Any:
    count = _count(function)
    name = getattr(function, "__name__", "function")
    names = ", ".join(f"x{i}" for i in range(count)) if count is not None else "*xs"
    own: dict[str, Any] = {}
    text = f"def make(function):\n    def caller({names}): return function({names})\n    return caller\n"
    exec(text, own)  # noqa: S102  (numbered names, nothing else)
    made = own["make"](function)
    made.__name__ = made.__qualname__ = name
    return made


def _count(function: Any) -> int | None:
    """Return the number of arguments that must be given; None if it cannot be known."""
    if isinstance(function, (np.ufunc, DUFunc)):
        if getattr(function, "nout", 1) != 1 or getattr(function, "signature", None):
            message = f"`{function.__name__}` is a ufunc of whole arrays, or has several results"
            raise UnsupportedTypeError(message, remedy="call it in a function of your own, with its output as argument")
        return int(function.nin)
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:
        return None
    if any(one.kind is one.VAR_POSITIONAL for one in parameters):
        return None
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(one.default is one.empty and one.kind in positional for one in parameters)
