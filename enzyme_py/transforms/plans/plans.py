"""`transform(plan, *arguments)`: a whole transform as one call that Numba can type and lower.

A plan is an immutable description (see gradient.py, jvp.py, annotated.py). For given argument types
it binds to a request, makes the shadows that the request needs, calls it, and arranges the result.

A plan knows nothing of typing and lowering: who makes a transform, and has its machine code already, imports
none of that. `bind` imports it (bound_gradient.py, bound_jvp.py, ...); binding.py teaches Numba the call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, NoReturn

from llvmlite import ir
from numba.core import types
from numba.core.datamodel import models
from numba.core.imputils import lower_constant
from numba.extending import register_model, typeof_impl

from enzyme_py.foundations.content.function_content import parts_of
from enzyme_py.foundations.keeping import Carried
from enzyme_py.foundations.places import argument_name
from enzyme_py.request import Request

if TYPE_CHECKING:
    from enzyme_py.transforms.plans.binding import Emit


class Bound:
    """A plan for arguments of known types."""

    request: Request
    request_types: list[Any]  # of the request's own arguments
    argument_types: list[Any]  # to which the transform's arguments are cast
    result: Any = None  # the transform's result type, known once the request's is

    def resolve(self, request_result: Any) -> None:
        """Learn the type of the request's result."""
        raise NotImplementedError

    def beside(self) -> Sequence[tuple[Plan, Sequence[Any]]]:
        """Return further plans that `lower` runs, with the types of their arguments."""
        return ()

    def lower(self, emit: Emit, values: Sequence[ir.Value]) -> ir.Value:
        """Emit the transform; `emit.request` runs the request."""
        raise NotImplementedError


class Plan:
    """Base of the plans; subclasses are frozen dataclasses."""

    kernel: Any

    def bind(self, argument_types: Sequence[Any]) -> Bound:
        """Return the plan bound to argument types, or raise what the user should read."""
        raise NotImplementedError

    def argument_label(self, number: int) -> str:
        """Return what to call the transform's argument of this number in a message."""
        return argument_name(self.kernel, number)


@parts_of.register(Plan)
def _parts_of_plan(plan: Plan) -> tuple[Any, ...]:
    names = [one.name for one in fields(plan)]  # type: ignore[arg-type]  # subclasses are dataclasses
    return ("plan", type(plan), *((name, getattr(plan, name)) for name in names))


class PlanType(types.Opaque):  # type: ignore[misc]
    """The Numba type of one plan; it leads to the plan."""

    def __init__(self, plan: Plan) -> None:
        self._carried = Carried(plan)
        super().__init__(f"{type(plan).__name__}({self._carried.number})")

    @property
    def plan(self) -> Plan:
        found: Plan = self._carried.value
        return found

    @property
    def key(self) -> Any:
        return self._carried.number


register_model(PlanType)(models.OpaqueModel)


@typeof_impl.register(Plan)
def _typeof_plan(value: Plan, _context: Any) -> PlanType:
    return PlanType(value)


@lower_constant(PlanType)
def _constant_plan(context: Any, _builder: Any, _kind: Any, _value: Any) -> Any:
    return context.get_dummy_value()


def transform(plan: Plan, *arguments: Any) -> NoReturn:
    """Run a plan; only compiled code can call this."""
    message = "transform is called from compiled code only"
    raise RuntimeError(message)
