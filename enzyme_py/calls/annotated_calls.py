"""`autodiff`: a kernel and annotated arguments in, derivatives out."""

from __future__ import annotations

import types as pytypes
from collections.abc import Sequence
from typing import Any

import numpy as np

from enzyme_py.annotations import Annotation, Const, arrays_in, as_annotation, share_memory
from enzyme_py.errors import AnnotationError, ShadowError
from enzyme_py.foundations.keeping import made_of
from enzyme_py.foundations.places import argument_names, where_is
from enzyme_py.frontend.functions.bound import differentiable
from enzyme_py.frontend.functions.kernels import is_kernel
from enzyme_py.modes import Mode, Reverse
from enzyme_py.request import Activity
from enzyme_py.transforms.derivatives.annotated import Annotated
from enzyme_py.transforms.plans.runners import positional_runner

_NUMBERS = frozenset((float, int, complex, bool, np.float64, np.float32, np.int64, np.complex128))


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
    kinds = tuple(map(type, given))
    place = 1 if kinds and kinds[0] is Mode else 0
    first = place + 1
    if len(kinds) <= place or not _is_remembered(given[place]):
        return _autodiff(given, None)
    function = given[place]
    result = given[first] if len(kinds) > first and kinds[first] is type else None
    form = id(given[0]) if place else 0, result, kinds
    known = made_of(function, "calls").get(form)
    if known is None:
        return _autodiff(given, form)
    _, runner, kernel = known
    rest = given[first if result is None else first + 1 :]
    parts: list[Any] = []
    in_memory = 0
    for one in rest:
        value = one
        if isinstance(one, Annotation):
            value = one.primal
            parts.append(value)
            parts.extend(one.shadows)
        else:
            parts.append(value)
        in_memory += type(value) not in _NUMBERS
    if in_memory > 1:
        check_apart(kernel, [*map(as_annotation, rest)])
    returned: tuple[Any, ...] = runner(*parts)
    return returned


def _is_remembered(function: Any) -> bool:
    """Tell whether a function is the same kernel at each call: it captures nothing that could change."""
    if type(function) is pytypes.FunctionType:
        is_bare = function.__closure__ is None and function.__defaults__ is None
        return is_bare and function.__kwdefaults__ is None
    return is_kernel(function)


def _autodiff(given: Sequence[Any], form: tuple[Any, ...] | None) -> tuple[Any, ...]:
    """Run `autodiff` of anything, and have the kernel remember the runner of a call of this form."""
    mode, function, result, rest = _read(given)
    kernel, held = differentiable(function)
    annotations = [*map(Const, held), *map(as_annotation, rest)]
    width, is_batch = lanes_of(kernel, annotations)
    check_apart(kernel, annotations)
    activities = tuple(one.activity for one in annotations)
    plan = Annotated(kernel, mode, activities, width, is_batch, result, len(held))
    parts: list[Any] = []
    for one in annotations:
        parts.append(one.primal)
        parts.extend(one.shadows)
    runner = positional_runner(plan, len(parts))
    if form is not None and not is_batch:
        # The mode is held: its id is in the key.
        made_of(function, "calls")[form] = given[0], runner, kernel
    returned: tuple[Any, ...] = runner(*parts)
    return returned


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
