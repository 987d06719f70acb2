"""Columns of Jacobians: one run of forward mode for each number of an argument, or for a few.

The results are named by argument, each with the structure of the kernel's output.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numba.core import types
from numba.extending import overload, register_jitable

from enzyme_py.modes import Mode
from enzyme_py.njit.annotated import Annotated
from enzyme_py.njit.copies import copy_of
from enzyme_py.njit.plans import Plan, PlanType, transform
from enzyme_py.njit.shadows import zeros_laid_out_as
from enzyme_py.njit.structures import each, listed, written
from enzyme_py.request import Activity

_run: Any = transform


@dataclass(frozen=True)
class Columns(Plan):
    """The columns by some arguments, all of them numbers or arrays; compiled from `columns`."""

    kernel: Any
    selected: tuple[int, ...]
    count: int  # of all arguments
    mode: Mode
    chunk: int


def columns(wanted: Any, out: Any, arguments: Any) -> NoReturn:
    """Return the columns by each selected argument; only in compiled code."""
    message = "columns is called from compiled code only"
    raise RuntimeError(message)


@overload(columns, strict=False)  # annotations would count as a difference
def _columns(wanted: Any, out: Any, arguments: Any) -> Callable[..., Any] | None:
    if not isinstance(wanted, PlanType):
        return None
    plan: Any = wanted.plan
    scope: dict[str, Any] = {"columns_by": _columns_by}
    parts = []
    for number in plan.selected:
        is_array = isinstance(arguments[number], types.Array)
        lanes = tuple(range(plan.chunk if is_array else 1))
        scope[f"plan_{number}"] = _along_one(plan, number, len(lanes))
        scope[f"lanes_{number}"] = lanes
        before, after = f"arguments[:{number}]", f"arguments[{number + 1}:]"
        parts.append(
            f"columns_by(plan_{number}, lanes_{number}, out, "
            f"arguments[{number}], {before}, {after})"
        )
    return written("wanted, out, arguments", listed(parts), scope)


@functools.lru_cache(maxsize=4096)
def _along_one(plan: Columns, number: int, width: int) -> Annotated:
    activities = tuple(
        Activity.DUPLICATED if i == number else Activity.CONST for i in range(plan.count)
    )
    return Annotated(plan.kernel, plan.mode, activities, width, is_batch=True)


def _columns_by(plan: Any, lanes: Any, out: Any, value: Any, before: Any, after: Any) -> Any:
    raise RuntimeError


@overload(_columns_by, strict=False)
def _columns_by_one(
    plan: Any, lanes: Any, out: Any, value: Any, before: Any, after: Any
) -> Callable[..., Any]:
    return _by_array if isinstance(value, types.Array) else _by_number


def _by_number(plan, lanes, out, value, before, after):  # type: ignore[no-untyped-def]
    one = value * 0 + 1
    return _differentiable(_run(plan, *copy_of(before), value, one, *copy_of(after))[0][0])


def _differentiable(tangent: Any) -> Any:
    raise RuntimeError


@overload(_differentiable, strict=False)
def _differentiable_parts(tangent: Any) -> Callable[..., Any]:
    """Return a tangent with None in place of parts without derivative: theirs say nothing."""
    if isinstance(tangent, types.BaseTuple):
        return each(tangent, "tangent", "parts(tangent[{i}])", {"parts": _differentiable})
    number = tangent.dtype if isinstance(tangent, types.Array) else tangent
    return _as_it_is if is_inexact(number) else _none


def _as_it_is(tangent):  # type: ignore[no-untyped-def]
    return tangent


def _none(tangent):  # type: ignore[no-untyped-def]
    return None


def _by_array(plan, lanes, out, value, before, after):  # type: ignore[no-untyped-def]
    room = _room(out, value)
    for block in range((value.size + len(lanes) - 1) // len(lanes)):
        first = block * len(lanes)
        own = copy_of(value)
        units = _units(own, first, lanes)
        tangents = _run(plan, *copy_of(before), own, *units, *copy_of(after))[0]
        _put_all(room, tangents, first, lanes)
    return _shaped(room, out, value)


# -- units -----------------------------------------------------------------------------------------


def _units(value: Any, first: Any, lanes: Any) -> Any:
    raise RuntimeError


@overload(_units, strict=False)
def _units_of(value: Any, first: Any, lanes: Any) -> Callable[..., Any]:
    return _some_units if len(lanes) else _nothing


def _some_units(value, first, lanes):  # type: ignore[no-untyped-def]
    return (_unit(value, first + lanes[0]), *_units(value, first, lanes[1:]))


def _nothing(value, first, lanes):  # type: ignore[no-untyped-def]
    return ()


@register_jitable
def _unit(value, place):  # type: ignore[no-untyped-def]
    unit = zeros_laid_out_as(value)
    if place < unit.size:  # the last run may have lanes to spare
        unit.flat[place] = 1.0
    return unit


# -- the columns, while they come ------------------------------------------------------------------


def _room(out: Any, value: Any) -> Any:
    raise RuntimeError


@overload(_room, strict=False)
def _room_for(out: Any, value: Any) -> Callable[..., Any]:
    if isinstance(out, types.BaseTuple):
        return each(out, "out, value", "room(out[{i}], value)", {"room": _room})
    if isinstance(out, types.Array) and is_inexact(out.dtype):
        return _room_for_array
    return _room_for_number if is_inexact(out) else _room_for_nothing


def is_inexact(kind: Any) -> bool:
    """Tell whether numbers of this type have derivatives."""
    return isinstance(types.unliteral(kind), types.Float | types.Complex)


def _room_for_array(out, value):  # type: ignore[no-untyped-def]
    return np.zeros((out.size, value.size), out.dtype)


def _room_for_number(out, value):  # type: ignore[no-untyped-def]
    return np.zeros(value.size, type(out))


def _room_for_nothing(out, value):  # type: ignore[no-untyped-def]
    return None


def _put_all(room: Any, tangents: Any, first: Any, lanes: Any) -> Any:
    raise RuntimeError


@overload(_put_all, strict=False)
def _put_all_lanes(room: Any, tangents: Any, first: Any, lanes: Any) -> Callable[..., Any]:
    return _put_some if len(lanes) else _put_none


def _put_some(room, tangents, first, lanes):  # type: ignore[no-untyped-def]
    _put(room, tangents[0], first + lanes[0])
    _put_all(room, tangents[1:], first, lanes[1:])


def _put_none(room, tangents, first, lanes):  # type: ignore[no-untyped-def]
    return None


def _put(room: Any, tangent: Any, place: Any) -> Any:
    raise RuntimeError


@overload(_put, strict=False)
def _put_one(room: Any, tangent: Any, place: Any) -> Callable[..., Any]:
    if isinstance(room, types.BaseTuple):
        return _put_tuple if len(room) else _put_nothing
    if isinstance(room, types.Array):
        return _put_array if isinstance(tangent, types.Array) else _put_number
    return _put_nothing


def _put_tuple(room, tangent, place):  # type: ignore[no-untyped-def]
    _put(room[0], tangent[0], place)
    _put(room[1:], tangent[1:], place)


def _put_array(room, tangent, place):  # type: ignore[no-untyped-def]
    if place < room.shape[1]:
        column = tangent.ravel()
        for i in range(column.size):
            room[i, place] = column[i]


def _put_number(room, tangent, place):  # type: ignore[no-untyped-def]
    if place < room.size:
        room[place] = tangent


def _put_nothing(room, tangent, place):  # type: ignore[no-untyped-def]
    return None


def _shaped(room: Any, out: Any, value: Any) -> Any:
    raise RuntimeError


@overload(_shaped, strict=False)
def _shaped_room(room: Any, out: Any, value: Any) -> Callable[..., Any]:
    if isinstance(out, types.BaseTuple):
        return each(
            out, "room, out, value", "shaped(room[{i}], out[{i}], value)", {"shaped": _shaped}
        )
    if not isinstance(room, types.Array):
        return _shaped_nothing
    return _shaped_array if isinstance(out, types.Array) else _shaped_number


def _shaped_array(room, out, value):  # type: ignore[no-untyped-def]
    return room.reshape(out.shape + value.shape)


def _shaped_number(room, out, value):  # type: ignore[no-untyped-def]
    return room.reshape(value.shape)


def _shaped_nothing(room, out, value):  # type: ignore[no-untyped-def]
    return None
