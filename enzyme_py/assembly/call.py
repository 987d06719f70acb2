"""Emitting one call of Enzyme: the shim that it differentiates, and the marked arguments.

A kernel is `i32 kernel(ptr result, ptr excinfo, leaves...)`. Around it stands a shim

    void shim(ptr result, leaves...)

without Numba's bookkeeping: meminfo and parent are null, excinfo is a local of no interest, and
every parameter carries its type tree. The result goes through memory for every type: its shadow
is a second slot, which holds the seed in reverse and the derivative in forward mode. So the
return of an `__enzyme_` call has the gradients of numbers passed by value, and nothing else.

The same code serves a request from outside (in an entry function, see entry.py) and one inside a
kernel, which then is resolved in the same run of Enzyme (DESIGN 2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from llvmlite import ir
from numba.core import callconv, cgutils

from enzyme_py.assembly.results import holds_arrays, owners
from enzyme_py.foundations.places import names_of_given
from enzyme_py.frontend.codegen.calling_convention import raise_on_error
from enzyme_py.frontend.codegen.type_hints import (
    TypedAttributes,
    hint_function,
    result_hint,
    value_hint,
)
from enzyme_py.frontend.containers.typed_lists import frozen
from enzyme_py.frontend.leaves import Leaf, Role, leaves, memory_tree
from enzyme_py.frontend.target.lower import CompiledKernel
from enzyme_py.request import Activity, Direction, Request
from enzyme_py.symbols import plain_name

_POINTER = ir.IntType(8).as_pointer()
_INT = ir.IntType(32)

_PRIMITIVES = {
    Direction.FORWARD: "__enzyme_fwddiff",
    Direction.REVERSE: "__enzyme_autodiff",
    Direction.SPLIT_FORWARD: "__enzyme_augmentfwd",
    Direction.SPLIT_REVERSE: "__enzyme_reverse",
}


@dataclass(frozen=True)
class Argument:
    """One argument of the kernel at a call: its flat values, and those of its shadows."""

    kind: Any
    activity: Activity
    primal: Sequence[ir.Value]
    shadows: Sequence[Sequence[ir.Value]]
    is_hidden: bool = False  # the shadows: numbers beside them return no gradients

    def is_active(self, leaf: Leaf) -> bool:
        """Tell whether one of the flat values may carry a derivative; a single record can only in a hidden shadow."""
        return leaf.can_hold_slopes if self.is_hidden else leaf.is_differentiable


class EnzymeCall:
    """Builds the shim and the call of one request at the builder's place."""

    def __init__(
        self, context: Any, builder: ir.IRBuilder, request: Request, kernel: CompiledKernel
    ) -> None:
        self.context = context
        self.builder = builder
        self.request = request
        self.kernel = kernel
        self._parts = [leaves(context, kind) for kind in kernel.argument_types]

    # The shim

    def shim(self) -> ir.Function:
        """Return the function that Enzyme differentiates, defined in the caller's module."""
        module = self.builder.module
        name = f"shim.{self.kernel.symbol}"
        if name in module.globals:
            return module.globals[name]
        kept = [leaf for parts in self._parts for leaf in parts if leaf.role is not Role.OWNER]
        kernel_type = self.context.call_conv.get_function_type(
            self.kernel.return_type, self.kernel.argument_types
        )
        flat = [leaf for parts in self._parts for leaf in parts]
        kept_types = [
            kind
            for kind, leaf in zip(kernel_type.args[2:], flat, strict=True)
            if leaf.role is not Role.OWNER
        ]
        function = ir.Function(
            module,
            ir.FunctionType(ir.VoidType(), [kernel_type.args[0], *kept_types]),
            name,
        )
        function.linkage = "linkonce_odr"  # the two halves of a split mode must share it
        self._name(function)
        self._annotate(function, kept)
        self._fill(function, kernel_type, flat)
        return function

    def _name(self, function: ir.Function) -> None:
        """Call each parameter after the argument it belongs to; messages are made from that."""
        parameters = iter(function.args[1:])
        for name, parts in zip(self._argument_names(), self._parts, strict=True):
            for leaf in parts:
                if leaf.role is not Role.OWNER:
                    next(parameters).name = f"arg.{name}"

    def _argument_names(self) -> list[str]:
        return [plain_name(name) for name in names_of_given(self.request.kernel, len(self._parts))]

    def _annotate(self, function: ir.Function, kept: Sequence[Leaf]) -> None:
        result, *parameters = function.args
        result.attributes = TypedAttributes(memory_tree(self.context, self.kernel.return_type))
        for parameter, leaf in zip(parameters, kept, strict=True):
            if leaf.parameter_tree is not None:
                parameter.attributes = TypedAttributes(leaf.parameter_tree)

    def _hint(self, builder: ir.IRBuilder, function: ir.Function, kept: Sequence[Leaf]) -> None:
        """Say the type trees once more, where Enzyme reads them."""
        for parameter, leaf in zip(function.args[1:], kept, strict=True):
            if leaf.role is Role.DATA and leaf.content:
                hint = hint_function(function.module, leaf.content, leaf.tree)
                builder.call(hint, [builder.bitcast(parameter, _POINTER)])
        result = function.args[0]
        # Numbers that are only chosen and moved tell nothing themselves.
        hint = result_hint(function.module, self.context.target_data, result.type.pointee)
        if hint is not None:
            builder.call(hint, [builder.bitcast(result, _POINTER)])

    def _fill(
        self, function: ir.Function, kernel_type: ir.FunctionType, flat: Sequence[Leaf]
    ) -> None:
        builder = ir.IRBuilder(function.append_basic_block("entry"))
        excinfo = builder.alloca(callconv.excinfo_ptr_t)
        builder.store(ir.Constant(callconv.excinfo_ptr_t, None), excinfo)
        self._hint(builder, function, [leaf for leaf in flat if leaf.role is not Role.OWNER])
        parameters = iter(function.args[1:])
        values = [
            ir.Constant(kind, None) if leaf.role is Role.OWNER else next(parameters)
            for kind, leaf in zip(kernel_type.args[2:], flat, strict=True)
        ]
        callee = cgutils.get_or_insert_function(function.module, kernel_type, self.kernel.symbol)
        status = builder.call(callee, [function.args[0], excinfo, *values])
        if self.kernel.target.is_catching:
            raise_on_error(builder, status, excinfo)
        self._forget_owners(builder, function.args[0])
        builder.ret_void()

    def _forget_owners(self, builder: ir.IRBuilder, result: ir.Value) -> None:
        """Leave out of the result what Numba counts references by: nobody does, and LLVM takes it away.

        It holds a pointer to an array's numbers. Of an array of integers that is constant, beside others that are active, and
        forward mode refused `return np.argsort(x), x * 2.0` (tests/transforms/test_results_of_integers.py).
        """
        for path in owners(self.kernel.return_type):
            place = builder.gep(result, [ir.IntType(32)(index) for index in (0, *path)])
            builder.store(ir.Constant(place.type.pointee, None), place)

    # The call

    def call(
        self,
        result: ir.Value,
        result_shadows: Sequence[ir.Value],
        arguments: Sequence[Argument],
        extra: Sequence[ir.Value] = (),
    ) -> ir.Value:
        """Emit the `__enzyme_` call; its value holds the returned gradients, see `gradients`."""
        operands: list[ir.Value] = [
            self.shim().bitcast(_POINTER),
            *self._flags(),
            *self._result_operands(result, result_shadows),
        ]
        for argument, parts in zip(arguments, self._parts, strict=True):
            operands.extend(self._argument_operands(argument, parts))
        primitive = self._primitive(self._return_type())
        return self.builder.call(primitive, [*operands, *extra])

    def run(self, result: ir.Value, arguments: Sequence[Argument]) -> None:
        """Emit a plain call of the kernel: nothing is differentiated."""
        operands = [
            value
            for argument, parts in zip(arguments, self._parts, strict=True)
            for value, leaf in zip(argument.primal, parts, strict=True)
            if leaf.role is not Role.OWNER
        ]
        self.builder.call(self.shim(), [result, *operands])

    def _flags(self) -> list[ir.Value]:
        flags: list[ir.Value] = []
        if self.request.strong_zero:
            flags.append(self._marker("enzyme_strong_zero"))
        if self.request.runtime_activity:
            flags.append(self._marker("enzyme_runtime_activity"))
        if self.request.width > 1:
            flags += [self._marker("enzyme_width"), _INT(self.request.width)]
        return flags

    def _result_operands(self, result: ir.Value, shadows: Sequence[ir.Value]) -> list[ir.Value]:
        if not shadows:
            return [self._marker("enzyme_const"), result]
        # The shape of an array's derivative is read from the primal. In forward mode dropping the
        # primal gains nothing, and crashed Enzyme (x % y: an assertion on uses of a select).
        is_forward = self.request.direction is Direction.FORWARD
        is_array = holds_arrays(self.kernel.return_type)
        is_needed = self.request.need_primal or is_forward or is_array
        name = "enzyme_dup" if is_needed else "enzyme_dupnoneed"
        return [self._marker(name), result, *shadows]

    def _argument_operands(self, argument: Argument, parts: Sequence[Leaf]) -> list[ir.Value]:
        operands: list[ir.Value] = []
        for index, leaf in enumerate(parts):
            if leaf.role is not Role.OWNER:
                operands.append(self._marker(self._leaf_marker(argument, leaf)))
                operands.append(self._primal(argument, index, leaf))
                if self._has_shadow(argument, leaf):
                    operands.extend(shadow[index] for shadow in argument.shadows)
        return operands

    def _primal(self, argument: Argument, index: int, leaf: Leaf) -> ir.Value:
        value = argument.primal[index]
        is_lost = leaf.is_list and leaf.is_differentiable and argument.activity is Activity.CONST
        return frozen(self.builder, value) if is_lost else value

    def _leaf_marker(self, argument: Argument, leaf: Leaf) -> str:
        activity = argument.activity
        if activity is Activity.CONST or not argument.is_active(leaf):
            return "enzyme_const"
        if self._has_shadow(argument, leaf):
            return "enzyme_dupnoneed" if activity is Activity.NO_NEED else "enzyme_dup"
        return "enzyme_const" if argument.is_hidden else "enzyme_out"

    def _has_shadow(self, argument: Argument, leaf: Leaf) -> bool:
        if not argument.is_active(leaf) or not argument.activity.has_shadow:
            return False
        return self.request.direction is Direction.FORWARD or leaf.role is Role.DATA

    def _returned(self) -> list[tuple[int, int]]:
        """List (argument, leaf) of every gradient that the call returns by value."""
        if self.request.direction not in (Direction.REVERSE, Direction.SPLIT_REVERSE):
            return []
        return [
            (number, index)
            for number, activity in enumerate(self.request.activities)
            if activity.returns_gradient
            for index, leaf in enumerate(self._parts[number])
            if leaf.role is Role.FLOAT
        ]

    def _return_type(self) -> ir.Type:
        if self.request.direction is Direction.SPLIT_FORWARD:
            return _POINTER
        lanes = []
        packer = self.context.get_arg_packer(self.kernel.argument_types)
        flat = list(packer.argument_types)
        starts = [0]
        for parts in self._parts:
            starts.append(starts[-1] + len(parts))
        for number, index in self._returned():
            kind = flat[starts[number] + index]
            width = self.request.width
            lanes.append(kind if width == 1 else ir.ArrayType(kind, width))
        return ir.LiteralStructType(lanes) if lanes else ir.VoidType()

    def gradients(self, value: ir.Value) -> dict[tuple[int, int], list[ir.Value]]:
        """Return the gradients of numbers, one per lane, by (argument, leaf)."""
        found = {}
        for position, place in enumerate(self._returned()):
            if self.request.width == 1:
                found[place] = [self.builder.extract_value(value, position)]
            else:
                found[place] = [
                    self.builder.extract_value(value, [position, lane])
                    for lane in range(self.request.width)
                ]
            for number in found[place]:
                self._hint_gradient(number)
        return found

    def _hint_gradient(self, number: ir.Value) -> None:
        """Say that a gradient is a float: a sum of zeros and products, which may tell nobody else.

        `sin(x * y)` by y, stored as it is, was refused in reverse over reverse (measured).
        """
        hint = value_hint(self.builder.module, number.type)
        if hint is not None:
            self.builder.call(hint, [number])

    def _marker(self, name: str) -> ir.Value:
        module = self.builder.module
        marker = module.globals.get(name)
        if marker is None:
            marker = ir.GlobalVariable(module, _INT, name)
            marker.linkage = "external"
        return self.builder.load(marker)

    def _primitive(self, return_type: ir.Type) -> ir.Function:
        module = self.builder.module
        kind = ir.FunctionType(return_type, [_POINTER], var_arg=True)
        name = module.get_unique_name(_PRIMITIVES[self.request.direction])
        return ir.Function(module, kind, name)
