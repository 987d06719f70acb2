"""The public names inside @njit and @enzyme.jit code: grad, gradient, jvp, autodiff, ...

`grad(f)` in compiled code is typed as the dispatcher that it returns from Python. The others are
rewritten to a plan at typing time. Annotations are small tuples-like structs; modes are constants.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from numba.core import cgutils, types
from numba.core.datamodel import models
from numba.core.imputils import lower_constant
from numba.core.typing import signature
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.extending import lower_builtin, register_model, typeof_impl

import enzyme_py.annotations as written
from enzyme_py.calls import annotated_calls, operators
from enzyme_py.errors import AnnotationError
from enzyme_py.frontend.functions.bound import Leading
from enzyme_py.frontend.functions.bound_types import function_of, function_parts
from enzyme_py.modes import Mode, Reverse
from enzyme_py.request import Activity
from enzyme_py.transforms.derivatives.activities import activity_of
from enzyme_py.transforms.derivatives.annotated import Annotated
from enzyme_py.transforms.derivatives.forward_gradient import forward_part
from enzyme_py.transforms.derivatives.gradient import Gradient
from enzyme_py.transforms.derivatives.jvp import Jvp
from enzyme_py.transforms.plans.binding import plan_call, run_plan
from enzyme_py.transforms.plans.plans import transform
from enzyme_py.transforms.plans.structures import check_structure
from enzyme_py.transforms.values.functions import can_differentiate, held_values, of_same_values


class ModeType(types.Opaque):  # type: ignore[misc]
    """The Numba type of one mode; it carries the mode."""

    def __init__(self, mode: Mode) -> None:
        self.mode = mode
        super().__init__(f"Mode({mode.name}, {mode.runtime_activity}, {mode.strong_zero})")

    @property
    def key(self) -> Any:
        return self.mode


class AnnotationType(types.Type):  # type: ignore[misc]
    """The Numba type of an annotated value: its primal's type and those of its shadows."""

    def __init__(self, kind: type[written.Annotation], parts: Sequence[Any]) -> None:
        self.kind = kind
        self.parts = tuple(parts)
        super().__init__(f"{kind.__name__}({', '.join(map(str, parts))})")

    @property
    def key(self) -> Any:
        """Not the name: two classes of a user's may have the same."""
        return self.kind, self.parts

    @property
    def activity(self) -> Activity:
        found: Activity = self.kind.activity
        return found


register_model(ModeType)(models.OpaqueModel)


@register_model(AnnotationType)
class _AnnotationModel(models.StructModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: AnnotationType) -> None:
        members = [(f"part{i}", part) for i, part in enumerate(kind.parts)]
        super().__init__(manager, kind, members)


@typeof_impl.register(Mode)
def _typeof_mode(value: Mode, _context: Any) -> ModeType:
    return ModeType(value)


@lower_constant(ModeType)
def _constant_mode(context: Any, _builder: Any, _kind: Any, _value: Any) -> Any:
    return context.get_dummy_value()


# Annotations


def _annotation_parts(kind: Any, given: Sequence[Any]) -> Sequence[Any] | None:
    """Return the types of primal and shadows that an annotation is made of."""
    if not issubclass(kind, written.BatchDuplicated):
        return given
    if len(given) != 2 or not isinstance(given[1], types.BaseTuple):
        return None
    return (given[0], *given[1])


def _register_annotation(kind: type[written.Annotation], count: int) -> None:
    @infer_global(kind)
    class _Template(AbstractTemplate):  # type: ignore[misc]
        key = kind

        def generic(self, args: Sequence[Any], kws: Any) -> Any:
            given = [types.unliteral(one) for one in args]
            parts = _annotation_parts(kind, given)
            if kws or parts is None or len(given) != count:
                return None
            for shadow in parts[1:]:
                check_structure(parts[0], shadow, "a shadow")
            return signature(AnnotationType(kind, parts), *given)

    @lower_builtin(kind, types.VarArg(types.Any))
    def _lower(context: Any, builder: Any, sig: Any, args: Sequence[Any]) -> Any:
        struct = context.make_helper(builder, sig.return_type)
        values = list(args)
        if issubclass(kind, written.BatchDuplicated):
            lanes = range(len(sig.args[1]))
            values = [args[0], *(builder.extract_value(args[1], lane) for lane in lanes)]
        for i, value in enumerate(values):
            setattr(struct, f"part{i}", value)
            context.nrt.incref(builder, sig.return_type.parts[i], value)
        return struct._getvalue()


for _kind, _count in (
    (written.Const, 1),
    (written.Active, 1),
    (written.Duplicated, 2),
    (written.DuplicatedNoNeed, 2),
    (written.BatchDuplicated, 2),
    (written.BatchDuplicatedNoNeed, 2),
):
    _register_annotation(_kind, _count)


