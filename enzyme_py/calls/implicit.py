"""Derivatives of what equations define: the solution y of residual(x, y) = 0, by any solver."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from enzyme_py.errors import AnnotationError
from enzyme_py.frontend.functions.bound import captures_values
from enzyme_py.frontend.functions.kernels import as_kernel
from enzyme_py.transforms.jacobians.implicit import implicit_kernel

MOST_STEPS = 16


def implicit(
    solver: Callable[..., Any],
    residual: Callable[..., Any],
    order: int = 4,
    tolerance: float = 1e-6,
) -> Any:
    """Return the kernel `solver` with derivatives taken from `residual`, not from its iterations.

    `y = solver(*args)` is a number or an array of floats that solves `residual(*args, y) = 0`, which
    has the shape of y and a slope by y that can be inverted. The new kernel takes `args` and returns
    y; all transforms take it. Its derivatives are exact up to `order`, each of which costs one more
    call of `residual`. How the solver found y does not matter: it may iterate, branch, or start from
    a guess among its arguments.

    Raises ValueError where a Newton step from y would change it by more than `tolerance`, relative
    to 1 + max|y|, and LinAlgError where the slope is singular: derivatives would be wrong there.

    Examples:
        >>> root = enzyme.rules.implicit(lambda a: a**0.5, lambda a, y: y * y - a)  # y = sqrt(a)
        >>> enzyme.grad(root)(4.0)
        0.25
    """
    if not isinstance(order, int) or isinstance(order, bool) or not 1 <= order <= MOST_STEPS:
        message = f"order must be a number from 1 to {MOST_STEPS}, not {order!r}"
        raise AnnotationError(message, remedy="give the highest order that you will differentiate")
    if not tolerance > 0:
        message = f"tolerance must be positive, not {tolerance!r}"
        raise AnnotationError(message, remedy="leave it out: 1e-6 is usual")
    for function in (solver, residual):
        if captures_values(function):
            message = "the functions of an implicit one cannot capture values that may change"
            raise AnnotationError(message, remedy="pass what they capture as an argument of both")
    return implicit_kernel(as_kernel(solver), as_kernel(residual), order, float(tolerance))


__all__ = ["implicit"]
