"""An autodiff for parts of known types: shapes and strides are checked, the result arranged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba.core import types

from enzyme_py.assembly.none_results import compile_with_result
from enzyme_py.assembly.results import seed_type
from enzyme_py.errors import AnnotationError
from enzyme_py.foundations.places import argument_name, where_is
from enzyme_py.frontend.leaves import Role, leaves
from enzyme_py.request import Activity, Direction, Request
from enzyme_py.transforms.derivatives.activities import activity_of
from enzyme_py.transforms.derivatives.annotated import Annotated
from enzyme_py.transforms.plans.binding import Emit
from enzyme_py.transforms.plans.plans import Bound
from enzyme_py.transforms.values.shadows import (
    as_gradient,
    check_layout,
    gradient_kind,
    with_numbers,
)


class BoundAnnotated(Bound):
    """An autodiff for parts of known types."""

    def __init__(self, plan: Annotated, argument_types: list[Any]) -> None:
        self.plan = plan
        self.argument_types = argument_types
        self.positions = self._positions()
        kinds = [argument_types[position] for position in self.positions]
        activities = tuple(
            self._checked(number, kind, activity)
            for number, (kind, activity) in enumerate(zip(kinds, plan.activities, strict=True))
        )
        returned = types.unliteral(compile_with_result(plan.kernel, tuple(kinds)).return_type)
        self.request = Request(
            plan.kernel,
            Direction.FORWARD if plan.mode.is_forward else Direction.REVERSE,  # or a half of it
            activities,
            result=self._result_activity(returned),
            width=plan.width,
            need_primal=plan.mode.need_primal,
            runtime_activity=plan.mode.runtime_activity,
            strong_zero=plan.mode.strong_zero,
            constants_are_said=plan.constants_are_said,
        )
        self.seeds = 0
        if not plan.mode.is_forward and self.request.result is not Activity.CONST:
            self.seeds = plan.width
        seeds = [seed_type(self.request, returned)] * self.seeds
        self.request_types = [*argument_types, *seeds]

    def _positions(self) -> list[int]:
        positions, position = [], 0
        for activity in self.plan.activities:
            positions.append(position)
            position += 1 + self.plan.lanes(activity)
        return positions

    def _checked(self, number: int, kind: Any, activity: Activity) -> Activity:
        """Return the activity that the request gets, or raise for one that cannot be."""
        own = activity_of(kind)
        if activity is Activity.CONST or (activity.has_shadow and self.plan.mode.is_forward):
            if activity is not Activity.CONST and own is Activity.CONST:
                raise self._error(number, f"of type {kind} cannot be Duplicated", "Const")
            return activity
        if activity is Activity.ACTIVE:
            if self.plan.mode.is_forward:
                raise self._error(number, "is Active in forward mode", "Duplicated(x, dx)")
            if own is not Activity.ACTIVE:
                hint = "Duplicated(x, make_zero(x))" if own.has_shadow else "Const"
                raise self._error(number, f"of type {kind} cannot be Active", hint)
            return activity
        if own is Activity.CONST:
            raise self._error(number, f"of type {kind} cannot be Duplicated", "Const")
        if own is Activity.ACTIVE:
            message = "is a number: in reverse mode its gradient is returned, not accumulated"
            raise self._error(number, message, "Active")
        return Activity.MIXED if own is Activity.MIXED else activity

    def _error(self, number: int, problem: str, instead: str) -> AnnotationError:
        name = argument_name(self.plan.kernel, number)
        where = where_is(self.plan.kernel, name)
        return AnnotationError(f"`{name}` {problem}", where=where, remedy=f"write {instead}")

    def _result_activity(self, returned: Any) -> Activity:
        wanted = self.plan.result
        if returned == types.none:
            wanted = Activity.CONST
        if wanted is None:
            wanted = Activity.ACTIVE  # refused with a reason where the type has no derivative
        complex_result = isinstance(returned, types.Complex)
        if complex_result and not self.plan.mode.is_forward and wanted is not Activity.CONST:
            self._check_holomorphic()
        return wanted

    def _check_holomorphic(self) -> None:
        if not self.plan.mode.is_holomorphic:
            where = where_is(self.plan.kernel)
            message = f"`{where.kernel}` returns a complex number: which derivative is meant?"
            remedy = "use ReverseHolomorphic if it is holomorphic, or return its real part"
            raise AnnotationError(message, where=where, remedy=remedy)

    def resolve(self, request_result: Any) -> None:
        """See `Bound`."""
        primal = (request_result[-1],) if self.request.need_primal else ()
        if self.plan.mode.is_forward:
            lanes = list(request_result)[: self.plan.width]
            is_const = self.request.result is Activity.CONST
            own: tuple[Any, ...] = () if is_const else (self._batched(lanes),)
        else:
            shown = range(self.plan.skipped, len(self.positions))
            own = (types.Tuple(tuple(map(self._gradient_type, shown))),)
        self.result = types.Tuple((*own, *primal))

    def _batched(self, kinds: list[Any]) -> Any:
        return types.Tuple(tuple(kinds)) if self.plan.is_batch else kinds[0]

    def _gradient_type(self, number: int) -> Any:
        activity = self.request.activities[number]
        kind = gradient_kind(self.argument_types[self.positions[number]])
        return self._batched([kind] * self.plan.width) if activity.returns_gradient else types.none

    def lower(self, emit: Emit, values: Sequence[ir.Value]) -> ir.Value:
        """See `Bound`."""
        self.check_layouts(emit, values)
        seed_kind = self.request_types[-1]
        seeds = []
        if self.seeds:
            one = emit.context.get_constant(types.float64, 1.0)
            seed = emit.context.cast(emit.builder, one, types.float64, seed_kind)
            seeds = [seed] * self.seeds
        holomorphic = self.plan.mode.is_holomorphic
        if holomorphic:
            self._conjugate_shadows(emit, values)
        items = emit.request([*values, *seeds])
        if holomorphic:
            self._conjugate_shadows(emit, values)
        primal = [items.pop()] if self.request.need_primal else []
        if self.plan.mode.is_forward:
            own = [self._lane_tuple(emit, items, self.result[0])] if items else []
        else:
            own = [self.gradients(emit, values, iter(items))]
        return emit.tuple(self.result, [*own, *primal])

    def _lane_tuple(self, emit: Emit, items: list[ir.Value], kind: Any) -> ir.Value:
        return emit.tuple(kind, items) if self.plan.is_batch else items[0]

    def check_layouts(self, emit: Emit, values: Sequence[ir.Value]) -> None:
        """Emit the checks that every shadow lies as its primal does."""
        for position, activity in zip(self.positions, self.request.activities, strict=True):
            for lane in range(self.plan.lanes(activity)):
                place = position + 1 + lane
                kinds = self.argument_types[position], self.argument_types[place]
                check_layout(emit, kinds[0], values[position], kinds[1], values[place])

    def gradients(self, emit: Emit, values: Sequence[ir.Value], items: Any) -> ir.Value:
        """Arrange the gradients that a reverse request returned, one entry per argument."""
        found = []
        for number, activity in enumerate(self.request.activities):
            kind = self._gradient_type(number)
            if not activity.returns_gradient:
                found.append(emit.none())
                continue
            lanes = [
                self._gradient(emit, number, lane, next(items), values)
                for lane in range(self.plan.width)
            ]
            found.append(self._lane_tuple(emit, lanes, kind))
        return emit.tuple(self.result[0], found[self.plan.skipped :])

    def _gradient(
        self, emit: Emit, number: int, lane: int, item: ir.Value, values: Sequence[ir.Value]
    ) -> ir.Value:
        position = self.positions[number]
        kind = self.argument_types[position]
        if self.request.activities[number] is Activity.ACTIVE:
            is_complex = self.plan.mode.is_holomorphic and isinstance(kind, types.Complex)
            if is_complex:
                return emit.compiled(_conjugate, kind, [kind], [item])
            return as_gradient(emit, kind, item, is_shadow=False)
        count = sum(leaf.role is Role.FLOAT for leaf in leaves(emit.context, kind))
        numbers = [emit.builder.extract_value(item, i) for i in range(count)]
        shadow = values[position + 1 + lane]
        own = self.argument_types[position + 1 + lane]
        emit.context.nrt.incref(emit.builder, own, shadow)
        return as_gradient(emit, kind, with_numbers(emit, kind, shadow, numbers), is_shadow=True)

    def _conjugate_shadows(self, emit: Emit, values: Sequence[ir.Value]) -> None:
        # Enzyme accumulates the gradient of the real part, the conjugate of the derivative.
        for position, activity in zip(self.positions, self.request.activities, strict=True):
            for lane in range(self.plan.lanes(activity)):
                kind = self.argument_types[position + 1 + lane]
                if isinstance(kind, types.Array) and isinstance(kind.dtype, types.Complex):
                    value = values[position + 1 + lane]
                    emit.compiled(_conjugate_array, types.none, [kind], [value])


def _conjugate(value):  # type: ignore[no-untyped-def]  # compiled by Numba
    return value.conjugate()


def _conjugate_array(array):  # type: ignore[no-untyped-def]
    array[...] = array.conjugate()
