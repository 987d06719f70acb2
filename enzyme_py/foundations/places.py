"""Where a function stands and what its parameters are called, for messages."""

from __future__ import annotations

import inspect
import types as pytypes
from typing import Any

from enzyme_py.errors import Where


def python_function(function: Any) -> Any:
    """Return the Python function of a dispatcher; a Python function as it is, though functools.wraps gave it attributes of one."""
    return function if isinstance(function, pytypes.FunctionType) else getattr(function, "py_func", function)


def where_is(function: Any, argument: str | None = None) -> Where:
    """Return the place of a Python function or dispatcher."""
    code = python_function(behind(function)).__code__
    return Where(python_function(function).__name__, code.co_filename, code.co_firstlineno, argument)


def behind(kernel: Any) -> Any:
    """Return the user's kernel behind one that is a derivative of it, or its pairing with a cotangent, or that writes its result."""
    while not isinstance(kernel, pytypes.FunctionType):
        inner = getattr(kernel, "pairs", getattr(kernel, "hands_on_to", None))
        if inner is None:
            inner = getattr(getattr(kernel, "plan", None), "kernel", None)
        if inner is None:
            break
        kernel = inner
    return kernel


def argument_names(function: Any) -> list[str]:
    """Return the names of the positional parameters of a kernel."""
    return list(inspect.signature(python_function(function), follow_wrapped=False).parameters)


def argument_name(kernel: Any, number: int) -> str:
    """Return what messages call an argument of a kernel: its number, where it comes behind a star."""
    names = argument_names(kernel)
    return names[number] if number < len(names) else str(number)


def names_of_given(kernel: Any, count: int) -> list[str]:
    """Return the names of as many arguments: those behind a star are called as in the user's kernel, if it takes as many."""
    names = argument_names(kernel)
    own = argument_names(behind(kernel))
    if count > len(names) and len(own) == count - len(names) + 1:
        names[-1:] = own
    return names[:count] + [str(number) for number in range(len(names), count)]
