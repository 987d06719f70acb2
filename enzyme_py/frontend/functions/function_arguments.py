"""Functions of Python as arguments of kernels that are called from Python."""

from __future__ import annotations

import functools
import types as pytypes
from typing import Any

from numba.core import types
from numba.core.dispatcher import OmittedArg, Purpose, typeof
from numba.core.registry import CPUDispatcher

from enzyme_py.foundations.arrays.foreign_arrays import check_seen
from enzyme_py.frontend.functions.bound import BoundTransform, as_partial, check_callable, opened
from enzyme_py.frontend.functions.bound_types import BoundKernelType
from enzyme_py.frontend.functions.library_functions import is_library_function
from enzyme_py.frontend.target.teaching import teach

_FUNCTIONS = (pytypes.FunctionType, functools.partial, BoundTransform)


def function_type(value: Any) -> Any:
    """Return the Numba type of a function of Python, or a tuple with one; None for all else."""
    if isinstance(value, tuple) and any(map(_holds_function, value)):  # the arguments behind a star
        return types.BaseTuple.from_types([_typeof(one) for one in value], _named_class(value))
    if not _is_function(value):
        return None
    kernel, values = opened(value)
    return BoundKernelType(kernel, [_typeof(one) for one in values])


def _holds_function(value: Any) -> bool:
    if isinstance(value, tuple):
        return any(map(_holds_function, value))
    return _is_function(value)


def _is_function(value: Any) -> bool:
    if isinstance(value, _FUNCTIONS) or is_library_function(value):
        return True
    return callable(value) and not isinstance(value, type) and as_partial(value) is not None


def _named_class(value: tuple[Any, ...]) -> type | None:
    return type(value) if hasattr(value, "_fields") else None


def _typeof(value: Any) -> Any:
    return function_type(value) or typeof(value, Purpose.argument)


def omitted(default: Any) -> Any:
    """Return what stands for an argument that is left at its default."""
    return OmittedArg(default)


def values_of(function: Any) -> tuple[Any, ...]:
    """Return the values that a function of Python holds now."""
    return opened(function)[1]


class TakesFunctions:
    """What a dispatcher of ours adds: functions of Python are arguments like any other."""

    _types_active_call: set[Any]

    def typeof_pyval(self, value: Any) -> Any:
        """Return the type of an argument; Numba's C code asks for what it does not know."""
        if isinstance(value, dict):  # its attributes may be keys, and Numba asks for one that is none
            return types.pyobject
        found = function_type(value)
        if found is None:
            check_callable(value)
            check_seen(value)
            return super().typeof_pyval(value)  # type: ignore[misc]
        self._types_active_call.add(found)
        return found


class FunctionDispatcher(TakesFunctions, CPUDispatcher):  # type: ignore[misc]
    """The dispatcher that `enzyme.jit` makes."""

    def typeof_pyval(self, value: Any) -> Any:
        """See `TakesFunctions`; the type of a function comes with a lowering."""
        if _holds_function(value):
            teach()
        return super().typeof_pyval(value)
