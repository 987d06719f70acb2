"""The code of a Hessian times a vector, written out for the types of the arguments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from numba.core import types
from numba.extending import overload

from enzyme_py.request import Activity
from enzyme_py.transforms.derivatives.annotated import Annotated
from enzyme_py.transforms.derivatives.gradient import Gradient
from enzyme_py.transforms.derivatives.pullback import paired
from enzyme_py.transforms.jacobians.products import gradient_kernel, product_at
from enzyme_py.transforms.plans.helpers import written_for
from enzyme_py.transforms.plans.plans import PlanType, transform
from enzyme_py.transforms.plans.structures import each, written
from enzyme_py.transforms.values.copies import copy_of
from enzyme_py.transforms.values.shadows import zeros_laid_out_as


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
