"""Jacobians in compiled code: columns from forward mode, rows from reverse mode, arranged.

The Jacobian of an output by an argument has the shape out.shape + in.shape; a number has the shape
(), and where both are numbers the derivative is one. A function that returns a tuple has a Jacobian
for each part, in a tuple of that structure; so has an argument that is a tuple. `chunk` columns or
rows are computed in one run of Enzyme's code (its batch).

It is plain Numba code over the plans of autodiff (jacobian_code.py), so that a Jacobian can be taken
inside a kernel, and that kernel differentiated again, to any order.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NoReturn

from enzyme_py.foundations.keeping import kept_with_kernel
from enzyme_py.frontend.parallel.wishes import has_several_threads
from enzyme_py.modes import Mode
from enzyme_py.transforms.plans.dispatcher import derivative_dispatcher
from enzyme_py.transforms.plans.plans import Plan

AT_ONCE = 4  # columns or rows; docs/jacobians.md has the figures


@dataclass(frozen=True)
class Jacobian(Plan):
    """What to compute: of which kernel, by which arguments, in which mode, how arranged.

    It does not run by itself: jacobian_code.py writes `jacobian_at` from it.
    """

    kernel: Any
    mode: Mode
    argnums: tuple[int, ...] | None = None  # None: by all that have a derivative; others get None
    constants: tuple[int, ...] = ()  # and those by which is not differentiated nevertheless
    is_single: bool = False  # argnums was one number
    by_output: bool = False  # JAX's order: the output's structure outside, arguments inside
    chunk: int | None = None  # None: AT_ONCE, one inside of kernels
    holomorphic: bool = False
    has_aux: bool = False
    skipped: int = 0  # leading arguments that the function holds: constant, and not counted
    on_threads: bool = field(default_factory=has_several_threads)  # as the settings are when it is made: loops.py


def jacobian_at(wanted: Any, arguments: Any) -> NoReturn:
    """Return the Jacobians at a tuple of arguments; only in compiled code."""
    message = "jacobian_at is called from compiled code only"
    raise RuntimeError(message)


@kept_with_kernel
def jacobian_runner(plan: Jacobian) -> Any:
    """Return the dispatcher that takes the kernel's arguments and returns its Jacobians."""
    jacobian = _of_places(plan)
    word = "jacfwd" if plan.mode.is_forward else "jacrev"
    name = f"{word}_of_{plan.kernel.py_func.__name__}"
    jacobian.__name__ = jacobian.__qualname__ = name
    return derivative_dispatcher(jacobian, plan)


def _of_places(plan: Jacobian) -> Any:
    """Return the function that takes as many arguments as the kernel; any number, where that has defaults or a star.

    Of a tuple, as the arguments behind a star are one, Numba remembers a type that forgets the order of bytes: an array of
    the other order would be read as one of this machine's.
    """
    choices: list[Callable[..., Any]] = [
        lambda: jacobian_at(plan, ()),
        lambda a: jacobian_at(plan, (a,)),
        lambda a, b: jacobian_at(plan, (a, b)),
        lambda a, b, c: jacobian_at(plan, (a, b, c)),
        lambda a, b, c, d: jacobian_at(plan, (a, b, c, d)),
    ]
    parameters = inspect.signature(plan.kernel.py_func).parameters.values()
    is_plain = all(p.kind is p.POSITIONAL_OR_KEYWORD and p.default is p.empty for p in parameters)
    if is_plain and len(parameters) < len(choices):
        return choices[len(parameters)]
    return lambda *arguments: jacobian_at(plan, arguments)
