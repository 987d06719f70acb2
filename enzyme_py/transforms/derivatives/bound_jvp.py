"""A jvp for arguments of known types: its request, and the tangents laid out like their primals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba.core import types

from enzyme_py.errors import ShadowError
from enzyme_py.foundations.places import argument_name, where_is
from enzyme_py.request import Activity, Direction, Request
from enzyme_py.transforms.derivatives.activities import activity_of
from enzyme_py.transforms.derivatives.jvp import Jvp
from enzyme_py.transforms.plans.binding import Emit
from enzyme_py.transforms.plans.plans import Bound
from enzyme_py.transforms.plans.structures import check_structure
from enzyme_py.transforms.values.shadows import shadow_type, tangent_like


class BoundJvp(Bound):
    """A jvp for arguments of known types."""

    def __init__(self, plan: Jvp, argument_types: list[Any]) -> None:
        skipped = plan.skipped
        self.count = (len(argument_types) - skipped) // 2
        self.primals = argument_types[: skipped + self.count]
        self.tangents = argument_types[self.count :]  # beginning with as many that nobody reads
        self.argument_types = argument_types
        active = [
            number >= skipped and activity_of(kind) is not Activity.CONST
            for number, kind in enumerate(self.primals)
        ]
        for number, is_active in enumerate(active):
            if is_active or (number >= skipped and _has_record(self.primals[number])):
                _check_types(plan.kernel, number, self.primals[number], self.tangents[number])
        self.request = Request(
            plan.kernel,
            Direction.FORWARD,
            tuple(Activity.DUPLICATED if is_active else Activity.CONST for is_active in active),
            need_primal=True,
            runtime_activity=plan.runtime_activity,
            strong_zero=plan.strong_zero,
        )
        self.request_types: list[Any] = []
        for kind, is_active in zip(self.primals, active, strict=True):
            self.request_types += [kind, shadow_type(kind)] if is_active else [kind]

    def resolve(self, request_result: Any) -> None:
        """See `Bound`."""
        tangent, primal = request_result
        self.result = types.Tuple((primal, tangent))

    def lower(self, emit: Emit, values: Sequence[ir.Value]) -> ir.Value:
        """See `Bound`."""
        operands: list[ir.Value] = []
        owned: list[tuple[Any, ir.Value]] = []
        for number, activity in enumerate(self.request.activities):
            operands.append(values[number])
            if activity is not Activity.CONST:
                tangent = values[self.count + number]
                kinds = self.primals[number], self.tangents[number]
                operands.append(
                    tangent_like(emit, kinds[0], values[number], kinds[1], tangent, owned)
                )
        tangent, primal = emit.request(operands, owned)
        for kind, value in owned:
            emit.context.nrt.decref(emit.builder, kind, value)
        return emit.tuple(self.result, [primal, tangent])


def _check_types(kernel: Any, number: int, primal: Any, tangent: Any) -> None:
    name = argument_name(kernel, number)
    check_structure(primal, tangent, f"the tangent of `{name}`")
    if _fits(primal, tangent):
        return
    message = f"the tangent of `{name}` has type {tangent}, its primal {primal}"
    remedy = "a tangent has the structure, dtype and shape of its primal"
    if _has_record(primal):
        message = f"`{name}` is a single record, or has one, which takes no tangent"
        remedy = "give 0 for it, or pass an array of one record, `records[i : i + 1]`, and a tangent like that"
    raise ShadowError(message, where=where_is(kernel, name), remedy=remedy)


def _has_record(kind: Any) -> bool:
    return isinstance(kind, types.Record) or (isinstance(kind, types.BaseTuple) and any(map(_has_record, kind)))


def _fits(primal: Any, tangent: Any) -> bool:
    if isinstance(primal, types.Array):
        return (
            isinstance(tangent, types.Array)
            and tangent.dtype == primal.dtype
            and tangent.ndim == primal.ndim
        )
    if isinstance(primal, types.BaseTuple):
        return (
            isinstance(tangent, types.BaseTuple)
            and len(tangent) == len(primal)
            and all(map(_fits, primal, tangent))
        )
    if isinstance(primal, types.ListType):
        return bool(primal == tangent)
    if isinstance(primal, types.Record):
        return not isinstance(tangent, (types.Record, types.Array))
    if isinstance(primal, types.Complex):
        return isinstance(tangent, types.Number)
    if isinstance(primal, types.Float):
        return isinstance(tangent, (types.Float, types.Integer, types.Boolean))
    return True
