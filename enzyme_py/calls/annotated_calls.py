"""`autodiff`: a kernel and annotated arguments in, derivatives out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from enzyme_py.annotations import Annotation, Const, arrays_in, as_annotation, share_memory
from enzyme_py.errors import AnnotationError, ShadowError
from enzyme_py.foundations.keeping import remember_form
from enzyme_py.foundations.places import argument_names, where_is
from enzyme_py.foundations.quick.library import run
from enzyme_py.foundations.quick.made import BARE, Form
from enzyme_py.frontend.functions.bound import differentiable
from enzyme_py.modes import Mode, Reverse
from enzyme_py.request import Activity
from enzyme_py.transforms.derivatives.annotated import Annotated
from enzyme_py.transforms.plans.runners import positional_runner


def autodiff(*given: Any) -> tuple[Any, ...]:
    """Differentiate a kernel: `autodiff([mode,] f, [return activity,] *annotated arguments)`.

    Forward returns `(derivative,)`, ForwardWithPrimal `(derivative, primal)`. Reverse adds to the
    shadows and returns `(gradients,)`, with one entry per argument: the gradient of an Active one,
    None for others; ReverseWithPrimal returns `(gradients, primal)`. A batch puts a tuple with a
    part per lane in place of each derivative. The mode may be left out: Reverse.

    Examples:
        >>> enzyme.autodiff(enzyme.ReverseWithPrimal, lambda x: x**3, enzyme.Active(2.0))
        ((12.0,), 8.0)
    """
    returned = run(given)
    if returned is NotImplemented:
        returned = _autodiff(given)
    return returned  # type: ignore[no-any-return]


def _autodiff(given: Sequence[Any]) -> tuple[Any, ...]:
    """Run `autodiff` of anything, and remember the runner for calls of this form (foundations/quick)."""
    mode, function, result, rest = _read(given)
    kernel, held = differentiable(function)
    annotations = [*map(Const, held), *map(as_annotation, rest)]
    width, is_batch = lanes_of(kernel, annotations)
    check_apart(kernel, annotations)
    activities = tuple(one.activity for one in annotations)
    plan = Annotated(kernel, mode, activities, width, is_batch, result, len(held), constants_are_said=True)
    parts: list[Any] = []
    for one in annotations:
        parts.append(one.primal)
        parts.extend(one.shadows)
    runner = positional_runner(plan, len(parts))
    if not held and not is_batch:
        _remember(given, rest, runner, kernel)
    returned: tuple[Any, ...] = runner(*parts)
    return returned


def _remember(given: Sequence[Any], rest: Sequence[Any], runner: Any, kernel: Any) -> None:
    """Have `run` find a runner for calls of this form."""
    front = list(given[: len(given) - len(rest)])
    mode = front.pop(0) if isinstance(front[0], Mode) else None
    function, *activity = front
    marks = bytes(len(one.shadows) if isinstance(one, Annotation) else BARE for one in rest)
    count = len(rest)  # `doubt` stays: it must not hold the arguments of this call

    def doubt(given: Sequence[Any]) -> None:
        check_apart(kernel, [*map(as_annotation, given[-count:])])

    result = activity[0] if activity else None
    remember_form(function, Form(mode, result, tuple(map(type, rest)), marks, runner, doubt))


def _read(given: Sequence[Any]) -> tuple[Mode, Any, Activity | None, list[Any]]:
    """Sort the arguments of autodiff by what they are."""
    rest = list(given)
    mode = rest.pop(0) if rest and isinstance(rest[0], Mode) else Reverse
    if not rest:
        message = "autodiff needs a function to differentiate"
        raise AnnotationError(message, remedy="write autodiff(Reverse, f, Duplicated(x, dx))")
    function = rest.pop(0)
    if isinstance(function, Const):
        function = function.primal
    result = None
    if rest and isinstance(rest[0], type) and issubclass(rest[0], Annotation):
        result = rest.pop(0).activity
    if mode.is_split:
        message = f"{mode} has two halves, which autodiff cannot run as one"
        raise AnnotationError(message, remedy="use autodiff_thunk, or the mode Reverse")
    return mode, function, result, rest


def lanes_of(kernel: Any, annotations: Sequence[Annotation]) -> tuple[int, bool]:
    """Return the number of lanes, and whether results come in tuples of lanes."""
    batches = [one for one in annotations if type(one).__name__.startswith("Batch")]
    widths = {len(one.shadows) for one in annotations if one.shadows}
    if len(widths) > 1:
        message = f"the arguments have batches of different widths: {sorted(widths)}"
        remedy = "give every duplicated argument the same number of shadows"
        raise AnnotationError(message, where=where_is(kernel), remedy=remedy)
    return (widths.pop() if widths else 1), bool(batches)


def check_apart(kernel: Any, annotations: Sequence[Annotation]) -> None:
    """Refuse a shadow that shares memory with another argument or its shadow.

    Arguments may share theirs, as long as the kernel does not write to it: compiled/shared_memory.py.
    """
    arrays = [
        (number, place == 0, array)
        for number, one in enumerate(annotations)
        for place, value in enumerate((one.primal, *one.shadows))
        for array in arrays_in(value)
    ]
    for i, (number, is_primal, array) in enumerate(arrays):
        for other_number, other_is_primal, other in arrays[:i]:
            are_primals = is_primal and other_is_primal
            if number == other_number or are_primals or not share_memory(array, other):
                continue
            names = argument_names(kernel)
            message = f"a shadow of `{names[number]}` and one of `{names[other_number]}` share memory"
            raise ShadowError(message, where=where_is(kernel), remedy="give each its own memory")
