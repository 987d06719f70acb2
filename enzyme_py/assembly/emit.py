"""Emitting one request in the code of a kernel context, from Numba values to a Numba value.

The one place where a request becomes IR: entry functions (entry.py) and nested requests inside
kernels both come here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types

from enzyme_py.assembly.call import Argument, EnzymeCall
from enzyme_py.assembly.hidden_shadows import needs_hidden_shadow, zeros_like
from enzyme_py.assembly.none_results import compile_with_result
from enzyme_py.assembly.record import Record
from enzyme_py.assembly.results import ResultBuilder, result_type, returns_primal, seed_type
from enzyme_py.frontend.target.lower import CompiledKernel, compile_kernel
from enzyme_py.frontend.target.target import KERNEL, KernelTarget
from enzyme_py.request import Activity, Direction, Request


def kernel_types(request: Request, given: Sequence[Any]) -> tuple[Any, ...]:
    """Pick the types of the kernel's own arguments out of those of the request."""
    picked, position = [], int(request.is_split)
    for activity in request.activities:
        picked.append(given[position])
        position += 1 + (request.width if activity.has_shadow else 0)
    return tuple(picked)


def compiled(request: Request, given: Sequence[Any], target: KernelTarget = KERNEL) -> CompiledKernel:
    """Compile the kernel of a request; whoever takes no result of it does not mind one that is None.

    Both halves of a split reverse have one kernel, and the first one returns its result.
    """
    kinds = kernel_types(request, given)
    if request.result is Activity.CONST and not request.is_split and not returns_primal(request):
        return compile_kernel(request.kernel, kinds, target)
    return compile_with_result(request.kernel, kinds, target, has_aux=request.has_aux)


def emit_request(
    context: Any,
    builder: ir.IRBuilder,
    request: Request,
    given_types: Sequence[Any],
    values: Sequence[ir.Value],
    target: KernelTarget,
) -> ir.Value:
    """Emit the request for the given arguments and return its flat tuple."""
    kernel = compiled(request, given_types, target)
    context.add_linking_libs([kernel.library])
    return _Emitter(context, builder, request, kernel).emit(given_types, values)


