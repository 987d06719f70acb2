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
    """Return the user's kernel behind one that is a derivative of it, or its pairing with a cotangent."""
    while not isinstance(kernel, pytypes.FunctionType):
        inner = getattr(kernel, "pairs", None)
        if inner is None:
            inner = getattr(getattr(kernel, "plan", None), "kernel", None)
        if inner is None:
            break
        kernel = inner
    return kernel


def argument_names(function: Any) -> list[str]:
    """Return the names of the positional parameters of a kernel."""
    return list(inspect.signature(python_function(function), follow_wrapped=False).parameters)