# Functions that return functions


def literal(kind: Any) -> Any:
    """Return the value of an option: a default is one already."""
    if not isinstance(kind, types.Type):
        return kind
    if isinstance(kind, types.Omitted):
        return kind.value
    if isinstance(kind, types.Literal):
        return kind.literal_value
    if isinstance(kind, types.BaseTuple) and all(isinstance(k, types.Literal) for k in kind):
        return tuple(k.literal_value for k in kind)
    message = "argnums and has_aux must be written as constants in compiled code"
    raise AnnotationError(message, remedy="make the transform outside and call it here")


def _register_transformer(function: Callable[..., Any]) -> None:
    pysig = inspect.signature(function)

    @infer_global(function)
    class _Template(AbstractTemplate):  # type: ignore[misc]
        key = function
        prefer_literal = True

        def generic(self, args: Sequence[Any], kws: Any) -> Any:
            given = pysig.bind(*args, **kws)
            given.apply_defaults()
            f, argnums, has_aux = given.arguments.values()
            if not can_differentiate(f):
                return None
            kernel, held = function_parts(f)
            made = function(Leading(kernel, len(held)), literal(argnums), bool(literal(has_aux)))
            options = [_as_type(one) for one in (argnums, has_aux)]
            return signature(function_of(made.kernel, held), f, *options).replace(pysig=pysig)

    @lower_builtin(function, types.VarArg(types.Any))
    def _lower(context: Any, builder: Any, sig: Any, args: Sequence[Any]) -> Any:
        return of_same_values(context, builder, sig, args[0])


def _as_type(given: Any) -> Any:
    return given if isinstance(given, types.Type) else types.Omitted(given)


for _function in (operators.grad, operators.value_and_grad):
    _register_transformer(_function)


# Functions that differentiate at once


def _split_mode(given: Sequence[Any]) -> tuple[Mode, int]:
    """Return the mode at the head of a call, or Reverse, and the place of the function."""
    first = given[0] if given else None
    return (first.mode, 1) if isinstance(first, ModeType) else (Reverse, 0)


@infer_global(operators.gradient)
class _GradientTemplate(AbstractTemplate):  # type: ignore[misc]
    key = operators.gradient

    def generic(self, args: Sequence[Any], kws: Any) -> Any:
        mode, place = _split_mode(args)
        if kws or len(args) <= place or not can_differentiate(args[place]):
            return None
        calls = _gradient_calls(self.context, mode, args[place:])
        results = [call.return_type for _, call in calls]
        result = types.Tuple(tuple(results)) if mode.is_forward else results[0]
        return signature(result, *args)


def _gradient_calls(typing_context: Any, mode: Mode, args: Sequence[Any]) -> list[Any]:
    """Return the functions to call, with their signatures: one, or in forward mode one a part."""
    kernel, held = function_parts(args[0])
    given = (*held, *map(types.unliteral, args[1:]))
    if mode.is_forward:
        if any(
            isinstance(kind, types.BaseTuple) and activity_of(kind) is not Activity.CONST
            for kind in given
        ):
            message = "gradient(Forward, ...) of a tuple in compiled code is not there"
            raise AnnotationError(message, remedy="use the reverse mode, or jvp")
        functions = [
            types.Dispatcher(forward_part(kernel, n, len(given), len(held)))
            for n in range(len(held), len(given))
        ]
        operands = given
    else:
        wanted = Gradient(
            kernel,
            skipped=len(held),
            runtime_activity=mode.runtime_activity,
            strong_zero=mode.strong_zero,
        )
        plan = typing_context.resolve_value_type(wanted)
        functions = [typing_context.resolve_value_type(transform)]
        operands = (plan, *given)
    return [(f, typing_context.resolve_function_type(f, operands, {})) for f in functions]


@lower_builtin(operators.gradient, types.VarArg(types.Any))
def _lower_gradient(context: Any, builder: Any, sig: Any, args: Sequence[Any]) -> Any:
    mode, place = _split_mode(sig.args)
    plan = [] if mode.is_forward else [context.get_dummy_value()]
    held = held_values(context, builder, sig.args[place], args[place])
    given = sig.args[place + 1 :]
    parts = []
    for function, call in _gradient_calls(context.typing_context, mode, sig.args[place:]):
        values = [
            context.cast(builder, value, kind, types.unliteral(kind))
            for value, kind in zip(args[place + 1 :], given, strict=True)
        ]
        values = [*held, *values]
        if mode.is_forward:  # the parts take *arguments
            values = [context.make_tuple(builder, call.args[0], values)]
        parts.append(context.get_function(function, call)(builder, [*plan, *values]))
    return context.make_tuple(builder, sig.return_type, parts) if mode.is_forward else parts[0]


