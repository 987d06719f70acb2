"""Products of Hessians with vectors: the gradient's derivative along one direction.

Forward outside: the gradient's tangent, and the gradient itself beside it. Reverse outside: the
pull-back of the vector through the gradient, which is the vector times the Hessian.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NoReturn

from numba.core import types
from numba.extending import overload

from enzyme_py.foundations.keeping import kept_with_kernel
from enzyme_py.modes import Mode
from enzyme_py.request import Activity
from enzyme_py.transforms.derivatives.annotated import Annotated
from enzyme_py.transforms.derivatives.gradient import Gradient
from enzyme_py.transforms.derivatives.pullback import paired
from enzyme_py.transforms.jacobians.jacobian import Jacobian, jacobian_runner
from enzyme_py.transforms.plans.dispatcher import derivative_dispatcher
from enzyme_py.transforms.plans.helpers import written_for
from enzyme_py.transforms.plans.plans import Plan, PlanType, transform
from enzyme_py.transforms.plans.runners import named_runner
from enzyme_py.transforms.plans.structures import each, written
from enzyme_py.transforms.values.copies import copy_of
from enzyme_py.transforms.values.shadows import zeros_laid_out_as


@dataclass(frozen=True)
class Product(Plan):
    """A Hessian by the first argument, times a vector; compiled from `product_at`."""

    kernel: Any
    outer: Mode
    inner: Mode
    skipped: int = 0  # the kernel's leading arguments, which its function holds: they follow on v

    def argument_label(self, number: int) -> str:
        """See `Plan`; the second argument is the vector."""
        if number == 1:
            return "v"
        if number == 0:
            return super().argument_label(self.skipped)
        is_held = number - 2 < self.skipped
        return super().argument_label(number - 2 if is_held else number - 1)


@kept_with_kernel
def product_runner(plan: Product) -> Any:
    """Return the dispatcher (x, v, *others) -> (product, gradient); None for a gradient not made."""

    def product(x, v, *others):  # type: ignore[no-untyped-def]  # compiled by Numba
        return product_at(plan, x, v, others)

    product.__name__ = product.__qualname__ = f"hvp_of_{plan.kernel.py_func.__name__}"
    return derivative_dispatcher(product, plan)


def gradient_kernel(plan: Product) -> Any:
    if plan.inner.is_forward:
        wanted = Jacobian(
            plan.kernel,
            plan.inner,
            argnums=(0,),
            is_single=True,
            by_output=True,
            skipped=plan.skipped,
        )
        return jacobian_runner(wanted)
    reverse = Gradient(
        plan.kernel,
        (0,),
        is_single=True,
        skipped=plan.skipped,
        runtime_activity=plan.inner.runtime_activity,
        strong_zero=plan.inner.strong_zero,
    )
    return named_runner(reverse, plan.kernel, f"grad_of_{plan.kernel.py_func.__name__}")


def product_at(wanted: Any, x: Any, v: Any, others: Any) -> NoReturn:
    """Return (product, gradient or None); only in compiled code."""
    message = "product_at is called from compiled code only"
    raise RuntimeError(message)


@written_for(product_at)
def _product_at(wanted: PlanType, x: Any, v: Any, others: Any) -> Callable[..., Any]:
    plan: Any = wanted.plan
    gradient = gradient_kernel(plan)
    scope: dict[str, Any] = {"run": transform, "copy_of": copy_of, "like": _like}
    held = plan.skipped
    rest = f"*others[:{held}]", f"*copy_of(others[{held}:])"
    if plan.outer.is_forward:
        others_left = len(others) - held
        activities = (
            *[Activity.CONST] * held,
            Activity.DUPLICATED,
            *[Activity.CONST] * others_left,
        )
        mode = replace(plan.outer, need_primal=True)
        scope["plan"] = Annotated(gradient, mode, activities, skipped=held)
        call = f"run(plan, {rest[0]}, copy_of(x), like(v, copy_of(x)), {rest[1]})"
        return written("wanted, x, v, others", call, scope)
    scope["plan"] = Gradient(
        paired(gradient),
        (0,),
        is_single=True,
        skipped=1 + held,
        runtime_activity=plan.outer.runtime_activity,
        strong_zero=plan.outer.strong_zero,
    )
    call = f"(run(plan, v, {rest[0]}, copy_of(x), {rest[1]}), None)"
    return written("wanted, x, v, others", call, scope)


def _like(direction: Any, value: Any) -> Any:
    raise RuntimeError


@overload(_like, strict=False)
def _laid_out_like(direction: Any, value: Any) -> Callable[..., Any]:
    """Return the direction as a tangent of the value: its type and strides."""
    if isinstance(value, types.BaseTuple):
        return each(value, "direction, value", "like(direction[{i}], value[{i}])", {"like": _like})
    if isinstance(value, types.Array):
        return _array_like
    return lambda direction, value: value * 0 + direction


def _array_like(direction, value):  # type: ignore[no-untyped-def]  # compiled by Numba
    tangent = zeros_laid_out_as(value)
    tangent[...] = direction
    return tangent
