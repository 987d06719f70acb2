"""Ruled functions: code that Enzyme does not look into, with derivatives that we tell it.

    inverse = ruled("inverse", primal, forward, reverse)

makes an intrinsic for the code of kernels. It takes one array, the *work* array of its call:

    work = [sizes | operands | results]

`primal(work)` reads sizes and operands and writes the results. `forward(work, shadow)` comes after it,
and writes the tangents of the results from those of the operands. `reverse(work, shadow)` finds the
results' adjoints in the shadow, adds to those of the operands, and leaves zeros for the results. These
two are code of kernels themselves, so what they call has derivatives again: that is how second
orders come about. What `primal` does, LAPACK for instance, needs none.

Why one array? Enzyme takes such a call for constant or for active as a whole; with several pointers, or
with integers, of which only some are active, it makes functions around the rules that fail an assertion
in reverse over reverse, and has no forward mode (v0.0.238, measured). So whoever calls a ruled function
copies operands into the work array and results out of it, and nobody else has that array: it still
holds operands and results when the reverse sweep comes by.

The call is an outside function up to Enzyme; the native stage gives it the body that waits under another
name. Enzyme has no batches of such rules in forward mode: `takes_rules` tells where lanes must come one by
one.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import callconv, cgutils, types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.errors import TypingError
from numba.core.typing import signature
from numba.extending import intrinsic, register_jitable
from numba.np.arrayobj import make_array, populate_array

from enzyme_py.frontend.codegen.calling_convention import raise_on_error
from enzyme_py.frontend.codegen.library import with_callees
from enzyme_py.frontend.codegen.type_hints import hint_function
from enzyme_py.frontend.target.lower import CompiledKernel, compile_kernel
from enzyme_py.llvm import Module
from enzyme_py.llvm.naming import quoted
from enzyme_py.rules.ruled_symbols import CONTENTS
from enzyme_py.symbols import RULE_CODE, RULED

PREFIX = RULED
_BODY, _AUGMENTED, _REVERSE, _FORWARD, _KEPT = (
    ".body",
    ".augmented",
    ".reverse",
    ".forward",
    ".kept",
)

_PARTS = {_BODY: "primal", _FORWARD: "forward", _REVERSE: "reverse"}

# Sizes are numbers of the work array's own type. Two of them make one, so that float32 can say it.
_DIGIT = 65536
NUMBERS_OF_A_SIZE = 2

_POINTER = ir.IntType(8).as_pointer()
_SIZE = ir.IntType(64)
Rule = Callable[..., None]


def ruled(
    name: str,
    primal: Rule,
    forward: Rule,
    reverse: Rule,
    check: Callable[[Any], None] | None = None,
) -> Any:
    """Return the intrinsic of a ruled function, of a name of its own.

    A rule of a user's has a `check(target)`, which may explain errors. Its code stays in the module: it may hold
    derivatives. That of others may lie apart (rule_code.py).
    """
    rules = _Rules(primal, forward, reverse)
    if check is None:
        RULES[name] = rules

    def define(functions: RuledFunctions) -> None:
        try:
            functions.define(rules, is_apart=check is None)
        finally:
            if check is not None:
                check(functions.context.kernel_target)

    @intrinsic
    def call(typing_context, work):  # type: ignore[no-untyped-def]
        if not is_work(work):
            message = f"the work array of {name} is one of floats, one-dimensional and contiguous"
            raise TypingError(message)

        def lower(context: Any, builder: ir.IRBuilder, sig: Any, args: Any) -> Any:
            symbol = f"{PREFIX}{name}.{sig.args[0].dtype}"
            context.add_linking_libs([library_of(context, symbol, sig.args[0], define)])
            function = cgutils.get_or_insert_function(builder.module, _type_of(1), symbol)
            data = make_array(sig.args[0])(context, builder, args[0]).data
            builder.call(function, [builder.bitcast(data, _POINTER)])
            return context.get_dummy_value()

        return signature(types.none, work), lower

    return call


@register_jitable(forceinline=True)  # type: ignore[misc]
def new_work(sizes, count, like):  # type: ignore[no-untyped-def]  # compiled by Numba
    """Return a work array with these sizes in front and room for `count` numbers of a type.

    It begins as zeros, and so do its shadows: where forward mode finds that only constants are stored
    through a view, it does not write their tangents (measured).
    """
    start = 2 * (len(sizes) + 1)
    work = np.zeros(start + count, like)
    set_size(work, 0, start + count)
    for number, size in enumerate(sizes):
        set_size(work, number + 1, size)
    return work


@register_jitable(forceinline=True)  # type: ignore[misc]
def set_size(work, number, size):  # type: ignore[no-untyped-def]
    """Write one of the sizes in front; number 0 is the length of the work array itself."""
    work[2 * number] = size // 65536
    work[2 * number + 1] = size % 65536


@register_jitable(forceinline=True)  # type: ignore[misc]
def size_in(work, number):  # type: ignore[no-untyped-def]
    """Return one of the sizes in front."""
    return int(work[2 * number].real) * 65536 + int(work[2 * number + 1].real)


def takes_rules(kernel: CompiledKernel) -> bool:
    """Tell whether the kernel or anything that it calls holds a ruled function."""
    return any(
        name.startswith(PREFIX)
        for library in with_callees(kernel.library)
        for name in library.functions
    )


def is_work(kind: Any) -> bool:
    is_vector = isinstance(kind, types.Array) and kind.ndim == 1 and kind.layout == "C"
    return is_vector and str(kind.dtype) in CONTENTS


def library_of(
    context: Any, symbol: str, kind: Any, define: Callable[[RuledFunctions], None]
) -> Any:
    """Return the library that defines a ruled function.

    Its rules are compiled when a kernel is linked: they may call the function that is being compiled now.
    """
    codegen = context.codegen()
    found = codegen.libraries.get(symbol)
    if found is None:
        found = codegen.libraries[symbol] = codegen.create_library(symbol)
        found.making = functools.partial(_make, context, found, symbol, kind, define)
        _kept.append(found)
    return found


def _make(
    context: Any, library: Any, symbol: str, kind: Any, define: Callable[[RuledFunctions], None]
) -> None:
    with global_compiler_lock:
        module = library.create_ir_module(symbol)
        define(RuledFunctions(context, library, module, symbol, kind))
        library.add_ir_module(module)
        library.finalize()


def code_library(context: Any, symbol: str, kind: Any, rule: Rule) -> Any:
    """Return the library that defines the code of a rule."""
    library = library_of(context, symbol, kind, lambda made: made.define_code(rule))
    library.is_apart = True
    return library


_kept: list[Any] = []  # the table of libraries does not keep them


@dataclass(frozen=True)
class _Rules:
    """The code of a ruled function."""

    primal: Rule
    forward: Rule
    reverse: Rule


RULES: dict[str, _Rules] = {}  # by name, those whose code may lie apart


class RuledFunctions:
    """The functions of one ruled function for one type."""

    def __init__(
        self, context: Any, library: Any, module: ir.Module, symbol: str, kind: Any
    ) -> None:
        self.context = context
        self.library = library
        self.module = module
        self.symbol = symbol
        self.kind = kind
        self.is_apart = False

    def define(self, rules: _Rules, *, is_apart: bool) -> None:
        """Define the body and the derivatives, and register them."""
        self.is_apart = is_apart
        function = ir.Function(self.module, _type_of(1), self.symbol)
        body = self._running(_BODY, rules.primal, 1)
        augmented = self._augmented(function)
        backward = self._running(_REVERSE, rules.reverse, 2, extra=1)
        onward = self._running(_FORWARD, rules.forward, 2, first=function)
        self._register("gradient", [function, augmented, backward])
        self._register("derivative", [function, onward])
        self._global(f"{self.symbol}{_KEPT}", [body])

    def define_opaque(self, rule: Rule) -> None:
        """Define a body that returns where the array begins that the rule returns."""
        body = self._defined(_BODY, ir.FunctionType(_POINTER, [_POINTER]))
        builder = ir.IRBuilder(body.append_basic_block("entry"))
        length = self._length(builder, body.args[0])
        kind, slot = self._run(builder, rule, [self._array(builder, body.args[0], length)])
        value = self.context.data_model_manager[kind].from_return(builder, builder.load(slot))
        data = make_array(kind)(self.context, builder, value).data
        builder.ret(builder.bitcast(data, _POINTER))
        self._global(f"{self.symbol}{_KEPT}", [body])

    def array_at(self, builder: ir.IRBuilder, pointer: ir.Value) -> ir.Value:
        """Return the work array that begins at a place."""
        builder.call(hint_function(self.module, CONTENTS[str(self.kind.dtype)]), [pointer])
        return self._array(builder, pointer, self._length(builder, pointer))

    def _augmented(self, function: ir.Function) -> ir.Function:
        kind = ir.FunctionType(_POINTER, [_POINTER] * 2)
        augmented = self._defined(_AUGMENTED, kind)
        builder = ir.IRBuilder(augmented.append_basic_block("entry"))
        builder.call(function, [augmented.args[0]])
        builder.ret(ir.Constant(_POINTER, None))
        return augmented

    def _running(
        self,
        suffix: str,
        rule: Rule,
        arrays: int,
        extra: int = 0,
        first: ir.Function | None = None,
    ) -> ir.Function:
        """Define a function of pointers that runs a rule on the arrays behind them.

        With run-time activity a shadow may be the primal itself: then nothing is to be derived.
        """
        function = self._defined(suffix, _type_of(arrays + extra))
        builder = ir.IRBuilder(function.append_basic_block("entry"))
        if first is not None:
            builder.call(first, [function.args[0]])
        if arrays > 1:
            is_same = builder.icmp_unsigned("==", *function.args[:2])
            with builder.if_then(is_same, likely=False):
                builder.ret_void()
        given = function.args[:arrays]
        if self.is_apart:
            builder.call(self._code_apart(_PARTS[suffix], rule, arrays), given)
        else:
            self._run_on(builder, rule, given)
        builder.ret_void()
        return function

    def _run_on(self, builder: ir.IRBuilder, rule: Rule, given: Sequence[ir.Value]) -> None:
        """Run a rule on the arrays that begin at some pointers."""
        hint = hint_function(self.module, CONTENTS[str(self.kind.dtype)])
        for pointer in given:
            builder.call(hint, [pointer])
        length = self._length(builder, given[0])
        self._run(builder, rule, [self._array(builder, pointer, length) for pointer in given])

    def _code_apart(self, part: str, rule: Rule, arrays: int) -> ir.Function:
        """Declare the code of a rule, whose library is made where it is asked for."""
        symbol = f"{RULE_CODE}{self.symbol.removeprefix(PREFIX)}.{part}"
        self.library.add_linking_library(code_library(self.context, symbol, self.kind, rule))
        return cgutils.get_or_insert_function(self.module, _type_of(arrays), symbol)

    def define_code(self, rule: Rule) -> None:
        """Define the code of a rule, under the symbol of this object."""
        arrays = rule.__code__.co_argcount
        function = ir.Function(self.module, _type_of(arrays), self.symbol)
        builder = ir.IRBuilder(function.append_basic_block("entry"))
        self._run_on(builder, rule, function.args)
        builder.ret_void()

    def _run(
        self, builder: ir.IRBuilder, rule: Rule, arrays: list[ir.Value]
    ) -> tuple[Any, ir.Value]:
        """Call a rule; returns the type of its result, and where that is."""
        kinds = (self.kind,) * len(arrays)
        kernel = compile_kernel(rule, kinds, self.context.kernel_target)
        self.library.add_linking_library(kernel.library)
        convention = self.context.call_conv
        kind = convention.get_function_type(kernel.return_type, kinds)
        callee = cgutils.get_or_insert_function(self.module, kind, kernel.symbol)
        excinfo = builder.alloca(callconv.excinfo_ptr_t)
        builder.store(ir.Constant(callconv.excinfo_ptr_t, None), excinfo)
        slot = builder.alloca(kind.args[0].pointee)
        flat = self.context.get_arg_packer(kinds).as_arguments(builder, arrays)
        status = builder.call(callee, [slot, excinfo, *flat])
        if self.context.kernel_target.is_catching:
            raise_on_error(builder, status, excinfo)
        return kernel.return_type, slot

    def _array(self, builder: ir.IRBuilder, pointer: ir.Value, length: ir.Value) -> ir.Value:
        array = make_array(self.kind)(self.context, builder)
        item = self.context.get_abi_sizeof(self.context.get_data_type(self.kind.dtype))
        populate_array(
            array,
            data=builder.bitcast(pointer, array.data.type),
            shape=[length],
            strides=[_SIZE(item)],
            itemsize=_SIZE(item),
            meminfo=None,
            parent=None,
        )
        return array._getvalue()

    def _length(self, builder: ir.IRBuilder, pointer: ir.Value) -> ir.Value:
        """Return the length of the work array, which stands in front: see `size_in`."""
        dtype = self.kind.dtype
        real = self.context.get_data_type(getattr(dtype, "underlying_float", dtype))
        step = 2 if isinstance(dtype, types.Complex) else 1
        first = builder.bitcast(pointer, real.as_pointer())
        high, low = (
            builder.fptosi(builder.load(builder.gep(first, [_SIZE(step * place)])), _SIZE)
            for place in range(NUMBERS_OF_A_SIZE)
        )
        return builder.add(builder.mul(high, _SIZE(_DIGIT)), low)

    def _defined(self, suffix: str, kind: ir.FunctionType) -> ir.Function:
        function = ir.Function(self.module, kind, f"{self.symbol}{suffix}")
        function.linkage = "linkonce_odr"
        return function

    def _register(self, kind: str, functions: list[ir.Function]) -> None:
        self._global(f"__enzyme_register_{kind}_{self.symbol}", functions)

    def _global(self, name: str, functions: list[ir.Function]) -> None:
        """Define a table of functions that every module may hold and nothing may drop."""
        pointers = [function.bitcast(_POINTER) for function in functions]
        table = ir.Constant(ir.ArrayType(_POINTER, len(pointers)), pointers)
        found = ir.GlobalVariable(self.module, table.type, name)
        found.linkage = "weak_odr"
        found.initializer = table


def _type_of(pointers: int) -> ir.FunctionType:
    return ir.FunctionType(ir.VoidType(), [_POINTER] * pointers)


def call_bodies(code: Module) -> None:
    """Call ruled functions by their bodies, now that Enzyme has seen the calls."""
    for one in code.variables:  # what kept the bodies in the module
        if one.name.startswith(PREFIX):
            one.erase()
    for function in code.declarations:
        if function.name.startswith(PREFIX):
            if not function.name.endswith((_BODY, _AUGMENTED, _REVERSE, _FORWARD)):
                body = code.symbol(f"@{quoted(function.name + _BODY)}")
                for call in function.users:
                    call.replace_operand(function, body)
            function.erase()
