"""Rows of Jacobians: one run of reverse mode for each number of the output, or for a few.

Each part of an output is written to an argument that the kernel is given for it, so that the units
which the reverse sweep starts from are that argument's shadows. The results are named by part, each
a tuple with one entry for each selected argument.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

import numba
import numpy as np
from numba.core import types
from numba.extending import overload, register_jitable

from enzyme_py.modes import Mode
from enzyme_py.njit.annotated import Annotated
from enzyme_py.njit.columns import is_inexact
from enzyme_py.njit.copies import copy_of
from enzyme_py.njit.plans import Plan, PlanType, transform
from enzyme_py.njit.structures import Path, at, defined, kind_at, listed, paths, written
from enzyme_py.request import Activity


@dataclass(frozen=True)
class Rows(Plan):
    """The rows by some arguments, all of them numbers or arrays; compiled from `rows`."""

    kernel: Any
    selected: tuple[int, ...]
    count: int  # of all arguments
    mode: Mode
    chunk: int
    holomorphic: bool


def rows(wanted: Any, out: Any, arguments: Any) -> NoReturn:
    """Return the rows of each part of the output; only in compiled code."""
    message = "rows is called from compiled code only"
    raise RuntimeError(message)


@overload(rows, strict=False)  # annotations would count as a difference
def _rows(wanted: Any, out: Any, arguments: Any) -> Callable[..., Any] | None:
    if not isinstance(wanted, PlanType):
        return None
    plan: Any = wanted.plan
    scope: dict[str, Any] = {"rows_of": _rows_of, "joined": _joined, "conjugated": _conjugated}
    parts = []
    for i, path in enumerate(paths(out)):
        leaf = kind_at(out, path)
        number = leaf.dtype if isinstance(leaf, types.Array) else leaf
        if not is_inexact(number):
            parts.append(listed(["None"] * len(plan.selected)))
            continue
        is_complex = isinstance(number, types.Complex)
        found = []
        for j, component in enumerate((".real", ".imag") if is_complex else ("",)):
            scope[f"part_{i}_{j}"] = _Part(plan, path, component)
            found.append(f"rows_of(part_{i}_{j}, out{at(path)}, arguments)")
        if is_complex:
            parts.append(
                f"conjugated({found[0]})" if plan.holomorphic else f"joined({', '.join(found)})"
            )
        else:
            parts += found
    return written("wanted, out, arguments", listed(parts), scope)


@dataclass(frozen=True)
class _Part(Plan):
    """The rows of one part of the output: `component` of what lies at `path`."""

    rows: Rows
    path: Path
    component: str

    @property
    def kernel(self) -> Any:  # type: ignore[override]
        return self.rows.kernel


@functools.lru_cache(maxsize=4096)
def _into(kernel: Any, path: Path, component: str, is_array: bool) -> Any:
    """Return the kernel that writes a part of the output to its first argument."""
    target = "..." if is_array else "0"
    text = f"""
        def into(to, *arguments):
            to[{target}] = kernel(*arguments){at(path)}{component}
        """
    into = defined(text, "into", {"kernel": kernel})
    into.__name__ = into.__qualname__ = kernel.py_func.__name__
    return numba.njit(into)


def _rows_of(part: Any, out: Any, arguments: Any) -> Any:
    raise RuntimeError


@overload(_rows_of, strict=False)
def _rows_of_part(part: Any, out: Any, arguments: Any) -> Callable[..., Any]:
    wanted = part.plan.rows
    is_array = isinstance(out, types.Array)
    lanes = tuple(range(wanted.chunk if is_array else 1))
    kernel = _into(wanted.kernel, part.plan.path, part.plan.component, is_array)
    activities = [Activity.DUPLICATED]
    given: list[str] = []
    keeps: list[str] = []
    rooms: list[str] = []
    for number in range(wanted.count):
        is_selected = number in wanted.selected
        if not is_selected:
            activities.append(Activity.CONST)
            given.append(f"copy_of(arguments[{number}])")
            continue
        rooms.append(f"room_{number}")
        if isinstance(arguments[number], types.Array):
            activities.append(Activity.DUPLICATED)
            given += [f"own(arguments[{number}])", f"*at_rows(room_{number}, first, lanes)"]
        else:
            activities.append(Activity.ACTIVE)
            given.append(f"arguments[{number}]")
            keeps.append(f"keep(room_{number}, found[{number + 1}], first, lanes)")
    scope: dict[str, Any] = {
        "lanes": lanes,
        "plan": Annotated(kernel, wanted.mode, tuple(activities), len(lanes), is_batch=True),
        "run": transform,
        "copy_of": copy_of,
        "own": _own,
        "at_rows": _at_rows,
        "keep": _keep,
        "room": _room,
        "buffer": _buffer,
        "seeds": _seeds,
        "finished": _finished,
    }
    made = [f"{one} = room(arguments[{one[5:]}], blocks * {len(lanes)})" for one in rooms]
    results = [f"finished({one}, out, arguments[{one[5:]}])" for one in rooms]
    size = "out.size" if is_array else "1"
    start = f"to = buffer(out{part.plan.component})"
    run = f"found = run(plan, to, *seeds(to, first, lanes), {', '.join(given)})[0]"
    lines = [
        "def rows_of_part(part, out, arguments):",
        f"    blocks = ({size} + {len(lanes) - 1}) // {len(lanes)}",
        *(f"    {line}" for line in made),
        "    for block in range(blocks):",
        f"        first = block * {len(lanes)}",
        *(f"        {line}" for line in (start, run, *keeps)),
        f"    return {listed(results)}",
    ]
    return defined("\n".join(lines), "rows_of_part", scope)


# -- what a run is given ---------------------------------------------------------------------------


@register_jitable
def _own(value):  # type: ignore[no-untyped-def]
    # Always in C order, as the rows are that serve as its shadows.
    own = np.empty(value.shape, value.dtype)
    own[...] = value
    return own


def _buffer(out: Any) -> Any:
    raise RuntimeError


@overload(_buffer, strict=False)
def _buffer_for(out: Any) -> Callable[..., Any]:
    return _buffer_for_array if isinstance(out, types.Array) else _buffer_for_number


def _buffer_for_array(out):  # type: ignore[no-untyped-def]
    return np.zeros(out.shape, out.dtype)


def _buffer_for_number(out):  # type: ignore[no-untyped-def]
    return np.zeros(1, type(out))


def _seeds(to: Any, first: Any, lanes: Any) -> Any:
    raise RuntimeError


@overload(_seeds, strict=False)
def _seeds_of(to: Any, first: Any, lanes: Any) -> Callable[..., Any]:
    return _some_seeds if len(lanes) else _nothing


def _some_seeds(to, first, lanes):  # type: ignore[no-untyped-def]
    return (_seed(to, first + lanes[0]), *_seeds(to, first, lanes[1:]))


def _nothing(to, first, lanes):  # type: ignore[no-untyped-def]
    return ()


@register_jitable
def _seed(to, place):  # type: ignore[no-untyped-def]
    seed = np.zeros(to.shape, to.dtype)
    if place < seed.size:  # the last run may have lanes to spare
        seed.flat[place] = 1.0
    return seed


def _at_rows(room: Any, first: Any, lanes: Any) -> Any:
    raise RuntimeError


@overload(_at_rows, strict=False)
def _at_rows_of(room: Any, first: Any, lanes: Any) -> Callable[..., Any]:
    if not len(lanes):
        return _nothing_at_rows
    return _at_numbers if room.ndim == 1 else _at_arrays


def _at_arrays(room, first, lanes):  # type: ignore[no-untyped-def]
    return (room[first + lanes[0]], *_at_rows(room, first, lanes[1:]))


def _at_numbers(room, first, lanes):  # type: ignore[no-untyped-def]
    place = first + lanes[0]
    return (room[place : place + 1].reshape(()), *_at_rows(room, first, lanes[1:]))


def _nothing_at_rows(room, first, lanes):  # type: ignore[no-untyped-def]
    return ()


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


def _keep(room: Any, found: Any, first: Any, lanes: Any) -> Any:
    raise RuntimeError


@overload(_keep, strict=False)
def _keep_all(room: Any, found: Any, first: Any, lanes: Any) -> Callable[..., Any]:
    return _keep_some if len(lanes) else _keep_none


def _keep_some(room, found, first, lanes):  # type: ignore[no-untyped-def]
    room[first + lanes[0]] = found[0]
    _keep(room, found[1:], first, lanes[1:])


def _keep_none(room, found, first, lanes):  # type: ignore[no-untyped-def]
    return None


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


def _joined(real: Any, imaginary: Any) -> Any:
    raise RuntimeError


@overload(_joined, strict=False)
def _joined_parts(real: Any, imaginary: Any) -> Callable[..., Any]:
    parts = [f"real[{i}] + 1j * imaginary[{i}]" for i in range(len(real))]
    return written("real, imaginary", listed(parts), {})


def _conjugated(found: Any) -> Any:
    raise RuntimeError


@overload(_conjugated, strict=False)
def _conjugated_parts(found: Any) -> Callable[..., Any]:
    # The gradient of the real part is the conjugate of the derivative.
    parts = [f"np.conj(found[{i}])" for i in range(len(found))]
    return written("found", listed(parts), {"np": np})