@infer_global(operators.jvp)
class _JvpTemplate(AbstractTemplate):  # type: ignore[misc]
    key = operators.jvp

    def generic(self, args: Sequence[Any], kws: Any) -> Any:
        pysig = inspect.signature(operators.jvp)
        f, primals, tangents = pysig.bind(*args, **kws).args
        if not can_differentiate(f) or not _are_tuples(primals, tangents):
            return None
        _, call = plan_call(self.context, *_jvp_plan(f, primals, tangents))
        return signature(call.return_type, f, primals, tangents).replace(pysig=pysig)


def _are_tuples(*kinds: Any) -> bool:
    return all(isinstance(kind, types.BaseTuple) for kind in kinds)


def _jvp_plan(f: Any, primals: Any, tangents: Any) -> tuple[Jvp, list[Any]]:
    """Return the plan of a jvp, and the types of its arguments."""
    kernel, held = function_parts(f)
    given = [types.unliteral(kind) for kind in (*primals, *tangents)]
    return Jvp(kernel, skipped=len(held)), [*held, *given]


@lower_builtin(operators.jvp, types.VarArg(types.Any))
def _lower_jvp(context: Any, builder: Any, sig: Any, args: Sequence[Any]) -> Any:
    plan, kinds = _jvp_plan(*sig.args)
    values = held_values(context, builder, sig.args[0], args[0])
    written = [kind for pair in sig.args[1:] for kind in pair]
    given = [part for pair in args[1:] for part in cgutils.unpack_tuple(builder, pair)]
    for value, kind, wanted in zip(given, written, kinds[len(values) :], strict=True):
        values.append(context.cast(builder, value, kind, wanted))
    return run_plan(context, builder, plan, kinds, values)


@infer_global(annotated_calls.autodiff)
class _AutodiffTemplate(AbstractTemplate):  # type: ignore[misc]
    key = annotated_calls.autodiff

    def generic(self, args: Sequence[Any], kws: Any) -> Any:
        if kws:
            return None
        plan, parts, _ = _autodiff_plan(args)
        _, call = plan_call(self.context, plan, parts)
        return signature(call.return_type, *args)


def _autodiff_plan(args: Sequence[Any]) -> tuple[Annotated, list[Any], int]:
    """Return the plan of an autodiff call, the types of its parts, and where arguments begin."""
    mode, place = _split_mode(args)
    if not can_differentiate(args[place]):
        message = "autodiff in compiled code needs a jitted function"
        raise AnnotationError(message, remedy="decorate it with enzyme.jit or numba.njit")
    kernel, held = function_parts(args[place])
    start = place + 1
    result = None
    if len(args) > start and isinstance(args[start], types.ClassType | types.Function):
        chosen = getattr(args[start], "typing_key", None)
        if isinstance(chosen, type) and issubclass(chosen, written.Annotation):
            result = _activity_of_class(chosen)
            start += 1
    given = [
        one if isinstance(one, AnnotationType) else AnnotationType(written.Const, (one,))
        for one in map(types.unliteral, args[start:])
    ]
    widths = {len(one.parts) - 1 for one in given if one.activity.has_shadow}
    if len(widths) > 1:
        message = f"the arguments have batches of different widths: {sorted(widths)}"
        raise AnnotationError(message, remedy="give each the same number of shadows")
    is_batch = any(issubclass(one.kind, written.BatchDuplicated) for one in given)
    width = widths.pop() if widths else 1
    activities = (*[Activity.CONST] * len(held), *(one.activity for one in given))
    plan = Annotated(kernel, mode, activities, width, is_batch, result, len(held), constants_are_said=True)
    return plan, [*held, *(part for one in given for part in one.parts)], start


def _activity_of_class(kind: type[written.Annotation]) -> Activity:
    return kind.activity


@lower_builtin(annotated_calls.autodiff, types.VarArg(types.Any))
def _lower_autodiff(context: Any, builder: Any, sig: Any, args: Sequence[Any]) -> Any:
    plan, parts, start = _autodiff_plan(sig.args)
    _, place = _split_mode(sig.args)
    values = held_values(context, builder, sig.args[place], args[place])
    for kind, value in zip(sig.args[start:], args[start:], strict=True):
        if isinstance(kind, AnnotationType):
            struct = context.make_helper(builder, kind, value)
            values += [getattr(struct, f"part{i}") for i in range(len(kind.parts))]
        else:
            values.append(value)
    return run_plan(context, builder, plan, parts, values)
