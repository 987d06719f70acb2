"""jacobian, jacfwd, jacrev, hessian, hvp and their relatives inside @njit and @enzyme.jit code.

What returns a function is typed as the dispatcher that it returns from Python; the others call the
dispatcher that does the work. Options are written as constants.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.typing import signature
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.extending import lower_builtin

from enzyme_py.annotations import Const
from enzyme_py.calls import jacobians, operators
from enzyme_py.calls.compiled.overloads import AnnotationType, ModeType, literal
from enzyme_py.calls.jacobians import checked_chunk
from enzyme_py.errors import AnnotationError
from enzyme_py.frontend.functions.bound import Leading
from enzyme_py.frontend.functions.bound_types import argument_type, function_of, function_parts
from enzyme_py.modes import Forward, Mode, Reverse
from enzyme_py.transforms.jacobians.jacobian import Jacobian, jacobian_runner
from enzyme_py.transforms.jacobians.products import Product, product_runner
from enzyme_py.transforms.values.functions import can_differentiate, held_values, of_same_values

# -- functions that return functions ---------------------------------------------------------------


def _options(function: Callable[..., Any], leading: int, args: Any, kws: Any) -> dict[str, Any]:
    """Return the options of a call, behind its `leading` arguments, as Python values."""
    names = [
        name
        for name, parameter in list(inspect.signature(function).parameters.items())[leading:]
        if parameter.kind is not parameter.VAR_POSITIONAL
    ]
    unknown = set(kws) - set(names)
    if unknown or len(args) > len(names):
        message = f"{function.__name__} has no option {', '.join(sorted(unknown)) or args[-1]}"
        raise AnnotationError(message, remedy=f"its options are {', '.join(names)}")
    given = {**dict(zip(names, args, strict=False)), **kws}
    return {name: _value(kind) for name, kind in given.items()}


def _value(kind: Any) -> Any:
    if isinstance(kind, ModeType):
        return kind.mode
    if isinstance(types.unliteral(kind), types.NoneType):
        return None
    if isinstance(kind, types.BaseTuple):
        return tuple(map(_value, kind))
    return literal(kind)


def _with_names(sig: Any, count: int, kws: Any) -> Any:
    """Return the signature with what Numba needs to sort keywords: the names of its parameters."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    names = [f"argument{i}" for i in range(count)] + list(kws)
    return sig.replace(pysig=inspect.Signature([inspect.Parameter(n, kind) for n in names]))


def register_transformer(function: Callable[..., Any]) -> None:
    """Teach Numba a function of a function and of options that returns a function."""

    @infer_global(function)
    class _Template(AbstractTemplate):  # type: ignore[misc]
        key = function
        prefer_literal = True

        def generic(self, args: Sequence[Any], kws: Any) -> Any:
            if not args or not can_differentiate(args[0]):
                return None
            kernel, held = function_parts(args[0])
            made = function(Leading(kernel, len(held)), **_options(function, 1, args[1:], kws))
            sig = signature(function_of(made.kernel, held), *args, *kws.values())
            return _with_names(sig, len(args), kws)

    @lower_builtin(function, types.VarArg(types.Any))
    def _lower(context: Any, builder: Any, sig: Any, args: Sequence[Any]) -> Any:
        return of_same_values(context, builder, sig, args[0])


for _transformer in (
    jacobians.jacfwd,
    jacobians.jacrev,
    jacobians.hessian,
    operators.output_of,
):
    register_transformer(_transformer)


# -- functions that differentiate at once ----------------------------------------------------------


def _call(typing_context: Any, runner: Any, kinds: Sequence[Any]) -> tuple[Any, Any]:
    """Return the function of a runner and its signature for arguments of these types."""
    function = types.Dispatcher(runner)
    kinds = tuple(map(argument_type, kinds))
    return function, typing_context.resolve_function_type(function, kinds, {})


def _emit_call(
    context: Any,
    builder: ir.IRBuilder,
    runner: Any,
    kinds: Sequence[Any],
    values: Sequence[ir.Value],
) -> ir.Value:
    """Emit the call of a runner; its last parameter may take all further arguments."""
    function, call = _call(context.typing_context, runner, kinds)
    code = runner.py_func.__code__
    if code.co_flags & inspect.CO_VARARGS:
        count = code.co_argcount
        rest = context.make_tuple(builder, call.args[count], values[count:])
        values = [*values[:count], rest]
    return context.get_function(function, call)(builder, values)


def _constant_removed(kind: Any) -> Any:
    kind = types.unliteral(kind)
    return kind.parts[0] if isinstance(kind, AnnotationType) else kind


def _values(
    context: Any, builder: ir.IRBuilder, kinds: Sequence[Any], values: Sequence[ir.Value]
) -> list[ir.Value]:
    """Return the arguments of a runner: what a Const holds, and no literals."""
    found = []
    for kind, value in zip(kinds, values, strict=True):
        own = types.unliteral(kind)
        if isinstance(own, AnnotationType):
            found.append(context.make_helper(builder, own, value).part0)
        else:
            found.append(context.cast(builder, value, kind, argument_type(own)))
    return found


