"""A gradient for arguments of known types: its request, the shadows, and how the result is arranged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba.core import types

from enzyme_py.assembly.none_results import compile_with_result
from enzyme_py.assembly.results import holds_arrays, returned_type, seed_type
from enzyme_py.errors import UnsupportedTypeError
from enzyme_py.foundations.places import argument_name, where_is
from enzyme_py.frontend.leaves import Role, leaves
from enzyme_py.request import Activity, Direction, Request
from enzyme_py.transforms.derivatives.activities import activity_of, other_than
from enzyme_py.transforms.derivatives.gradient import Gradient
from enzyme_py.transforms.plans.binding import Emit, run_plan
from enzyme_py.transforms.plans.plans import Bound, Plan
from enzyme_py.transforms.plans.primal import Primal
from enzyme_py.transforms.values.copies_lowering import emit_copy
from enzyme_py.transforms.values.parts import part_kernel
from enzyme_py.transforms.values.shadows import (
    as_gradient,
    distinct_elements,
    gradient_kind,
    may_share_elements,
    shadow_type,
    with_numbers,
    zero_shadow,
)


class BoundGradient(Bound):
    """A gradient for arguments of known types."""

    def __init__(self, plan: Gradient, argument_types: list[Any]) -> None:
        self.plan = plan
        self.argument_types = argument_types
        self.selected = self._selected()
        activities = tuple(
            activity_of(kind) if number in self.selected else Activity.CONST
            for number, kind in enumerate(argument_types)
        )
        self.aux = self._arrays_of_aux()
        has_aux = plan.has_aux and self.aux is None
        self.request = Request(
            plan.kernel if self.aux is None else part_kernel(plan.kernel, 0),
            Direction.REVERSE,
            activities,
            need_primal=plan.with_value or has_aux,
            has_aux=has_aux,
            runtime_activity=plan.runtime_activity,
            strong_zero=plan.strong_zero,
        )
        self.request_types = self._request_types()

    def _arrays_of_aux(self) -> Any:
        """Return the type of an aux that holds arrays, which comes from a run of its own.

        Enzyme frees what the kernel made before the reverse sweep ends, arrays that it returns too.
        """
        if not self.plan.has_aux:
            return None
        kernel = compile_with_result(self.plan.kernel, tuple(self.argument_types), has_aux=True)
        returned = types.unliteral(kernel.return_type)
        is_pair = isinstance(returned, types.BaseTuple) and len(returned) == 2
        aux = returned_type(returned[1]) if is_pair else None
        return aux if is_pair and holds_arrays(aux) else None

    def _selected(self) -> tuple[int, ...]:
        kinds = self.argument_types
        skipped = self.plan.skipped
        if self.plan.argnums is None:
            return tuple(range(skipped, len(kinds)))
        selected = []
        for given in self.plan.argnums:
            number = given + (len(kinds) if given < 0 else skipped)
            where = where_is(self.plan.kernel)
            if not skipped <= number < len(kinds):
                message = f"argnums names argument {given}, the call has {len(kinds) - skipped}"
                remedy = "count from 0; arguments left at their defaults do not count"
                raise UnsupportedTypeError(message, where=where, remedy=remedy)
            if activity_of(kinds[number]) is Activity.CONST:
                name = argument_name(self.plan.kernel, number)
                message = f"argument `{name}` of type {kinds[number]} has no gradient"
                remedy = other_than(kinds[number])
                raise UnsupportedTypeError(message, where=where, remedy=remedy)
            selected.append(number)
        return tuple(selected)

    def _request_types(self) -> list[Any]:
        given: list[Any] = []
        for kind, activity in zip(self.argument_types, self.request.activities, strict=True):
            given += [kind, shadow_type(kind)] if activity.has_shadow else [kind]
        kernel = compile_with_result(self.request.kernel, tuple(self.argument_types), has_aux=self.request.has_aux)
        returned = types.unliteral(kernel.return_type)
        is_pair = isinstance(returned, types.BaseTuple) and len(returned) == 2
        is_refused = self.request.has_aux and not is_pair  # where the request is assembled
        seed = returned if is_refused else seed_type(self.request, returned)
        if isinstance(seed, types.Complex):
            where = where_is(self.plan.kernel)
            message = f"`{where.kernel}` returns a complex number: which gradient is meant?"
            remedy = "return its real part, or use autodiff(ReverseHolomorphic, ...), or vjp"
            raise UnsupportedTypeError(message, where=where, remedy=remedy)
        return [*given, seed]

    def resolve(self, request_result: Any) -> None:
        """See `Bound`."""
        gradients: Any = types.Tuple(tuple(self._gradient_type(n) for n in self._shown()))
        if self.plan.is_single:
            gradients = gradients[0]
        primal: Any = request_result[-1] if self.request.need_primal else None
        if self.aux is not None:  # the pair that the kernel returned
            primal = types.Tuple((primal if self.plan.with_value else types.none, self.aux))
        if self.plan.with_value:
            self.result = types.Tuple((primal, gradients))
        elif self.plan.has_aux:
            self.result = types.Tuple((gradients, primal[1]))
        else:
            self.result = gradients

    def _shown(self) -> Sequence[int]:
        """Return the arguments that have a place in the result."""
        return self.selected

    def _gradient_type(self, number: int) -> Any:
        activity = self.request.activities[number]
        kind = self.argument_types[number]
        return types.none if activity is Activity.CONST else gradient_kind(kind)

    def lower(self, emit: Emit, values: Sequence[ir.Value]) -> ir.Value:
        """See `Bound`."""
        shadows: dict[int, ir.Value] = {}
        operands: list[ir.Value] = []
        borrowed: list[tuple[Any, ir.Value]] = []
        for number, activity in enumerate(self.request.activities):
            value, kind = values[number], self.argument_types[number]
            if activity.has_shadow and may_share_elements(kind):
                value = distinct_elements(emit, kind, value)
                borrowed.append((kind, value))
            operands.append(value)
            if activity.has_shadow:
                shadows[number] = zero_shadow(emit, kind, value)
                operands.append(shadows[number])
        seed = emit.context.cast(
            emit.builder,
            emit.context.get_constant(types.float64, 1.0),
            types.float64,
            self.request_types[-1],
        )
        aux = None if self.aux is None else self._run_for_aux(emit, values)
        owned = [(self.argument_types[n], shadow) for n, shadow in shadows.items()]
        items = emit.request([*operands, seed], [*owned, *borrowed])
        for kind, value in borrowed:
            emit.context.nrt.decref(emit.builder, kind, value)
        gradients = self._gradients(emit, shadows, iter(items))
        if aux is not None:
            value = items[-1] if self.plan.with_value else emit.none()
            kind = types.Tuple((self._value_type(), self.aux))
            items = [*items, emit.tuple(kind, [value, aux])]
        return self._arranged(emit, gradients, items)

    def beside(self) -> Sequence[tuple[Plan, Sequence[Any]]]:
        """See `Bound`."""
        if self.aux is None:
            return ()
        kinds = [returned_type(kind) for kind in self.argument_types]
        return ((Primal(part_kernel(self.plan.kernel, 1)), kinds),)

    def _value_type(self) -> Any:
        return self.result[0][0] if self.plan.with_value else types.none

    def _run_for_aux(self, emit: Emit, values: Sequence[ir.Value]) -> ir.Value:
        """Run the kernel for its aux alone, on copies: it may write to its arguments."""
        ((plan, kinds),) = self.beside()
        own = [emit_copy(emit, *one) for one in zip(self.argument_types, values, strict=True)]
        aux = run_plan(emit.context, emit.builder, plan, kinds, own)
        for kind, value in zip(kinds, own, strict=True):
            emit.context.nrt.decref(emit.builder, kind, value)
        return aux

    def _gradients(self, emit: Emit, shadows: dict[int, ir.Value], items: Any) -> list[ir.Value]:
        found: dict[int, ir.Value] = {}
        for number, activity in enumerate(self.request.activities):
            kind = self.argument_types[number]
            if activity is Activity.ACTIVE:
                found[number] = as_gradient(emit, kind, next(items), is_shadow=False)
            elif activity is Activity.MIXED:
                numbers = next(items)
                count = sum(leaf.role is Role.FLOAT for leaf in leaves(emit.context, kind))
                parts = [emit.builder.extract_value(numbers, i) for i in range(count)]
                whole = with_numbers(emit, kind, shadows[number], parts)
                found[number] = as_gradient(emit, kind, whole, is_shadow=True)
            elif activity is Activity.DUPLICATED:
                found[number] = as_gradient(emit, kind, shadows[number], is_shadow=True)
            else:
                found[number] = emit.none()
        shown = list(self._shown())
        for place, number in enumerate(shown):
            if number in shown[:place]:  # `argnums=(0, 0)`: each is given back for itself
                emit.context.nrt.incref(emit.builder, self._gradient_type(number), found[number])
        return [found[number] for number in shown]

    def _arranged(self, emit: Emit, gradients: list[ir.Value], items: list[ir.Value]) -> ir.Value:
        kinds = tuple(self._gradient_type(number) for number in self._shown())
        value = gradients[0] if self.plan.is_single else emit.tuple(types.Tuple(kinds), gradients)
        if self.plan.with_value:
            return emit.tuple(self.result, [items[-1], value])
        if self.plan.has_aux:
            aux = emit.builder.extract_value(items[-1], 1)
            return emit.tuple(self.result, [value, aux])
        return value
