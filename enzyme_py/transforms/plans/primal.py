"""The kernel itself as a plan: run by the machinery of derivatives, on its own memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from llvmlite import ir

from enzyme_py.frontend.functions.bound_types import with_held
from enzyme_py.request import Activity, Direction, Request
from enzyme_py.transforms.plans.plans import Bound, Plan

if TYPE_CHECKING:
    from enzyme_py.transforms.plans.binding import Emit


@dataclass(frozen=True)
class Primal(Plan):
    """The kernel itself, run by the machinery of derivatives."""

    kernel: Any
    runs: str = ""  # what runs it again, if anything does: said where it draws random numbers

    def bind(self, argument_types: Sequence[Any]) -> BoundPrimal:
        """See `Plan`."""
        return BoundPrimal(self, with_held(argument_types, 0))


class BoundPrimal(Bound):
    """A kernel for arguments of known types."""

    def __init__(self, plan: Primal, argument_types: list[Any]) -> None:
        self.argument_types = argument_types
        self.request_types = argument_types
        activities = tuple(Activity.CONST for _ in argument_types)
        if plan.runs:
            from enzyme_py.transforms.plans.drawn_again import warn_of_draws

            warn_of_draws(plan.kernel, tuple(argument_types), plan.runs)
        self.request = Request(plan.kernel, Direction.PRIMAL, activities, result=Activity.CONST)

    def resolve(self, request_result: Any) -> None:
        """See `Bound`."""
        self.result = request_result[0]

    def lower(self, emit: Emit, values: Sequence[ir.Value]) -> ir.Value:
        """See `Bound`."""
        return emit.request(values)[0]
