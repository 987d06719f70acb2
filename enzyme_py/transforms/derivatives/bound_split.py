"""A half of a split reverse for arguments of known types."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from llvmlite import ir
from numba.core import types

from enzyme_py.assembly.none_results import compile_with_result
from enzyme_py.assembly.results import seed_type
from enzyme_py.request import Activity, Direction
from enzyme_py.transforms.derivatives.bound_annotated import BoundAnnotated
from enzyme_py.transforms.derivatives.split import Half
from enzyme_py.transforms.plans.binding import Emit
from enzyme_py.transforms.plans.plans import Bound


class BoundHalf(Bound):
    """A half for arguments of known types."""

    def __init__(self, plan: Half, argument_types: list[Any]) -> None:
        count = sum(1 + plan.annotated.lanes(one) for one in plan.annotated.activities)
        self.whole = BoundAnnotated(plan.annotated, argument_types[1 : 1 + count])
        # The primal is always asked for: an array's shadow has the primal's shape.
        self.request = replace(self.whole.request, direction=plan.direction, need_primal=True)
        self.argument_types = argument_types
        self.request_types = [types.intp, *argument_types[1:]]
        if plan.direction is Direction.SPLIT_REVERSE and self._is_seeded():
            kinds = [argument_types[1 + position] for position in self.whole.positions]
            returned = compile_with_result(plan.annotated.kernel, tuple(kinds)).return_type
            seeds = [seed_type(self.request, types.unliteral(returned))] * plan.annotated.width
            self.request_types = [types.intp, *argument_types[1 : 1 + count], *seeds]
            self.argument_types = [*argument_types[: 1 + count], *seeds]

    def _is_seeded(self) -> bool:
        given = len(self.argument_types) - 1 - len(self.whole.argument_types)
        return given > 0 and self.request.result is not Activity.CONST

    def resolve(self, request_result: Any) -> None:
        """See `Bound`."""
        if self.request.direction is Direction.SPLIT_FORWARD:
            self.result = request_result
        else:
            self.whole.request = replace(self.request, need_primal=False)
            self.whole.resolve(request_result)
            self.result = self.whole.result

    def lower(self, emit: Emit, values: Sequence[ir.Value]) -> ir.Value:
        """See `Bound`."""
        parts = values[1 : 1 + len(self.whole.argument_types)]
        self.whole.check_layouts(emit, parts)
        items = emit.request(values)
        if self.request.direction is Direction.SPLIT_FORWARD:
            return emit.tuple(self.result, items)
        own = self.whole.gradients(emit, parts, iter(items))
        return emit.tuple(self.result, [own])