class _Emitter:
    def __init__(
        self, context: Any, builder: ir.IRBuilder, request: Request, kernel: CompiledKernel
    ) -> None:
        self.context = context
        self.builder = builder
        self.request = request
        self.kernel = kernel
        self.results = ResultBuilder(context, builder)

    def emit(self, given_types: Sequence[Any], values: Sequence[ir.Value]) -> ir.Value:
        if self.request.is_split:
            return self._emit_half(values[0], given_types[1:], values[1:])
        arguments, seeds = self._arguments(given_types, values)
        result = self._slot(None)
        if self.request.direction is Direction.PRIMAL:
            return self._run(arguments, result)
        shadows = []
        if self.request.result is not Activity.CONST:
            shadows = [
                self._slot(seeds[lane] if seeds else None) for lane in range(self.request.width)
            ]
        call = EnzymeCall(self.context, self.builder, self.request, self.kernel)
        value = call.call(result, shadows, arguments)
        items: list[ir.Value] = []
        if self.request.direction is Direction.FORWARD:
            items += self._derivatives(result, shadows)
        else:
            items += self._gradients(arguments, call.gradients(value))
        if returns_primal(self.request):
            items.append(self._primal(result))
        return self._tuple(items)

    def _emit_half(
        self, tape: ir.Value, given_types: Sequence[Any], values: Sequence[ir.Value]
    ) -> ir.Value:
        """Emit one half of a split reverse; slots and Enzyme's tape are kept in a record."""
        arguments, seeds = self._arguments(given_types, values)
        record = Record(self.context, self.builder, self.kernel.return_type, self.request.width)
        call = EnzymeCall(self.context, self.builder, self.request, self.kernel)
        if self.request.direction is Direction.SPLIT_FORWARD:
            record.create(tape)
        else:
            record.recall(tape)
        shadows = [] if self.request.result is Activity.CONST else record.shadows
        for shadow, seed in zip(shadows, seeds, strict=False):
            self.builder.store(
                self.context.get_return_value(self.builder, self.kernel.return_type, seed), shadow
            )
        if self.request.direction is Direction.SPLIT_REVERSE:
            value = call.call(record.result, shadows, arguments, [record.enzyme_tape()])
            return self._tuple(self._gradients(arguments, call.gradients(value)))
        record.keep_enzyme_tape(call.call(record.result, shadows, arguments))
        kind = self.kernel.return_type
        items = []
        if isinstance(kind, types.Array):
            primal = self._load(record.result)
            items = [self.results.place(kind, primal, self._load(one)) for one in shadows]
        if returns_primal(self.request):
            items.append(self._primal(record.result))
        return self._tuple(items)

    def _arguments(
        self, given_types: Sequence[Any], values: Sequence[ir.Value]
    ) -> tuple[list[Argument], list[ir.Value]]:
        """Sort the given values into arguments with their shadows, and the seeds behind them."""
        arguments, position = [], 0
        for activity in self.request.activities:
            kind = given_types[position]
            count = self.request.width if activity.has_shadow else 0
            primal, *shadows = [
                self._flat(given_types[position + i], values[position + i])
                for i in range(1 + count)
            ]
            if needs_hidden_shadow(self.request, kind, activity):
                arguments.append(self._constant(kind, primal, values[position]))
            else:
                arguments.append(Argument(kind, activity, primal, shadows))
            position += 1 + count
        return arguments, list(values[position:])

    def _constant(self, kind: Any, primal: Sequence[ir.Value], value: ir.Value) -> Argument:
        """Return a constant with shadows that nobody sees."""
        lanes = range(self.request.width)
        shadows = [zeros_like(self.context, self.builder, kind, value) for _ in lanes]
        flat = [self._flat(kind, one) for one in shadows]
        return Argument(kind, Activity.DUPLICATED, primal, flat, is_hidden=True)

    def _flat(self, kind: Any, value: ir.Value) -> tuple[ir.Value, ...]:
        packer = self.context.get_arg_packer([kind])
        return tuple(packer.as_arguments(self.builder, [value]))

    def _slot(self, value: ir.Value | None) -> ir.Value:
        """Return memory for a result, holding the value or zeros."""
        kind = self.context.call_conv.get_return_type(self.kernel.return_type).pointee
        slot = cgutils.alloca_once(self.builder, kind)
        # Stored here and not at the alloca: the request may stand in a loop.
        self.builder.store(cgutils.get_null_value(kind), slot)
        if value is not None:
            seeded = seed_type(self.request, self.kernel.return_type)
            stored = self.context.get_return_value(self.builder, seeded, value)
            place = self.builder.bitcast(slot, stored.type.as_pointer())
            self.builder.store(stored, place)  # the differentiated scalar comes first
        return slot

    def _load(self, slot: ir.Value) -> ir.Value:
        value = self.builder.load(slot)
        return self.context.get_returned_value(self.builder, self.kernel.return_type, value)

    def _run(self, arguments: Sequence[Argument], result: ir.Value) -> ir.Value:
        call = EnzymeCall(self.context, self.builder, self.request, self.kernel)
        call.run(result, arguments)
        return self._tuple([self._primal(result)])

    def _primal(self, result: ir.Value) -> ir.Value:
        return self.results.primal(self.kernel.return_type, self._load(result))

    def _derivatives(self, result: ir.Value, shadows: Sequence[ir.Value]) -> list[ir.Value]:
        if not shadows:
            return []
        primal = self._load(result)
        kind = self.kernel.return_type
        return [self.results.derivative(kind, primal, self._load(shadow)) for shadow in shadows]

    def _gradients(
        self,
        arguments: Sequence[Argument],
        numbers: dict[tuple[int, int], list[ir.Value]],
    ) -> list[ir.Value]:
        items = []
        for number, argument in enumerate(arguments):
            if not argument.activity.returns_gradient:
                continue
            for lane in range(self.request.width):
                own = {
                    index: values[lane]
                    for (which, index), values in numbers.items()
                    if which == number
                }
                items.append(self.results.gradient(argument.kind, argument.activity, own))
        return items

    def _tuple(self, items: Sequence[ir.Value]) -> ir.Value:
        kind = result_type(self.request, self.kernel.return_type, self.kernel.argument_types)
        return self.context.make_tuple(self.builder, kind, items)
