"""Rows of Jacobians: one run of reverse mode for each number of the output, or for a few.

Each part of an output is written to an argument that the kernel is given for it, so that the units
which the reverse sweep starts from are that argument's shadows. `row_lines` writes the loop over a
part's numbers; what that calls is compiled once for all kernels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
from numba.core import types
from numba.extending import overload, register_jitable

from enzyme_py.foundations.keeping import kept_with_kernel, released
from enzyme_py.request import Activity
from enzyme_py.transforms.derivatives.annotated import Annotated
from enzyme_py.transforms.jacobians import counting
from enzyme_py.transforms.jacobians.columns import Leaves, is_inexact
from enzyme_py.transforms.jacobians.loops import Loop
from enzyme_py.transforms.plans.elements import copy_elements
from enzyme_py.transforms.plans.plans import transform
from enzyme_py.transforms.plans.structures import Path, at, defined, of_lanes
from enzyme_py.transforms.values.copies import copy_of


def row_lines(
    leaves: Leaves, path: Path, number: int, kind: Any, holomorphic: bool, scope: dict[str, Any]
) -> list[str]:
    """Return the lines that set `of_NUMBER_by_PLACE` for a part of the output, by selected leaves.

    The part is of type `kind` and lies at `path` in the variable `out`.
    """
    names = [f"of_{number}_by_{place}" for place in leaves.selected]
    dtype = kind.dtype if isinstance(kind, types.Array) else kind
    if not is_inexact(dtype):
        return [f"{name} = None" for name in names]
    scope |= _SCOPE
    part = _Part(leaves, path, isinstance(kind, types.Array), scope)
    if not isinstance(dtype, types.Complex):
        return part.lines(f"of_{number}", "")
    if holomorphic:  # the gradient of the real part is the conjugate of the derivative
        lines = part.lines(f"real_{number}", ".real")
        return lines + [f"{name} = np.conj({name.replace('of', 'real', 1)})" for name in names]
    lines = part.lines(f"real_{number}", ".real") + part.lines(f"imaginary_{number}", ".imag")
    for place in leaves.selected:
        real, other = f"real_{number}_by_{place}", f"imaginary_{number}_by_{place}"
        lines.append(f"of_{number}_by_{place} = {real} + 1j * {other}")
    return lines


@dataclass(frozen=True)
class _Part:
    """One part of an output, and what the lines of its rows refer to."""

    leaves: Leaves
    path: Path
    is_array: bool
    scope: dict[str, Any]

    def lines(self, name: str, component: str) -> list[str]:
        """Return the lines that set `NAME_by_PLACE` for the part, or a component of it."""
        width = self.leaves.chunk if self.is_array else 1
        activities, given, keeps = [Activity.DUPLICATED], [], []
        for place, kind in enumerate(self.leaves.kinds):
            room = f"room_{name}_{place}"
            if place not in self.leaves.selected:
                activities.append(Activity.CONST)
                is_held = place < self.leaves.held
                given.append(f"leaf_{place}" if is_held else f"copy_of(leaf_{place})")
            elif isinstance(kind, types.Array):
                activities.append(Activity.DUPLICATED)
                given += [f"own(leaf_{place})", *of_lanes(width, f"row({room}, first + {{lane}})")]
            else:
                activities.append(Activity.ACTIVE)
                given.append(f"leaf_{place}")
                found = f"found_{name}[{place + 1}]"
                keeps += of_lanes(width, f"{room}[first + {{lane}}] = {found}[{{lane}}]")
        into = result_into(self.leaves.kernel, self.path, component, self.is_array)
        self.scope[f"plan_{name}"] = Annotated(
            into, self.leaves.mode, tuple(activities), width, is_batch=True
        )
        out = f"out{at(self.path)}"
        size = f"{out}.size" if self.is_array else "1"
        seeds = of_lanes(width, f"seed(to_{name}, first + {{lane}})")
        arguments = [f"plan_{name}", f"to_{name}", *seeds, *given]
        selected = self.leaves.selected
        rooms = [f"room_{name}_{i}" for i in selected]
        loop = Loop(
            first="0",
            end="blocks",
            body=[
                f"first = block * {width}",
                f"to_{name} = buffer({out}{component})",
                f"found_{name} = run({', '.join(arguments)})[0]",
                *keeps,
            ],
            given=["out", *rooms, *(f"leaf_{i}" for i in range(len(self.leaves.kinds)))],
            kind=counting.ROWS,
            done=f"first + {width}",
            total=size,
        )
        return [
            f"blocks = ({size} + {width - 1}) // {width}",
            *(f"room_{name}_{i} = room(leaf_{i}, blocks * {width})" for i in selected),
            *loop.lines(f"rows_{name}", self.leaves.on_threads, self.scope),
            *(f"{name}_by_{i} = finished(room_{name}_{i}, {out}, leaf_{i})" for i in selected),
        ]


@kept_with_kernel
def result_into(kernel: Any, path: Path, component: str, is_array: bool) -> Any:
    """Return the kernel that writes a part of the output to its first argument."""
    target = "..." if is_array else "0"
    text = f"""
        def into(to, *arguments):
            to[{target}] = kernel(*arguments){at(path)}{component}
        """
    into = defined(text, "into", {"kernel": kernel})
    into.__name__ = into.__qualname__ = kernel.py_func.__name__
    made = released(numba.njit(into))
    made.hands_on_to = kernel  # for messages
    return made


# -- what a run is given ---------------------------------------------------------------------------


@register_jitable
def _own(value):  # type: ignore[no-untyped-def]
    # Always in C order, as the rows are that serve as its shadows.
    own = np.empty(value.shape, value.dtype)
    copy_elements(own, value)
    return own


def buffer(out: Any) -> Any:
    """Return zeros that hold an output, for compiled code; a number has an array of one."""
    raise RuntimeError


@overload(buffer, strict=False)
def _buffer_for(out: Any) -> Callable[..., Any]:
    return _buffer_for_array if isinstance(out, types.Array) else _buffer_for_number


def _buffer_for_array(out):  # type: ignore[no-untyped-def]
    return np.zeros(out.shape, out.dtype)


def _buffer_for_number(out):  # type: ignore[no-untyped-def]
    return np.zeros(1, type(out))


@register_jitable
def _seed(to, place):  # type: ignore[no-untyped-def]
    seed = np.zeros(to.shape, to.dtype)
    if place < seed.size:  # the last run may have lanes to spare
        seed.flat[place] = 1.0
    return seed


def _row(room: Any, place: Any) -> Any:
    raise RuntimeError


@overload(_row, strict=False)
def _row_of(room: Any, place: Any) -> Callable[..., Any]:
    return _number_at if room.ndim == 1 else _array_at


def _array_at(room, place):  # type: ignore[no-untyped-def]  # compiled by Numba
    return room[place]


def _number_at(room, place):  # type: ignore[no-untyped-def]
    return room[place : place + 1].reshape(())


# -- the rows, while they come ---------------------------------------------------------------------


def _room(value: Any, count: Any) -> Any:
    raise RuntimeError


@overload(_room, strict=False)
def _room_for(value: Any, count: Any) -> Callable[..., Any]:
    return _room_for_array if isinstance(value, types.Array) else _room_for_number


def _room_for_array(value, count):  # type: ignore[no-untyped-def]
    return np.zeros((count, *value.shape), value.dtype)


def _room_for_number(value, count):  # type: ignore[no-untyped-def]
    return np.zeros(count, type(value))


def _finished(room: Any, out: Any, value: Any) -> Any:
    raise RuntimeError


@overload(_finished, strict=False)
def _finished_room(room: Any, out: Any, value: Any) -> Callable[..., Any]:
    if isinstance(out, types.Array):
        return _of_array_by_array if isinstance(value, types.Array) else _of_array_by_number
    return _of_number_by_array if isinstance(value, types.Array) else _of_number_by_number


def _of_array_by_array(room, out, value):  # type: ignore[no-untyped-def]
    return room[: out.size].reshape((*out.shape, *value.shape))


def _of_array_by_number(room, out, value):  # type: ignore[no-untyped-def]
    return room[: out.size].reshape(out.shape)


def _of_number_by_array(room, out, value):  # type: ignore[no-untyped-def]
    return room.reshape(value.shape)


def _of_number_by_number(room, out, value):  # type: ignore[no-untyped-def]
    return room[0]


_SCOPE = {
    "np": np,
    "run": transform,
    "copy_of": copy_of,
    "own": _own,
    "row": _row,
    "room": _room,
    "buffer": buffer,
    "seed": _seed,
    "finished": _finished,
}
