"""Functions of Python with values of their own: closures, functools.partial, transforms of these.

`opened(f)` takes such a function apart: the kernel, and the values of its leading parameters as they
are now. The values are handed over at every call, so an array that is changed in place, or a variable
that got another value, has its effect, and functions of one code share one kernel.

Numbers that are not integers, arrays, and tuples of these are such values. Whatever else a function
captures (integers, strings, functions, ...) may decide types or calls and is fixed in its kernel;
another value means another kernel.
"""

from __future__ import annotations

import functools
import types as pytypes
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba.core.registry import CPUDispatcher

from enzyme_py.errors import UnsupportedTypeError
from enzyme_py.foundations.arrays.foreign_arrays import is_plain
from enzyme_py.foundations.content.function_content import parts_of
from enzyme_py.foundations.keeping import made_of
from enzyme_py.foundations.quick.made import NO_VALUE
from enzyme_py.frontend.functions.global_objects import as_captured, global_objects
from enzyme_py.frontend.functions.held_objects import (
    call_of,
    held,
    is_held_object,
    method_as_partial,
)
from enzyme_py.frontend.functions.kernels import as_kernel, contents_of, is_kernel
from enzyme_py.frontend.functions.library_functions import is_library_function
from enzyme_py.frontend.functions.lifting import lifted
from enzyme_py.frontend.functions.parameters import with_plain_parameters
from enzyme_py.frontend.functions.partials import partial_kernel
from enzyme_py.frontend.functions.result_kernels import result_kernel

Opened = tuple[Any, tuple[Any, ...]]


class BoundTransform:
    """What a transform returns for a function with captured values: a callable, as that is.

    It looks at the captured values at each call. Kernels take it as an argument.
    """

    def __init__(
        self, function: Any, make: Callable[[Any, int], Any], name: str, doc: str | None = None
    ) -> None:
        self._function = function
        self._make = make
        self._last: Any = (None, 0, None)
        self.__name__ = self.__qualname__ = name
        self.__doc__ = doc

    def opened(self) -> Opened:
        """Return the dispatcher of the transform and the values of its leading parameters."""
        kernel, values = differentiable(self._function)
        known, count, made = self._last
        if known is not kernel or count != len(values):
            made = self._make(kernel, len(values))
            self._last = (kernel, len(values), made)
        return made, values

    def __call__(self, *args: Any, **kws: Any) -> Any:
        """Run the transform."""
        dispatcher, values = self.opened()
        return dispatcher(*values, *args, **kws)


@parts_of.register
def _parts_of_transform(value: BoundTransform) -> tuple[Any, ...]:
    return ("bound transform", value._function, value._make)


@dataclass(frozen=True)
class Leading:
    """A kernel the first `count` parameters of which have values already; compiled code has them."""

    kernel: Any
    count: int


def opened(function: Any) -> Opened:
    """Return the kernel of a function and the values of its leading parameters."""
    return _opened(function, ())


def differentiable(function: Any) -> Opened:
    """Return the kernel that a derivative is taken of, and the values of its leading parameters: dicts may come out of it."""
    kernel, values = _opened(function, ())
    return result_kernel(kernel), values


def captures_values(function: Any) -> bool:
    """Tell whether what a function captures can change: everything but functions and modules."""
    return is_value(function)


_LASTING = (
    CPUDispatcher,
    pytypes.FunctionType,
    pytypes.BuiltinFunctionType,
    pytypes.ModuleType,
    type,
    np.ufunc,
)


def _opened(function: Any, path: tuple[Any, ...]) -> Opened:
    if is_kernel(function):
        return as_kernel(function), ()
    if isinstance(function, BoundTransform):
        return function.opened()
    if isinstance(function, functools.partial):
        return _opened_partial(function, path)
    if isinstance(function, pytypes.FunctionType):
        return _opened_function(function, path)
    method = as_partial(function)
    if method is not None:
        return _opened_partial(method, path)
    return as_kernel(function), ()


def as_partial(function: Any) -> functools.partial[Any] | None:
    """Return a method, or the call of an object, as a function that holds the object; None for all else."""
    if not is_held_object(function):
        return None
    if not isinstance(function, pytypes.MethodType):
        function = call_of(function)
        if function is None:
            return None
    if isinstance(function.__self__, type) or not isinstance(function.__func__, pytypes.FunctionType):
        return None
    return method_as_partial(function)


