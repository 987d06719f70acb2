"""Gradients by forward mode: one run per number, for kernels with a real scalar result.

For a complex argument the two directions give the gradient as reverse mode does:
dL/dRe + i dL/dIm. Every run works on copies: the kernel may write to its arguments.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba.core import types

from enzyme_py.foundations.keeping import kept_with_kernel
from enzyme_py.modes import Forward
from enzyme_py.request import Activity
from enzyme_py.transforms.derivatives.annotated import Annotated
from enzyme_py.transforms.derivatives.gradient import activity_of
from enzyme_py.transforms.plans.dispatcher import derivative_dispatcher
from enzyme_py.transforms.plans.helpers import helper, written_for
from enzyme_py.transforms.plans.plans import Plan, PlanType, transform
from enzyme_py.transforms.values.copies import copy_of
from enzyme_py.transforms.values.shadows import zeros_laid_out_as

_run: Any = transform  # its own type says that it cannot be called from Python


@dataclass(frozen=True)
class ForwardPart(Plan):
    """The gradient by one argument, by number; it does not run by itself."""

    kernel: Any
    number: int
    skipped: int = 0


def partial_gradient(plan: Any, value: Any, before: Any, after: Any) -> Any:
    """Return the gradient with respect to one argument; only in compiled code."""
    message = "partial_gradient is called from compiled code only"
    raise RuntimeError(message)


@written_for(partial_gradient)
def _partial_gradient(plan: PlanType, value: Any, before: Any, after: Any) -> Callable[..., Any]:
    if isinstance(value, types.Array) and activity_of(value) is Activity.DUPLICATED:
        is_complex = isinstance(value.dtype, types.Complex)
        return _of_complex_array() if is_complex else _of_real_array()
    if isinstance(value, types.Complex):
        return _of_complex
    return _of_real if isinstance(value, types.Float) else _of_nothing


def _of_real_array() -> Callable[..., Any]:
    along = helper(_along)

    def of_array(plan, value, before, after):  # type: ignore[no-untyped-def]
        found = np.zeros(value.shape, value.dtype)
        for index in np.ndindex(value.shape):
            found[index] = along(plan, value, index, 1.0, before, after)
        return found

    return of_array


def _of_complex_array() -> Callable[..., Any]:
    along = helper(_along)

    def of_array(plan, value, before, after):  # type: ignore[no-untyped-def]
        found = np.zeros(value.shape, value.dtype)
        for index in np.ndindex(value.shape):
            real = along(plan, value, index, 1.0, before, after)
            imaginary = along(plan, value, index, 1.0j, before, after)
            found[index] = real + 1j * imaginary
        return found

    return of_array


def _along(plan, value, index, step, before, after):  # type: ignore[no-untyped-def]
    own = copy_of(value)
    unit = zeros_laid_out_as(own)
    unit[index] = step
    return _run(plan, *copy_of(before), own, unit, *copy_of(after))[0]


def _of_complex(plan, value, before, after):  # type: ignore[no-untyped-def]
    real = _run(plan, *copy_of(before), value, 1.0 + 0.0j, *copy_of(after))[0]
    imaginary = _run(plan, *copy_of(before), value, 1.0j, *copy_of(after))[0]
    return real + 1j * imaginary


def _of_real(plan, value, before, after):  # type: ignore[no-untyped-def]
    return _run(plan, *copy_of(before), value, 1.0, *copy_of(after))[0]


def _of_nothing(plan, value, before, after):  # type: ignore[no-untyped-def]
    return None


@kept_with_kernel
def forward_part(kernel: Any, number: int, count: int, skipped: int = 0) -> Any:
    """Return the dispatcher (*count arguments) -> gradient with respect to one of them.

    The first `skipped` of the arguments are what a function holds.
    """
    activities = tuple(Activity.DUPLICATED if i == number else Activity.CONST for i in range(count))
    along = Annotated(kernel, Forward, activities, skipped=skipped)
    after = number + 1

    def part(*arguments):  # type: ignore[no-untyped-def]  # compiled by Numba
        return partial_gradient(along, arguments[number], arguments[:number], arguments[after:])

    part.__name__ = part.__qualname__ = f"gradient_of_{kernel.py_func.__name__}"
    part.plan = ForwardPart(kernel, number, skipped)  # type: ignore[attr-defined]  # for its dispatcher
    return derivative_dispatcher(part, part.plan)  # type: ignore[attr-defined]
