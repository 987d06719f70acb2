"""Keyword-only parameters as plain ones: Numba's dispatcher takes arguments by place.

    def f(x, *, k=2.0): ...        ->        def f(x, k=2.0): ...

Who calls by name notices nothing; by place, more is taken than Python would.
"""

from __future__ import annotations

import functools
import inspect
import types as pytypes
from typing import Any

from enzyme_py.errors import UnsupportedTypeError, Where


def with_plain_parameters(function: pytypes.FunctionType) -> pytypes.FunctionType:
    """Return the function, or one without keyword-only parameters that does the same."""
    function = without_a_dispatchers_attributes(function)
    code = function.__code__
    if code.co_flags & inspect.CO_VARKEYWORDS:
        name = code.co_varnames[code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & inspect.CO_VARARGS)]
        raise _refusal(code, f"it takes **{name}")
    if not code.co_kwonlyargcount:
        return function
    given = function.__kwdefaults__ or {}
    names = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    defaults = [*(function.__defaults__ or ())]
    for name in names:
        if name in given:
            defaults.append(given[name])
        elif defaults:
            raise _refusal(code, f"its keyword-only `{name}` has no default, and a parameter before it has one")
    if code.co_flags & inspect.CO_VARARGS:
        raise _refusal(code, f"it takes *args, and `{names[0]}` by keyword only")
    return copied_function(function, plain_code(code), tuple(defaults) or None)


def copied_function(
    function: pytypes.FunctionType, code: pytypes.CodeType, defaults: tuple[Any, ...] | None
) -> pytypes.FunctionType:
    """Return a function with the globals, the captures and the names of another."""
    made = pytypes.FunctionType(code, function.__globals__, function.__name__, defaults, function.__closure__)
    functools.update_wrapper(made, function)
    made.__dict__.pop("__wrapped__", None)
    return made


def without_a_dispatchers_attributes(function: pytypes.FunctionType) -> pytypes.FunctionType:
    """Return a function, or one that does the same, that has no attributes of a dispatcher.

    functools.wraps copies them to the function around a jitted one. Numba's dispatcher takes over all attributes of its function: it
    would be one of the function within. Reproducer: tests/snippets/test_decorators.py.
    """
    if "py_func" not in function.__dict__:
        return function
    made = copied_function(function, function.__code__, function.__defaults__)
    made.__kwdefaults__ = function.__kwdefaults__
    made.__dict__.clear()
    return made


def plain_code(code: pytypes.CodeType) -> Any:
    """Return the code with its keyword-only parameters behind those that can be given by place."""
    return code.replace(co_argcount=code.co_argcount + code.co_kwonlyargcount, co_kwonlyargcount=0)


def _refusal(code: pytypes.CodeType, why: str) -> UnsupportedTypeError:
    where = Where(code.co_name, code.co_filename, code.co_firstlineno, None)
    message = f"`{code.co_name}` cannot be compiled: {why}"
    return UnsupportedTypeError(message, where=where, remedy="give it plain parameters, each with a name")
