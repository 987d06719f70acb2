"""How Numba types and lowers `transform(plan, *arguments)`, and what a bound plan writes its code with.

The same code serves plain @njit code and kernels that are themselves differentiated: only
`differentiate` means something else there.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.typing import signature
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.extending import lower_builtin

from enzyme_py.assembly.marker import RequestType, differentiate
from enzyme_py.transforms.plans.plans import Bound, Plan, PlanType, transform


def _request_signature(typing_context: Any, bound: Bound) -> Any:
    function = typing_context.resolve_value_type(differentiate)
    arguments = (RequestType(bound.request), *bound.request_types)
    return function, typing_context.resolve_function_type(function, arguments, {})


@infer_global(transform)
class _TransformTemplate(AbstractTemplate):  # type: ignore[misc]
    def generic(self, args: Sequence[Any], kws: Any) -> Any:
        plan_type, *given = map(types.unliteral, args)
        if kws or not isinstance(plan_type, PlanType):
            return None
        bound = plan_type.plan.bind(given)
        _, request = _request_signature(self.context, bound)
        bound.resolve(request.return_type)
        for plan, kinds in bound.beside():
            plan_call(self.context, plan, kinds)  # compiles; while Numba lowers is too late
        return signature(bound.result, plan_type, *bound.argument_types)


def plan_call(typing_context: Any, plan: Plan, kinds: Sequence[Any]) -> tuple[Any, Any]:
    """Return the function that runs a plan, and its signature for arguments of these types."""
    function = typing_context.resolve_value_type(transform)
    plan_type = typing_context.resolve_value_type(plan)
    return function, typing_context.resolve_function_type(function, (plan_type, *kinds), {})


def run_plan(
    context: Any,
    builder: ir.IRBuilder,
    plan: Plan,
    kinds: Sequence[Any],
    values: Sequence[ir.Value],
) -> ir.Value:
    """Emit the run of a plan on values of these types."""
    function, call = plan_call(context.typing_context, plan, kinds)
    implementation = context.get_function(function, call)
    return implementation(builder, [context.get_dummy_value(), *values])


_OWNED = "_enzyme_py_owned"


@contextlib.contextmanager
def letting_go(builder: ir.IRBuilder, owned: Sequence[tuple[Any, ir.Value]]) -> Iterator[None]:
    """Tell the lowering of a request what its error path has to let go."""
    setattr(builder, _OWNED, owned)
    try:
        yield
    finally:
        setattr(builder, _OWNED, ())


def owned_by(builder: ir.IRBuilder) -> Sequence[tuple[Any, ir.Value]]:
    """Return what was told."""
    found: Sequence[tuple[Any, ir.Value]] = getattr(builder, _OWNED, ())
    return found


class Emit:
    """What a bound plan writes its code with."""

    def __init__(self, context: Any, builder: ir.IRBuilder, bound: Bound | None) -> None:
        self.context = context
        self.builder = builder
        self._bound = bound

    def request(
        self, values: Sequence[ir.Value], owned: Sequence[tuple[Any, ir.Value]] = ()
    ) -> list[ir.Value]:
        """Run the request and return the items of its flat result.

        What is `owned`, by type and value, is let go where the request raises: nobody else could.
        """
        if self._bound is None:
            raise RuntimeError
        function, sig = _request_signature(self.context.typing_context, self._bound)
        casted = [
            self.context.cast(self.builder, value, given, wanted)
            for value, given, wanted in zip(
                values, self._bound.request_types, sig.args[1:], strict=True
            )
        ]
        implementation = self.context.get_function(function, sig)
        with letting_go(self.builder, owned):
            value = implementation(self.builder, [self.context.get_dummy_value(), *casted])
        return [self.builder.extract_value(value, i) for i in range(len(sig.return_type))]

    def compiled(
        self, function: Any, result: Any, kinds: Sequence[Any], values: Sequence[ir.Value]
    ) -> ir.Value:
        """Call a Python helper, compiled for the context at hand."""
        sig = signature(result, *kinds)
        return self.context.compile_internal(self.builder, function, sig, values)

    def tuple(self, kind: Any, values: Sequence[ir.Value]) -> ir.Value:
        """Return a tuple of a known type."""
        return self.context.make_tuple(self.builder, kind, values)

    def none(self) -> ir.Value:
        """Return the value None."""
        return self.context.get_dummy_value()


@lower_builtin(transform, PlanType, types.VarArg(types.Any))
def _lower_transform(context: Any, builder: Any, sig: Any, args: Sequence[Any]) -> Any:
    plan_type, *given = sig.args
    bound = plan_type.plan.bind(given)
    emit = Emit(context, builder, bound)
    _, request = _request_signature(context.typing_context, bound)
    bound.resolve(request.return_type)
    return bound.lower(emit, args[1:])
