"""The code of a Hessian times a vector, written out for the types of the arguments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from enzyme_py.assembly.results import returned_type
from enzyme_py.assembly.written_arguments import writes_no_argument
from enzyme_py.request import Activity
from enzyme_py.transforms.derivatives.annotated import Annotated
from enzyme_py.transforms.derivatives.gradient import Gradient
from enzyme_py.transforms.derivatives.pullback import paired
from enzyme_py.transforms.jacobians.products import gradient_kernel, product_at
from enzyme_py.transforms.plans.helpers import written_for
from enzyme_py.transforms.plans.plans import PlanType, transform
from enzyme_py.transforms.plans.structures import written
from enzyme_py.transforms.values.copies import copy_of, lent, lent_tangent, tangent_like


@written_for(product_at)
def _product_at(wanted: PlanType, x: Any, v: Any, others: Any) -> Callable[..., Any]:
    plan: Any = wanted.plan
    gradient = gradient_kernel(plan)
    held = plan.skipped
    # Nobody sees what the kernel writes: it gets copies. What it only reads need not be copied.
    kinds = list(others)
    own = *kinds[:held], returned_type(x), *map(returned_type, kinds[held:])
    reads_only = writes_no_argument(plan.kernel, own)
    scope: dict[str, Any] = {
        "run": transform,
        "own": lent if reads_only else copy_of,
        "tangent": lent_tangent if reads_only else tangent_like,
    }
    rest = f"*others[:{held}]", f"*own(others[{held}:])"
    if plan.outer.is_forward:
        others_left = len(others) - held
        activities = (
            *[Activity.CONST] * held,
            Activity.DUPLICATED,
            *[Activity.CONST] * others_left,
        )
        mode = replace(plan.outer, need_primal=plan.with_gradient)
        scope["plan"] = Annotated(gradient, mode, activities, skipped=held)
        call = f"run(plan, {rest[0]}, own(x), tangent(v, x), {rest[1]})"
        found = call if plan.with_gradient else f"({call}[0], None)"
        return written("wanted, x, v, others", found, scope)
    scope["plan"] = Gradient(
        paired(gradient),
        (0,),
        is_single=True,
        skipped=1 + held,
        runtime_activity=plan.outer.runtime_activity,
        strong_zero=plan.outer.strong_zero,
    )
    call = f"(run(plan, v, {rest[0]}, own(x), {rest[1]}), None)"
    return written("wanted, x, v, others", call, scope)
