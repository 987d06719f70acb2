"""Gradients by forward mode: one run per number, for kernels with a real scalar result.

For a complex argument the two directions give the gradient as reverse mode does:
dL/dRe + i dL/dIm. Every run works on copies: the kernel may write to its arguments. What is compiled is written
in forward_gradient_code.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from enzyme_py.foundations.keeping import kept_with_kernel
from enzyme_py.modes import Forward
from enzyme_py.request import Activity
from enzyme_py.transforms.derivatives.annotated import Annotated
from enzyme_py.transforms.plans.dispatcher import derivative_dispatcher
from enzyme_py.transforms.plans.plans import Plan


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
