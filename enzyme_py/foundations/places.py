"""Where a function stands and what its parameters are called, for messages."""

from __future__ import annotations

import inspect
from typing import Any

from enzyme_py.errors import Where


def where_is(function: Any, argument: str | None = None) -> Where:
    """Return the place of a Python function or dispatcher."""
    py_func = getattr(function, "py_func", function)
    own = behind(function)
    code = getattr(own, "py_func", own).__code__
    return Where(py_func.__name__, code.co_filename, code.co_firstlineno, argument)


def behind(kernel: Any) -> Any:
    """Return the user's kernel behind one that is a derivative of it, or its pairing with a cotangent."""
    while True:
        inner = getattr(kernel, "pairs", None)
        if inner is None:
            inner = getattr(getattr(kernel, "plan", None), "kernel", None)
        if inner is None:
            return kernel
        kernel = inner


def argument_names(function: Any) -> list[str]:
    """Return the names of the positional parameters of a kernel."""
    return list(inspect.signature(getattr(function, "py_func", function)).parameters)
