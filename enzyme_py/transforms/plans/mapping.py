"""The loop behind vmap, written out for the structure of its arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload

from enzyme_py.errors import AnnotationError
from enzyme_py.foundations.keeping import kept_with_kernel
from enzyme_py.foundations.places import argument_names, where_is
from enzyme_py.transforms.plans.dispatcher import DerivativeDispatcher
from enzyme_py.transforms.plans.elements import copy_elements
from enzyme_py.transforms.plans.helpers import written_for
from enzyme_py.transforms.plans.plans import Plan, PlanType
from enzyme_py.transforms.plans.runner_compiler import RunnerCompiler
from enzyme_py.transforms.plans.structures import (
    at,
    defined,
    each,
    kind_at,
    listed,
    paths,
    regrouped,
)

Axes = int | tuple[int | None, ...]


@kept_with_kernel
def mapped(kernel: Any, held: int, axes: Axes) -> Any:
    """Return the dispatcher that calls a kernel for each item; the first `held` arguments are shared."""
    parameters = inspect.signature(kernel.py_func).parameters.values()
    is_plain = all(one.kind is one.POSITIONAL_OR_KEYWORD for one in parameters)
    head = ", ".join(one.name for one in parameters) if is_plain else "*arguments"
    given = listed([one.name for one in parameters]) if is_plain else "arguments"
    name = f"vmap_of_{kernel.py_func.__name__}"
    scope: dict[str, Any] = {"map_items": map_items, "plan": Mapped(kernel, held, axes)}
    shown = name if name.isidentifier() else "vmap_of_lambda"
    made = defined(f"def {shown}({head}):\n    return map_items(plan, {given})", shown, scope)
    made.plan = scope["plan"]  # type: ignore[attr-defined]  # for its dispatcher
    made.__defaults__ = kernel.py_func.__defaults__ if is_plain else None
    made.__doc__ = f"{name}, made by enzyme_py from `{kernel.py_func.__name__}`."
    options = {"nopython": True, "nogil": True}
    return DerivativeDispatcher(made, targetoptions=options, pipeline_class=RunnerCompiler)


@dataclass(frozen=True)
class Mapped(Plan):
    """A kernel for each item; the first `held` arguments are shared. It does not run by itself."""

    kernel: Any
    held: int
    axes: Axes


def map_items(wanted: Any, arguments: Any) -> Any:
    """Call a kernel for each item of a tuple of arguments; only in compiled code."""
    message = "map_items is called from compiled code only"
    raise RuntimeError(message)


@written_for(map_items)
def _map_items(wanted: PlanType, arguments: Any) -> Callable[..., Any]:
    plan: Any = wanted.plan
    axes = _axes_of(plan.kernel, plan.held, plan.axes, arguments)
    return _loop(plan.kernel, plan.held, axes, arguments)


def _axes_of(kernel: Any, held: int, axes: Axes, arguments: Any) -> list[int | None]:
    """Return the axis of each argument, None for what all items share: so is a number at the place of a default."""
    kinds = list(arguments)[held:]
    required = len(kinds) - len(kernel.py_func.__defaults__ or ())  # Numba tells nobody which defaults were taken
    own: list[int | None] = list(axes) if isinstance(axes, tuple) else [axes] * len(kinds)
    if required <= len(own) < len(kinds):
        own += [None] * (len(kinds) - len(own))
    if len(own) != len(kinds):
        message = f"in_axes has {len(own)} entries, the call {len(kinds)} arguments"
        raise AnnotationError(message, where=where_is(kernel), remedy="give one for each argument")
    for number in range(max(required, 0), len(kinds)):
        if not _holds_array(kinds[number]):
            own[number] = None
    return [None] * held + own


def _holds_array(kind: Any) -> bool:
    return isinstance(kind, types.Array) or (isinstance(kind, types.BaseTuple) and any(map(_holds_array, kind)))


def _loop(kernel: Any, held: int, axes: list[int | None], arguments: Any) -> Callable[..., Any]:
    scope: dict[str, Any] = {"kernel": kernel, "np": np, "room_for": _room_for, "put": _put}
    items, sizes = [], []
    for number, (kind, axis) in enumerate(zip(arguments, axes, strict=True)):
        if axis is None:
            items.append(f"arguments[{number}]")
            continue
        leaves = {}
        for path in paths(kind):
            value = f"arguments[{number}]{at(path)}"
            place = _axis_in(kernel, number, held, kind_at(kind, path), axis)
            leaves[path] = f"{value}[{':, ' * place}i]"
            sizes.append(f"{value}.shape[{place}]")
        items.append(regrouped(kind, leaves.__getitem__, scope))
    call = f"kernel({', '.join(items)})"
    lines = [
        "def loop(wanted, arguments):",
        f"count = {sizes[0]}",
        f"if {' or '.join(f'count != {size}' for size in sizes)}:",
        '    raise ValueError("the arguments of a mapped function have different numbers of items")',
        "if count == 0:",
        '    raise ValueError("a mapped function has no items: what it returns of none is not known")',
        "i = 0",
        f"first = {call}",
        "made = room_for(first, count)",
        "put(made, 0, first)",
        "for i in range(1, count):",
        f"    put(made, i, {call})",
        "return made",
    ]
    return defined("\n    ".join(lines), "loop", scope)


def _axis_in(kernel: Any, number: int, held: int, kind: Any, axis: int) -> int:
    """Return an axis of an array type, counted from the front."""
    rank = kind.ndim if isinstance(kind, types.Array) else 0
    if -rank <= axis < rank:
        return axis % rank
    names = argument_names(kernel)
    label = names[number] if number < len(names) else str(number - held)
    what = f"an array of {rank} dimensions" if rank else f"of type {kind}"
    message = f"argument `{label}` of a mapped function is {what}: it has no axis {axis}"
    raise AnnotationError(
        message,
        where=where_is(kernel, label),
        remedy="name another axis in in_axes, or None for what all items share",
    )


def _room_for(first: Any, count: Any) -> Any:
    raise RuntimeError


@overload(_room_for, strict=False)  # annotations would count as a difference
def _room_for_kind(first: Any, count: Any) -> Callable[..., Any]:
    if isinstance(first, types.BaseTuple):
        return each(first, "first, count", "room_for(first[{i}], count)", {"room_for": _room_for})
    if isinstance(first, types.NoneType):
        return lambda first, count: None  # noqa: ARG005
    if isinstance(first, types.Array):
        dtype = first.dtype
        return lambda first, count: np.empty((count, *first.shape), dtype)
    number = types.unliteral(first)
    if not isinstance(number, types.Number | types.Boolean):
        message = f"a mapped function returns {number}, which cannot be stacked"
        raise AnnotationError(message, remedy="return numbers, arrays, or tuples of these")
    return lambda first, count: np.empty(count, number)  # noqa: ARG005


def _put(made: Any, place: Any, value: Any) -> Any:
    raise RuntimeError


@overload(_put, strict=False)
def _put_kind(made: Any, place: Any, value: Any) -> Callable[..., Any]:
    if isinstance(made, types.BaseTuple):
        calls = [f"put(made[{i}], place, value[{i}])" for i in range(len(made))]
        text = "\n    ".join(["def put_all(made, place, value):", *calls, "return"])
        return defined(text, "put_all", {"put": _put})
    if isinstance(made, types.NoneType):
        return lambda made, place, value: None  # noqa: ARG005
    return _put_array if isinstance(value, types.Array) else _put_number


def _put_array(made, place, value):  # type: ignore[no-untyped-def]  # compiled by Numba
    own = made[place]
    if own.shape != value.shape:
        raise ValueError("the results of a mapped function have different shapes")
    copy_elements(own, value)


def _put_number(made, place, value):  # type: ignore[no-untyped-def]
    made[place] = value
