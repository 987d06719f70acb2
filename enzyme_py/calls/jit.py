"""`enzyme.jit`: a Numba kernel. Calling it runs the primal at njit speed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, overload

from enzyme_py.calls.kernel_types import Decorator, Kernel, P, R
from enzyme_py.foundations.places import python_function
from enzyme_py.frontend.functions.kernels import jitted


@overload
def jit(function: Callable[P, R], /, **options: Any) -> Kernel[P, R]: ...
@overload
def jit(function: None = None, /, **options: Any) -> Decorator: ...
def jit(function: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """Compile a Python function as a kernel; use it as a decorator.

    The options are Numba's (fastmath, cache, error_model, boundscheck, nogil, ...). Plain Python
    functions that the kernel calls are compiled with it. The result is a Numba dispatcher: call it
    from Python or from @njit code, and give it to any transform.

    Examples:
        >>> @enzyme.jit(fastmath=True)
        ... def cube(x):
        ...     return x**3
        >>> cube(2.0), enzyme.grad(cube)(2.0)
        (8.0, 12.0)
    """
    if function is None:
        return lambda one: jit(one, **options)
    options.pop("nopython", None)
    return jitted(python_function(function), options)
