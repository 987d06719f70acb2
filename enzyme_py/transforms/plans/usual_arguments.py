"""What Python hands to compiled code: arrays that Numba takes for others become what it takes them for.

Symptom: a masked array lost its mask, a big-endian one was read in the wrong order, both without a word.
Cause: Numba looks up the code for a call by what its C part remembers of types it saw before. That knows neither subclasses of
    arrays nor the order of bytes: behind a tuple with a plain array comes a tuple with a masked one, and finds its code.
Cure: the wrapper that unpacks the arguments of a runner looks at each array (csrc/arrays.c, a nanosecond). Where one is not
    of NumPy's own class, in the machine's order, the wrapper calls itself with what foreign_arrays.py makes of them.
Reproducer: tests/snippets/test_arguments.py.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.callwrapper import PyCallWrapper
from numba.core.cpu import CPUContext
from numba.core.pythonapi import PythonAPI

from enzyme_py.assembly.results import holds_arrays
from enzyme_py.foundations.arrays.foreign_arrays import usual_arguments
from enzyme_py.native.runtime import runtime_function


class RunnerContext(CPUContext):  # type: ignore[misc]
    """Numba's context for the processor, with a wrapper that looks at arrays."""

    def create_cpython_wrapper(
        self, library: Any, fndesc: Any, env: Any, call_helper: Any, release_gil: bool = False
    ) -> None:
        """Add what Python calls to a library."""
        module = self.create_module("wrapper")
        kind = self.call_conv.get_function_type(fndesc.restype, fndesc.argtypes)
        callee = ir.Function(module, kind, fndesc.llvm_func_name)
        wrapper = _Wrapper(self, module, callee, fndesc, env, call_helper=call_helper, release_gil=release_gil)
        wrapper.build()
        library.add_ir_module(module)


def runner_context(context: CPUContext) -> RunnerContext:
    """Return the context for a runner, which shares all that Numba's has."""
    made: Any = copy.copy(context)
    made.__class__ = RunnerContext
    return made  # type: ignore[no-any-return]


class _Wrapper(PyCallWrapper):  # type: ignore[misc]
    def build_wrapper(self, api: PythonAPI, builder: ir.IRBuilder, closure: Any, args: Any, kws: Any) -> None:
        found = [
            is_usual
            for number, kind in enumerate(self.fndesc.argtypes)
            if holds_arrays(kind)
            for is_usual in _looks(api, builder, kind, api.tuple_getitem(args, number))
        ]
        if found:
            with builder.if_then(_any_zero(builder, found), likely=False):
                _call_again(api, builder, (closure, args, kws))
        super().build_wrapper(api, builder, closure, args, kws)


def _looks(api: PythonAPI, builder: ir.IRBuilder, kind: Any, value: ir.Value) -> list[ir.Value]:
    """Emit one look at each array in a value."""
    if isinstance(kind, types.BaseTuple):
        return [
            is_usual
            for number, part in enumerate(kind)
            if holds_arrays(part)
            for is_usual in _looks(api, builder, part, api.tuple_getitem(value, number))
        ]
    look = runtime_function(builder.module, "enzyme_py_is_usual", ir.IntType(32), [value.type])
    return [builder.call(look, [value])]


def _any_zero(builder: ir.IRBuilder, found: Sequence[ir.Value]) -> ir.Value:
    every = found[0]
    for one in found[1:]:
        every = builder.and_(every, one)
    return builder.icmp_signed("==", every, every.type(0))


def _call_again(api: PythonAPI, builder: ir.IRBuilder, given: tuple[ir.Value, ir.Value, ir.Value]) -> None:
    """Emit the return of what the wrapper returns for the arguments as it can read them."""
    closure, args, kws = given
    null = api.get_null_object()
    module = api.import_module(api.context.insert_const_string(builder.module, usual_arguments.__module__))
    _return_if_null(builder, module, null)
    function = api.object_getattr_string(module, usual_arguments.__name__)
    api.decref(module)
    _return_if_null(builder, function, null)
    usual = api.call_function_objargs(function, [args])
    api.decref(function)
    _return_if_null(builder, usual, null)
    result = builder.call(builder.function, [closure, usual, kws])
    api.decref(usual)
    builder.ret(result)


def _return_if_null(builder: ir.IRBuilder, value: ir.Value, null: ir.Value) -> None:
    """An exception is set."""
    with builder.if_then(cgutils.is_null(builder, value), likely=False):
        builder.ret(null)