def _opened_function(function: pytypes.FunctionType, path: tuple[Any, ...]) -> Opened:
    inner = (*path, function)
    contents = dict(zip(function.__code__.co_freevars, contents_of(function), strict=True))
    outside = global_objects(function)
    contents.update(outside)
    if any(value is NO_VALUE for value in contents.values()):
        message = f"`{function.__name__}` captures a variable that has no value yet"
        raise UnsupportedTypeError(message, remedy="give it one before the function is used")
    function_as_given, function = function, with_plain_parameters(function)
    changing = _changing_defaults(function)
    contents.update(changing)
    are_bound = tuple(is_value(value, inner) for value in contents.values())
    if not any(are_bound):
        return as_kernel(function_as_given), ()
    bound = {name: one for (name, one), yes in zip(contents.items(), are_bound, strict=True) if yes}
    fixed = {name: value for name, value in contents.items() if name not in bound}
    own = made_of(function_as_given, "bound")  # which variables were, the values of the others, the kernel
    known = own.get("last")
    code = function.__code__
    values = tuple([one if is_plain(one) else held(one, code) for one in bound.values()])
    if known is not None and known[0] == are_bound and _are_same(known[1], fixed.values()):
        return known[2], values
    if _refers_to(function_as_given, fixed.values(), ()):
        message = f"`{function.__name__}` calls itself and captures {', '.join(bound)}"
        raise UnsupportedTypeError(message, remedy="pass what it captures as arguments")
    kernel = lifted(
        as_captured(function.__code__, tuple(outside)),
        function.__globals__,
        tuple(bound),
        fixed,
        () if changing else function.__defaults__ or (),
    )
    own["last"] = (are_bound, tuple(fixed.values()), kernel)
    return kernel, values


def _changing_defaults(function: pytypes.FunctionType) -> dict[str, Any]:
    """Return the defaults of a function one of which is an array, by the names of the parameters.

    Numba compiles defaults in. These are handed over, and then nothing else can be given for them.
    """
    defaults = function.__defaults__ or ()
    if not any(map(_holds_array, defaults)):
        return {}
    parameters = function.__code__.co_varnames[: function.__code__.co_argcount]
    return dict(zip(parameters[-len(defaults) :], defaults, strict=True))


def _holds_array(value: Any) -> bool:
    if isinstance(value, tuple):
        return any(map(_holds_array, value))
    return isinstance(value, np.ndarray)


def _are_same(some: Iterable[Any], others: Iterable[Any]) -> bool:
    return all(one is other for one, other in zip(some, others, strict=True))


def _refers_to(function: Any, values: Any, seen: tuple[Any, ...]) -> bool:
    """Tell whether functions among the values capture the function, directly or not."""
    for value in values:
        if value is function:
            return True
        if isinstance(value, pytypes.FunctionType) and value not in seen:
            seen = (*seen, value)
            if _refers_to(function, contents_of(value), seen):
                return True
    return False


def is_value(value: Any, path: tuple[Any, ...] = ()) -> bool:
    """Tell whether a captured value is handed over at each call; `path` leads to it, if functions do."""
    if isinstance(value, (float, complex, np.inexact)):
        return True
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "fciub" or value.dtype.fields is not None
    if isinstance(value, tuple):
        return any(is_value(part, path) for part in value)
    if isinstance(value, pytypes.FunctionType):
        # Also if all it captures is fixed in its kernel: that kernel is looked up at each call.
        inner = (*path, value)
        contents = (*contents_of(value), *_changing_defaults(value).values(), *global_objects(value).values())
        return value not in path and any(
            not isinstance(one, _LASTING) or is_value(one, inner) for one in contents
        )
    return isinstance(value, (functools.partial, BoundTransform)) or is_held_object(value)


def _opened_partial(function: functools.partial[Any], path: tuple[Any, ...]) -> Opened:
    kernel, values = _opened(function.func, path)
    given = (*function.args, *function.keywords.values())
    code = getattr(function.func, "__code__", None)
    bound = tuple(held(value, code) for value in given if is_value(value, path))
    fixed = [None if is_value(value, path) else (value,) for value in given]
    made = partial_kernel(
        kernel, len(values), len(function.args), tuple(function.keywords), tuple(fixed)
    )
    return made, (*values, *bound)


def check_callable(function: Any) -> None:
    """Refuse what is callable, but no function that can be compiled."""
    if isinstance(function, pytypes.MethodType):
        message = f"`{function.__name__}` is a method of {function.__self__!r}, which no kernel can hold"
        remedy = "make it a staticmethod, or write a function that takes the numbers and arrays it needs"
        raise UnsupportedTypeError(message, remedy=remedy)
    if callable(function) and not isinstance(function, type) and not _is_known(function):
        kind = type(function).__name__
        name = getattr(function, "__name__", kind)
        message = f"`{name}`, an object of type {kind}, is no Python function"
        remedy = "wrap the call in a function of numbers and arrays: lambda x: f(x)"
        if kind == "CFunc":
            remedy = "differentiate the Python function that it was made of"
        elif isinstance(function, np.vectorize):
            remedy = "differentiate the function itself, or make it with numba.vectorize"
        else:
            from enzyme_py.frontend.target.mpi_calls import remedy_for

            remedy = remedy_for(function) or remedy
        raise UnsupportedTypeError(message, remedy=remedy)


def _is_known(function: Any) -> bool:
    return is_kernel(function) or is_library_function(function) or as_partial(function) is not None or isinstance(
        function, (pytypes.FunctionType, functools.partial, BoundTransform)
    )
