"""Columns of Jacobians: one run of forward mode for each number of an argument, or for a few.

`column_lines` writes the loop over an argument's numbers; what that calls is compiled once for all
kernels. The result has the structure of the kernel's output.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload, register_jitable

from enzyme_py.modes import Mode
from enzyme_py.request import Activity
from enzyme_py.transforms.derivatives.annotated import Annotated
from enzyme_py.transforms.jacobians import counting
from enzyme_py.transforms.jacobians.loops import Loop
from enzyme_py.transforms.plans.plans import transform
from enzyme_py.transforms.plans.structures import each, of_lanes
from enzyme_py.transforms.values.copies import copy_of
from enzyme_py.transforms.values.shadows import zeros_laid_out_as

DIFFERENT_SIZES = "the kernel returns arrays of different sizes at one point"


@dataclass(frozen=True)
class Leaves:
    """The kernel's arguments, all of them numbers or arrays: the variables leaf_0, leaf_1, ..."""

    kernel: Any
    kinds: tuple[Any, ...]
    selected: tuple[int, ...]  # by which is differentiated
    mode: Mode
    chunk: int
    on_threads: bool = False  # columns and rows are shared out
    held: int = 0  # that many of them, the first, are what a function holds; nobody writes to these


def column_lines(leaves: Leaves, place: int, scope: dict[str, Any]) -> list[str]:
    """Return the lines that set `by_PLACE` to the columns by one of the leaves."""
    scope |= _SCOPE
    count = len(leaves.kinds)
    is_array = isinstance(leaves.kinds[place], types.Array)
    width = leaves.chunk if is_array else 1
    chosen = (Activity.DUPLICATED if i == place else Activity.CONST for i in range(count))
    scope[f"plan_{place}"] = Annotated(
        leaves.kernel, leaves.mode, tuple(chosen), width, is_batch=True
    )
    given = [f"leaf_{i}" if i < leaves.held else f"copy_of(leaf_{i})" for i in range(count)]
    if not is_array:
        given[place] = f"leaf_{place}, one_like(leaf_{place})"
        return [f"by_{place} = differentiable(run(plan_{place}, {', '.join(given)})[0][0])"]
    given[place] = ", ".join([f"own_{place}", *of_lanes(width, f"unit(own_{place}, first + {{lane}})")])
    run = f"run(plan_{place}, {', '.join(given)})[0]"
    put = of_lanes(width, f"put(room_{place}, tangents_{place}[{{lane}}], first + {{lane}})")
    loop = Loop(
        first="1",
        end=f"(leaf_{place}.size + {width - 1}) // {width}",
        body=[
            f"first = block * {width}",
            f"own_{place} = copy_of(leaf_{place})",
            f"tangents_{place} = {run}",
            *put,
        ],
        given=[f"room_{place}", *(f"leaf_{i}" for i in range(count))],
        kind=counting.COLUMNS,
        done=f"first + {width}",
        total=f"leaf_{place}.size",
    )
    return [
        # The first run also tells the shape of the output. It is made even if there is no column.
        "first = 0",
        f"own_{place} = copy_of(leaf_{place})",
        f"tangents_{place} = {run}",
        f"out_{place} = tangents_{place}[0]",
        f"room_{place} = room(out_{place}, leaf_{place})",
        *put,
        *loop.lines(f"columns_{place}", leaves.on_threads, scope),
        f"by_{place} = shaped(room_{place}, out_{place}, leaf_{place})",
    ]


def _one_like(value: Any) -> Any:
    raise RuntimeError


@overload(_one_like, strict=False)
def _one_like_number(value: Any) -> Callable[..., Any]:
    one = value(1)  # not value * 0 + 1, which infinity has none of
    return lambda value: one  # noqa: ARG005  (Numba asks for the same names)


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


# -- units -----------------------------------------------------------------------------------------


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
        if column.size != room.shape[0]:
            raise ValueError(DIFFERENT_SIZES)
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


_SCOPE = {
    "run": transform,
    "copy_of": copy_of,
    "one_like": _one_like,
    "differentiable": _differentiable,
    "room": _room,
    "unit": _unit,
    "put": _put,
    "shaped": _shaped,
}
