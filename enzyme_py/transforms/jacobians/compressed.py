"""Products of a Jacobian with many given vectors: J times each, or each times J.

Every run of Enzyme's code takes as many vectors as it has lanes. The kernel's argument is a C-ordered
array, its output an array or a number; vectors and products are rows of matrices, whose number is a
multiple of the lanes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NoReturn

from numba.core import types
from numba.extending import overload, register_jitable

from enzyme_py.foundations.keeping import kept_with_kernel
from enzyme_py.frontend.parallel.wishes import has_several_threads
from enzyme_py.modes import Mode
from enzyme_py.request import Activity
from enzyme_py.transforms.derivatives.annotated import Annotated
from enzyme_py.transforms.jacobians import counting
from enzyme_py.transforms.jacobians.columns import DIFFERENT_SIZES
from enzyme_py.transforms.jacobians.loops import Loop, may_share_out
from enzyme_py.transforms.jacobians.rows import buffer, result_into
from enzyme_py.transforms.plans.dispatcher import derivative_dispatcher
from enzyme_py.transforms.plans.drawn_again import warn_of_draws
from enzyme_py.transforms.plans.elements import copy_elements
from enzyme_py.transforms.plans.helpers import written_for
from enzyme_py.transforms.plans.plans import Plan, PlanType, transform
from enzyme_py.transforms.plans.structures import defined, of_lanes
from enzyme_py.transforms.values.copies import copy_of

LEADING = 3  # products, vectors and output stand in front of the kernel's arguments


@dataclass(frozen=True)
class Products(Plan):
    """Of which kernel, by which argument; forward mode multiplies from the right."""

    kernel: Any
    mode: Mode
    number: int
    width: int
    on_threads: bool = field(default_factory=has_several_threads)  # as the settings are when it is made: loops.py

    def argument_label(self, number: int) -> str:
        """See `Plan`."""
        return super().argument_label(max(0, number - LEADING))


@kept_with_kernel
def products_runner(plan: Products) -> Any:
    """Return the dispatcher (products, vectors, output, *arguments), which fills the products.

    `output` has the shape of the kernel's output: the number 0 stands for a number. In reverse mode
    the products must be zeros on entry.
    """

    def products(found, vectors, output, *arguments):  # type: ignore[no-untyped-def]
        return fill_products(plan, found, vectors, output, arguments)

    products.__name__ = products.__qualname__ = f"products_of_{plan.kernel.py_func.__name__}"
    return derivative_dispatcher(products, plan)


def fill_products(wanted: Any, found: Any, vectors: Any, output: Any, arguments: Any) -> NoReturn:
    """Compute the products; only in compiled code."""
    message = "fill_products is called from compiled code only"
    raise RuntimeError(message)


@written_for(fill_products)
def _fill_products(
    wanted: PlanType, found: Any, vectors: Any, output: Any, arguments: Any
) -> Callable[..., Any]:
    plan: Any = wanted.plan
    kinds = [types.unliteral(kind) for kind in arguments]
    warn_of_draws(plan.kernel, tuple(kinds), "its Jacobian takes several runs")
    given = [f"copy_of(arguments[{i}])" for i in range(len(arguments))]
    activities = [Activity.CONST] * len(arguments)
    activities[plan.number] = Activity.DUPLICATED
    kernel = plan.kernel
    scope: dict[str, Any] = {
        "run": transform,
        "copy_of": copy_of,
        "row_as": _row_as,
        "own_row": _own_row,
        "put": _put,
        "buffer": buffer,
    }
    if plan.mode.is_forward:
        given[plan.number] = ", ".join(["own", *of_lanes(plan.width, "own_row(vectors, first + {lane}, own)")])
        lines = [
            f"tangents = run(plan, {', '.join(given)})[0]",
            *of_lanes(plan.width, "put(found, first + {lane}, tangents[{lane}])"),
        ]
    else:
        is_array = isinstance(output, types.Array)
        kernel = result_into(kernel, (), "", is_array)
        activities.insert(0, Activity.DUPLICATED)
        given[plan.number] = ", ".join(["own", *of_lanes(plan.width, "row_as(found, first + {lane}, own)")])
        seeds = ", ".join(of_lanes(plan.width, "own_row(vectors, first + {lane}, to)"))
        lines = [
            "to = buffer(output)",
            f"run(plan, to, {seeds}, {', '.join(given)})",
        ]
    scope["plan"] = Annotated(kernel, plan.mode, tuple(activities), plan.width, is_batch=True)
    loop = Loop(
        first="0",
        end=f"vectors.shape[0] // {plan.width}",
        body=[
            f"first = block * {plan.width}",
            f"own = copy_of(arguments[{plan.number}])",
            *lines,
        ],
        given=["found", "vectors", "output", "arguments"],
        kind=counting.PRODUCTS,
        done=f"first + {plan.width}",
        total="vectors.shape[0]",
    )
    head = "def products(wanted, found, vectors, output, arguments):"
    text = [head, *(f"    {line}" for line in loop.lines("products", may_share_out(plan, kinds), scope))]
    return defined("\n".join(text), "products", scope)


# -- rows of matrices as vectors -------------------------------------------------------------------


@register_jitable
def _row_as(matrix, place, value):  # type: ignore[no-untyped-def]  # compiled by Numba
    return matrix[place].reshape(value.shape)


@register_jitable
def _own_row(matrix, place, value):  # type: ignore[no-untyped-def]
    return matrix[place].reshape(value.shape).copy()  # a run may write to it


def _put(found: Any, place: Any, tangent: Any) -> Any:
    raise RuntimeError


@overload(_put, strict=False)
def _put_one(found: Any, place: Any, tangent: Any) -> Callable[..., Any]:
    return _put_array if isinstance(tangent, types.Array) else _put_number


def _put_array(found, place, tangent):  # type: ignore[no-untyped-def]
    if tangent.size != found.shape[1]:
        raise ValueError(DIFFERENT_SIZES)
    copy_elements(found[place], tangent.ravel())


def _put_number(found, place, tangent):  # type: ignore[no-untyped-def]
    found[place, 0] = tangent