def _jacobian_call(args: Sequence[Any], options: dict[str, Any]) -> tuple[Any, int] | None:
    """Return the runner of a call of `jacobian`, and where its arguments begin."""
    place = 1 if args and isinstance(args[0], ModeType) else 0
    mode: Mode = args[0].mode if place else Reverse
    if len(args) <= place or not can_differentiate(args[place]):
        return None
    kernel, held = function_parts(args[place])
    given = [types.unliteral(kind) for kind in args[place + 1 :]]
    for kind in given:
        if isinstance(kind, AnnotationType) and kind.kind is not Const:
            message = f"jacobian takes plain arguments and Const ones, not {kind.kind.__name__}"
            raise AnnotationError(message, remedy="write jacobian(f, x)")
    constants = tuple(n for n, kind in enumerate(given) if isinstance(kind, AnnotationType))
    plan = Jacobian(
        kernel,
        mode,
        constants=constants,
        chunk=checked_chunk(options.get("chunk")),
        holomorphic=bool(options.get("holomorphic", False)),
        skipped=len(held),
    )
    return jacobian_runner(plan), place + 1


_OPTION_NAMES = ("chunk", "holomorphic")


@infer_global(jacobians.jacobian)
class _JacobianTemplate(AbstractTemplate):  # type: ignore[misc]
    key = jacobians.jacobian
    prefer_literal = True

    def generic(self, args: Sequence[Any], kws: Any) -> Any:
        found = _jacobian_call(args, _options(jacobians.jacobian, 1, (), kws))
        if found is None:
            return None
        runner, start = found
        held = function_parts(args[start - 1])[1]
        _, call = _call(self.context, runner, [*held, *map(_constant_removed, args[start:])])
        sig = signature(call.return_type, *args, *kws.values())
        return _with_names(sig, len(args), kws) if kws else sig


def _split_keywords(sig: Any) -> tuple[list[Any], dict[str, Any]]:
    """Return the types of a lowered call's positional arguments, and those of its keywords."""
    if sig.pysig is None:
        return list(sig.args), {}
    names = list(sig.pysig.parameters)
    count = sum(name.startswith("argument") for name in names)
    return list(sig.args[:count]), dict(zip(names[count:], sig.args[count:], strict=True))


@lower_builtin(jacobians.jacobian, types.VarArg(types.Any))
def _lower_jacobian(context: Any, builder: Any, sig: Any, args: Sequence[Any]) -> Any:
    kinds, kws = _split_keywords(sig)
    found = _jacobian_call(kinds, _options(jacobians.jacobian, 1, (), kws))
    assert found is not None
    runner, start = found
    values = held_values(context, builder, kinds[start - 1], args[start - 1])
    values += _values(context, builder, kinds[start:], args[start : len(kinds)])
    given = [*function_parts(kinds[start - 1])[1], *map(_constant_removed, kinds[start:])]
    return _emit_call(context, builder, runner, given, values)


_PRODUCTS: dict[Callable[..., Any], Mode] = {
    jacobians.hvp: Forward,
    jacobians.vhp: Reverse,
    jacobians.hvp_and_gradient: Forward,
}


def _product_call(function: Callable[..., Any], args: Sequence[Any], kws: Any) -> Any:
    """Return the runner of a call of hvp or a relative, or None."""
    if len(args) <= 2 or not can_differentiate(args[0]):
        return None
    kernel, held = function_parts(args[0])
    options = _options(function, 3, (), kws)
    outer = options.get("outer", _PRODUCTS[function])
    inner, gives_both = options.get("inner", Reverse), function is jacobians.hvp_and_gradient
    return product_runner(Product(kernel, outer, inner, len(held), gives_both))


def _product_kinds(args: Sequence[Any]) -> list[Any]:
    """Return the types of a runner's arguments: x, v, what the function holds, the others."""
    held = function_parts(args[0])[1]
    x, v, *others = map(types.unliteral, args[1:])
    return [x, v, *held, *others]


def _register_product(function: Callable[..., Any]) -> None:
    gives_both = function is jacobians.hvp_and_gradient

    @infer_global(function)
    class _Template(AbstractTemplate):  # type: ignore[misc]
        key = function
        prefer_literal = True

        def generic(self, args: Sequence[Any], kws: Any) -> Any:
            runner = _product_call(function, args, kws)
            if runner is None:
                return None
            _, call = _call(self.context, runner, _product_kinds(args))
            result = call.return_type if gives_both else call.return_type[0]
            sig = signature(result, *args, *kws.values())
            return _with_names(sig, len(args), kws) if kws else sig

    @lower_builtin(function, types.VarArg(types.Any))
    def _lower(context: Any, builder: Any, sig: Any, args: Sequence[Any]) -> Any:
        kinds, kws = _split_keywords(sig)
        runner = _product_call(function, kinds, kws)
        x, v, *others = _values(context, builder, kinds[1:], args[1 : len(kinds)])
        values = [x, v, *held_values(context, builder, kinds[0], args[0]), *others]
        pair = _emit_call(context, builder, runner, _product_kinds(kinds), values)
        return pair if gives_both else builder.extract_value(pair, 0)


for _product in _PRODUCTS:
    _register_product(_product)
