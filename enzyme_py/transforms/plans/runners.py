"""From a plan to something that Python calls at the cost of an njit call: a Numba dispatcher.

A runner has the parameter names of the kernel, so that keywords and defaults work as they do on the
kernel itself, and its name says what it computes.
"""

from __future__ import annotations

import inspect
import types as pytypes
from collections.abc import Callable
from typing import Any

from enzyme_py.foundations.keeping import kept_with_kernel
from enzyme_py.transforms.plans.dispatcher import derivative_dispatcher
from enzyme_py.transforms.plans.plans import Plan, transform


def _by_arity(plan: Plan) -> list[Callable[..., Any]]:
    """Return one function per number of arguments.

    Numba's C dispatcher is fastest on plain positional parameters; *args costs a tuple and a slow
    look-up of its type at each call.
    """
    return [
        lambda: transform(plan),
        lambda a: transform(plan, a),
        lambda a, b: transform(plan, a, b),
        lambda a, b, c: transform(plan, a, b, c),
        lambda a, b, c, d: transform(plan, a, b, c, d),
        lambda a, b, c, d, e: transform(plan, a, b, c, d, e),
        lambda a, b, c, d, e, f: transform(plan, a, b, c, d, e, f),
        lambda a, b, c, d, e, f, g: transform(plan, a, b, c, d, e, f, g),
        lambda a, b, c, d, e, f, g, h: transform(plan, a, b, c, d, e, f, g, h),
    ]


def _of_any_arity(plan: Plan) -> Callable[..., Any]:
    return lambda *arguments: transform(plan, *arguments)


def fresh_runner(runner: Any) -> Any:
    """Return a runner of the same plan that has compiled nothing yet."""
    return derivative_dispatcher(runner.py_func, runner.plan)


@kept_with_kernel
def positional_runner(plan: Plan, count: int) -> Any:
    """Return the dispatcher that runs a plan on `count` positional arguments."""
    choices = _by_arity(plan)
    function = choices[count] if count < len(choices) else _of_any_arity(plan)
    function.__name__ = function.__qualname__ = type(plan).__name__.lower()
    return derivative_dispatcher(function, plan)


@kept_with_kernel
def named_runner(plan: Plan, kernel: Any, name: str) -> Any:
    """Return the dispatcher that runs a plan on the kernel's own parameters."""
    py_func = kernel.py_func
    parameters = list(inspect.signature(py_func).parameters.values())
    choices = _by_arity(plan)
    is_plain = all(p.kind is p.POSITIONAL_OR_KEYWORD for p in parameters)
    if not is_plain or len(parameters) >= len(choices):
        function = _of_any_arity(plan)
    else:
        template = choices[len(parameters)]
        names = tuple(p.name for p in parameters)
        code = template.__code__.replace(co_varnames=names, co_name=name)
        function = pytypes.FunctionType(
            code, template.__globals__, name, py_func.__defaults__, template.__closure__
        )
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{name}, made by enzyme_py from `{py_func.__name__}`."
    return derivative_dispatcher(function, plan)
