"""How the arguments and results of a function lie in a work array, and the text that moves them there.

A work array (frontend/external/ruled.py) has one type; the values of a call have many. Each leaf of their
structure takes a stretch of the array:

    a real or complex number      one number
    an integer or a flag          two: its upper and its lower 32 bits, exact in float64
    an array of floats            its numbers in C order, with its shape among the sizes
    an array of integers          two numbers for each, with its shape among the sizes
    a function, a string, None    nothing: it is known from its type

Nothing here runs: a `Packing` writes lines of code for the functions that run (door.py).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numba
import numpy as np
from numba.core import types
from numba.extending import overload, register_jitable

from enzyme_py.errors import RuleError
from enzyme_py.frontend.functions.bound_types import BoundKernelType
from enzyme_py.transforms.plans.structures import Path, at, kind_at, paths, regrouped


@dataclass(frozen=True)
class Part:
    """One leaf: where it is in the structure, its type, and the number of its first size."""

    path: Path
    kind: Any
    first_size: int

    @property
    def is_array(self) -> bool:
        """Whether its length is known only when the code runs."""
        return isinstance(self.kind, types.Array)

    @property
    def dtype(self) -> Any:
        """The type of its numbers."""
        return self.kind.dtype if self.is_array else self.kind

    @property
    def is_float(self) -> bool:
        """Whether it can carry a derivative."""
        return isinstance(self.dtype, types.Float | types.Complex)

    @property
    def is_data(self) -> bool:
        """Whether it is more than its type."""
        return is_data(self.kind)

    @property
    def width(self) -> int:
        """How many places each of its numbers takes."""
        return 1 if self.is_float else 2 if self.is_data else 0

    @property
    def sizes(self) -> int:
        """How many sizes it has."""
        return self.kind.ndim if self.is_array else 0


def is_data(kind: Any) -> bool:
    """Tell whether values of a type have something at run time that must be handed over."""
    return isinstance(
        kind, types.Float | types.Complex | types.Integer | types.Boolean | types.Array
    )


def packed_type(kind: Any, what: str) -> Any:
    """Return the type in which the functions of a rule see a value, or raise `RuleError`.

    Arrays are copies, so they are contiguous and can be written.
    """
    kind = kind if isinstance(kind, types.StringLiteral) else types.unliteral(kind)
    if isinstance(kind, types.BaseNamedTuple):
        return types.BaseTuple.from_types(
            [packed_type(one, what) for one in kind], kind.instance_class
        )
    if isinstance(kind, types.BaseTuple):
        return types.Tuple([packed_type(one, what) for one in kind])
    if isinstance(kind, types.Array):
        if _is_number(kind.dtype) and kind.ndim > 0:
            return types.Array(kind.dtype, kind.ndim, "C")
    elif _is_number(kind) or has_value(kind):
        return kind
    message = f"{what} holds {kind}, which cannot go through a rule"
    remedy = "rules are for numbers, arrays with at least one dimension, and tuples of these"
    raise RuleError(message, remedy=remedy)


def _is_number(kind: Any) -> bool:
    is_known = kind in (types.float32, types.float64, types.complex64, types.complex128)
    return is_known or isinstance(kind, types.Integer | types.Boolean)


_STATIC = (types.Dispatcher, types.Omitted, types.NoneType, types.StringLiteral, types.Function)


def has_value(kind: Any) -> bool:
    """Tell whether a type alone says what its one value is."""
    return isinstance(kind, _STATIC) or (isinstance(kind, BoundKernelType) and not kind.kinds)


def static_value(kind: Any) -> Any:
    """Return the one value of such a type."""
    if isinstance(kind, BoundKernelType):
        return kind.kernel
    if isinstance(kind, types.Dispatcher):
        return getattr(kind.dispatcher, "origin", kind.dispatcher)
    if isinstance(kind, types.Omitted):
        return kind.value
    if isinstance(kind, types.StringLiteral):
        return kind.literal_value
    return kind.typing_key if isinstance(kind, types.Function) else None


@dataclass
class Packing:
    """The stretches of one structure in a work array, from a given number of sizes on."""

    kind: Any
    scope: dict[str, Any]  # of the text that is written
    is_complex: bool
    sizes_before: int = 0
    parts: list[Part] = field(default_factory=list)

    def __post_init__(self) -> None:
        number = self.sizes_before + 1
        for path in paths(self.kind):
            part = Part(path, kind_at(self.kind, path), number)
            self.parts.append(part)
            number += part.sizes
        self.sizes = number - 1 - self.sizes_before
        self.scope.update(_HELPERS)

    @property
    def has_arrays(self) -> bool:
        """Whether its length is known only when the code runs."""
        return any(part.is_array for part in self.parts)

    def shapes(self, name: str) -> list[str]:
        """Return the expressions of all sizes of a value of the structure."""
        return [
            f"{name}{at(part.path)}.shape[{i}]" for part in self.parts for i in range(part.sizes)
        ]

    def count(self, shapes: list[str]) -> str:
        """Return the expression of the length of all stretches, for sizes by these expressions."""
        counts, place = [], 0
        for part in self.parts:
            factors = [str(part.width), *shapes[place : place + part.sizes]]
            place += part.sizes
            counts.append(" * ".join(factors))
        return " + ".join(["0", *counts])

    def places(self, prefix: str, start: str, sizes_from: str) -> list[str]:
        """Return lines that set where each part begins, its shape, and where the next one would."""
        lines = [f"{prefix}0 = {start}"]
        for i, part in enumerate(self.parts):
            length = str(part.width)
            if part.is_array:
                for j in range(part.sizes):
                    size = f"size_in({sizes_from}, {part.first_size + j})"
                    lines.append(f"{prefix}{i}_{j} = {size}")
                names = [f"{prefix}{i}_{j}" for j in range(part.sizes)]
                lines.append(f"{prefix}{i}_n = {' * '.join(names)}")
                length = f"{part.width} * {prefix}{i}_n"
            lines.append(f"{prefix}{i + 1} = {prefix}{i} + {length}")
        return lines

    @property
    def end(self) -> int:
        """The number of the place behind the last part."""
        return len(self.parts)

    def writes(self, prefix: str, work: str, value: str) -> list[str]:
        """Return lines that write a value of the structure to its places."""
        lines = []
        for i, part in enumerate(self.parts):
            if part.is_data:
                kind = "array" if part.is_array else "number"
                name = f"write_{kind}" if part.is_float else f"write_integer_{kind}"
                name = name.replace("integer_number", "integer")
                lines.append(f"{name}({work}, {prefix}{i}, {value}{at(part.path)})")
        return lines

    def reads(self, prefix: str, work: str, name: str, *, tangents: bool = False) -> list[str]:
        """Return lines that make a value of the structure, called `name`, from its places.

        As tangents, what cannot have any is zeros of its own type.
        """
        lines, names = [], {}
        for i, part in enumerate(self.parts):
            names[part.path] = f"{name}_{i}"
            lines.append(f"{name}_{i} = {self._read(part, i, prefix, work, tangents=tangents)}")
        return [*lines, f"{name} = {regrouped(self.kind, names.__getitem__, self.scope)}"]

    def _read(self, part: Part, i: int, prefix: str, work: str, *, tangents: bool) -> str:
        place = f"{prefix}{i}"
        if not part.is_data:
            self.scope[f"static_{len(self.scope)}"] = static_value(part.kind)
            return list(self.scope)[-1]
        dtype = self._named(part.dtype)
        shape = f"({''.join(f'{place}_{j}, ' for j in range(part.sizes))})"
        if not part.is_float and tangents:
            return f"np.zeros({shape}, {dtype})" if part.is_array else f"{dtype}(0)"
        if not part.is_float:
            if part.is_array:
                return f"read_integers({work}, {place}, {place}_n, {dtype}).reshape({shape})"
            return f"{dtype}(read_integer({work}, {place}))"
        real = self.is_complex and not isinstance(part.dtype, types.Complex)
        if not part.is_array:
            return f"{dtype}({work}[{place}]{'.real' if real else ''})"
        reader = "read_reals" if real else "read_array"
        return f"{reader}({work}, {place}, {place}_n, {dtype}).reshape({shape})"

    def _named(self, dtype: Any) -> str:
        """Return a name for a type of numbers that the text can use."""
        name = f"type_{dtype}"
        self.scope[name] = (
            getattr(numba.types, str(dtype)) if str(dtype) != "bool" else types.boolean
        )
        return name


# All are inlined: what returns or takes a view of a work array must be.


@register_jitable(forceinline=True)
def _write_number(work, place, value):  # type: ignore[no-untyped-def]  # compiled by Numba
    work[place] = value


@register_jitable(forceinline=True)
def _write_integer(work, place, value):  # type: ignore[no-untyped-def]
    whole = np.int64(value)
    work[place] = whole >> 32
    work[place + 1] = whole & 0xFFFFFFFF


@register_jitable(forceinline=True)
def _read_integer(work, place):  # type: ignore[no-untyped-def]
    return np.int64(work[place].real) * 4294967296 + np.int64(work[place + 1].real)


@register_jitable(forceinline=True)
def _write_array(work, place, array):  # type: ignore[no-untyped-def]
    flat = np.ascontiguousarray(array).reshape(array.size)
    for i in range(array.size):
        work[place + i] = flat[i]


@register_jitable(forceinline=True)
def _write_integer_array(work, place, array):  # type: ignore[no-untyped-def]
    flat = np.ascontiguousarray(array).reshape(array.size)
    for i in range(array.size):
        _write_integer(work, place + 2 * i, flat[i])


@register_jitable(forceinline=True)
def _read_array(work, place, count, dtype):  # type: ignore[no-untyped-def]
    found = np.empty(count, dtype)
    for i in range(count):
        found[i] = work[place + i]
    return found


@register_jitable(forceinline=True)
def _read_reals(work, place, count, dtype):  # type: ignore[no-untyped-def]
    found = np.empty(count, dtype)
    for i in range(count):
        found[i] = work[place + i].real
    return found


@register_jitable(forceinline=True)
def _read_integers(work, place, count, dtype):  # type: ignore[no-untyped-def]
    found = np.empty(count, dtype)
    for i in range(count):
        found[i] = dtype(_read_integer(work, place + 2 * i))
    return found


_HELPERS = {
    "np": np,
    "write_number": _write_number,
    "write_integer": _write_integer,
    "read_integer": _read_integer,
    "write_array": _write_array,
    "write_integer_array": _write_integer_array,
    "read_array": _read_array,
    "read_reals": _read_reals,
    "read_integers": _read_integers,
}


def part_of(value: Any, place: Any) -> Any:
    """Return a part of a cotangent, None if there is none."""
    raise RuntimeError


@overload(part_of, prefer_literal=True, strict=False)
def _part_of(value, place):  # type: ignore[no-untyped-def]
    if isinstance(value, types.NoneType):
        return lambda value, place: None
    number = place.literal_value
    return lambda value, place: value[number]
