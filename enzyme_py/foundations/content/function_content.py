"""What a function does, as a digest: equal digests, equal code, in every process.

    content_of(f)               # also of several values: content_of(f, types, options)

A digest covers all that Numba freezes into the code of a function:

* bytecode and constants, names of variables and parameters, defaults, captured values;
* the values of the globals that the code names, and of attributes of modules (`np.linalg.solve`, `own_module.f`);
* all of this again for the functions that it reaches, jitted (with their options) or plain, in circles or not;
* the overloads of the user's that Numba knows for a function.

What Numba makes (dispatchers, intrinsics, types, overloads) is told by frontend/functions/content.py: import from
there.

It does not cover line numbers, comments, files, annotations, and globals that no code names.

Numbers count with their type and bits: 1, True and 1.0 are three values, 0.0 and -0.0 are two. Arrays count with
dtype, shape, strides and bytes. Functions and classes of libraries (Python's own, NumPy, SciPy, Numba, llvmlite, this
package) count by name and by the library's version, not by what they do.

Nothing goes in that differs between processes: no address, no hash(), no order of a set. What cannot be told apart
this way raises `NotHashable` with the reason; nothing is left out in silence. Other rooms tell of kinds of their own:
`parts_of.register(kind)` for a value, `circular` where it can lead back to itself, `attached` for what is tied to a
value from outside, as a rule is.

Methods and attributes that extensions give to types (`overload_method`) are reached by no name: whoever keeps code
under a digest must ask for loaded extensions as well.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import hashlib
import struct
import types as pytypes
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from enzyme_py.foundations.content.named_classes import is_found_by_name
from enzyme_py.foundations.content.names import NotHashable, outside_names
from enzyme_py.foundations.trees import structure_of
from enzyme_py.foundations.versions import OWN, in_library, is_library, version_of_module

_MISSING = "missing"

# What else belongs to a value, told by other rooms: each returns values, or nothing.
attached: list[Callable[[Any], Iterable[Any]]] = []
# Kinds through which a value may lead back to itself.
circular: list[type] = [pytypes.FunctionType, list, dict]


def content_of(*values: Any) -> str:
    """Return the digest of values, or raise `NotHashable`."""
    writer = _Writer({}, [])
    for value in values:
        writer.add(value)
    return writer.digest.hexdigest()


def visited(*values: Any) -> list[Any]:
    """Return the functions, jitted or plain, on which the digest of values rests."""
    writer = _Writer({}, [])
    for value in values:
        writer.add(value)
    return [one for one in writer.alive if callable(one)]


class _Writer:
    """Writes values into a digest, so that no two lists of values are written alike."""

    def __init__(self, seen: dict[int, int], alive: list[Any]) -> None:
        self.digest = hashlib.sha256()
        self._seen = seen  # places of functions and containers by address: circles end there
        self.alive = alive  # so that no address comes again

    def add(self, value: Any) -> None:
        if isinstance(value, tuple(circular)):
            place = self._seen.get(id(value))
            if place is not None:
                self._head("again", 1)
                self._plain(str(place).encode())
                return
            self._seen[id(value)] = len(self._seen)
            self.alive.append(value)
        if type(value) is bytes:
            self._head("bytes", 1)
            self._plain(value)
            return
        name, *parts = parts_of(value)
        extra = [part for teller in attached for part in teller(value)] if callable(value) else []
        self._head(name, len(parts) + len(extra))
        for part in (*parts, *extra):
            if isinstance(part, Unordered):
                self._unordered(part)
            else:
                self.add(part)

    def _unordered(self, values: Unordered) -> None:
        found = []
        for one in values:
            writer = _Writer(dict(self._seen), list(self.alive))
            writer.add(one)
            found.append(writer.digest.digest())
        self._head("unordered", len(found))
        for digest in sorted(found):
            self._plain(digest)

    def _head(self, name: str, count: int) -> None:
        self._plain(name.encode())
        self.digest.update(count.to_bytes(8, "little"))

    def _plain(self, data: bytes) -> None:
        self.digest.update(len(data).to_bytes(8, "little"))
        self.digest.update(data)


class Unordered(tuple[Any, ...]):
    """Values whose order says nothing."""

    __slots__ = ()


@functools.singledispatch
def parts_of(value: Any) -> tuple[Any, ...]:
    """Return the name of a kind and the values that a value consists of."""
    named = in_library(value)
    if named is not None:
        return named
    if dataclasses.is_dataclass(value) and type(value).__module__.partition(".")[0] == OWN:
        told = [(one.name, getattr(value, one.name)) for one in dataclasses.fields(value)]
        return ("record", type(value), *told)
    raise NotHashable(f"{shown(value)} of type {type(value).__module__}.{type(value).__qualname__}")


def _exact(value: Any, *kinds: type) -> None:
    """Refuse instances of a user's subclass, whose class would count as well."""
    if type(value) not in kinds and not is_library(type(value).__module__):
        raise NotHashable(f"{shown(value)} of the class {type(value).__qualname__}")


@parts_of.register(type(None))
@parts_of.register(type(Ellipsis))
@parts_of.register(type(NotImplemented))
def _(value: Any) -> tuple[Any, ...]:
    return ("constant", repr(value).encode())


@parts_of.register
def _(value: enum.Enum) -> tuple[Any, ...]:
    return ("enum member", type(value), value.name)


@parts_of.register
def _(value: str) -> tuple[Any, ...]:
    if isinstance(value, enum.Enum):
        return ("enum member", type(value), value.name)
    _exact(value, str)
    return (type(value).__name__, str(value).encode("utf-8", "surrogatepass"))


@parts_of.register
def _(value: int) -> tuple[Any, ...]:
    if isinstance(value, enum.Enum):
        return ("enum member", type(value), value.name)
    _exact(value, int, bool)
    return (type(value).__name__, int.__repr__(value).encode())


@parts_of.register
def _(value: float) -> tuple[Any, ...]:
    _exact(value, float)
    return ("float", struct.pack("<d", value))


@parts_of.register
def _(value: complex) -> tuple[Any, ...]:
    _exact(value, complex)
    return ("complex", struct.pack("<2d", value.real, value.imag))


@parts_of.register(tuple)
def _(value: Any) -> tuple[Any, ...]:
    if type(value) is tuple:
        return ("tuple", *value)
    if hasattr(value, "_fields"):
        return ("named tuple", type(value), *value)
    raise NotHashable(f"{shown(value)} of the class {type(value).__qualname__}")


@parts_of.register(list)
def _(value: Any) -> tuple[Any, ...]:
    _exact(value, list)
    return ("list", *value)


@parts_of.register(dict)
def _(value: Any) -> tuple[Any, ...]:
    _exact(value, dict)
    return ("dict", *value.items())


@parts_of.register(set)
@parts_of.register(frozenset)
def _(value: Any) -> tuple[Any, ...]:
    _exact(value, set, frozenset)
    return (type(value).__name__, Unordered(value))


@parts_of.register
def _(value: range) -> tuple[Any, ...]:
    return ("range", value.start, value.stop, value.step)


@parts_of.register
def _(value: slice) -> tuple[Any, ...]:
    return ("slice", value.start, value.stop, value.step)


@parts_of.register
def _(value: np.dtype) -> tuple[Any, ...]:
    if value.hasobject:
        raise NotHashable(f"{value!r} holds objects")
    return ("dtype", repr(value), value.itemsize, value.alignment, value.isalignedstruct)


@parts_of.register
def _(value: np.generic) -> tuple[Any, ...]:
    return ("scalar", value.dtype, value.tobytes())


@parts_of.register
def _(value: np.ndarray) -> tuple[Any, ...]:
    _exact(value, np.ndarray)
    flags = value.flags.writeable, value.flags.aligned
    return ("array", value.dtype, value.shape, value.strides, flags, value.tobytes())


@parts_of.register
def _(value: pytypes.CodeType) -> tuple[Any, ...]:
    counts = value.co_argcount, value.co_posonlyargcount, value.co_kwonlyargcount, value.co_flags
    names = value.co_names, value.co_varnames, value.co_freevars, value.co_cellvars
    jumps = value.co_exceptiontable
    return ("code", value.co_name, value.co_code, jumps, value.co_consts, *counts, *names)


@parts_of.register
def _(value: pytypes.FunctionType) -> tuple[Any, ...]:
    named = in_library(value)
    if named is not None:
        return named
    reached = _names_of(value)
    return ("function", value.__code__, value.__defaults__, value.__kwdefaults__, *reached)


@parts_of.register(functools.partial)
def _(value: Any) -> tuple[Any, ...]:
    return ("partial", value.func, value.args, value.keywords)


@parts_of.register
def _(value: type) -> tuple[Any, ...]:
    named = in_library(value)
    if named is not None:
        return named
    if issubclass(value, enum.Enum):
        members = [(name, member.value) for name, member in value.__members__.items()]
        return ("enum", value.__name__, value.__bases__, *members)
    structure = structure_of(value)
    if structure is not None:  # a dict, a list or a dataclass: its names decide what a kernel reads
        kind = structure.kind
        name = kind.__module__, kind.__qualname__
        return ("structure", name, structure.keys, _names_of_dataclass(kind), *_members(kind))
    if issubclass(value, tuple) and hasattr(value, "_fields"):
        return ("named tuple class", value.__module__, value.__qualname__, value._fields)
    if dataclasses.is_dataclass(value):  # kernels make the tuple that stands for it, and call its methods
        defaults = [(one.name, one.default) for one in dataclasses.fields(value) if one.default is not dataclasses.MISSING]
        names = _names_of_dataclass(value)
        return ("dataclass", value.__module__, value.__qualname__, names, *defaults, *_members(value))
    if issubclass(value, BaseException):
        if not is_found_by_name(value):
            raise NotHashable(f"the exception class {value.__qualname__}, which no name of its module leads to")
        return ("exception", value.__module__, value.__qualname__)
    raise NotHashable(f"the class {value.__module__}.{value.__qualname__}")


def _members(kind: type) -> list[tuple[str, Any]]:
    """Return the methods and properties of a dataclass, which kernels may call."""
    if not dataclasses.is_dataclass(kind):
        return []
    found: dict[str, Any] = {}
    for owner in reversed(kind.__mro__):
        for name, value in vars(owner).items():
            one = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
            if isinstance(one, pytypes.FunctionType) and not name.startswith("__"):
                found[name] = one
    return sorted(found.items())


def _names_of_dataclass(kind: type) -> tuple[str, ...]:
    return tuple(one.name for one in dataclasses.fields(kind)) if dataclasses.is_dataclass(kind) else ()


@parts_of.register
def _(value: pytypes.ModuleType) -> tuple[Any, ...]:
    if is_library(value.__name__):
        return ("module", value.__name__, version_of_module(value.__name__))
    raise NotHashable(f"the module {value.__name__}, used as a value")


def _names_of(function: pytypes.FunctionType) -> Iterator[Any]:
    """Return what the names of a function stand for: globals, captured values, attributes of modules."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=False))
    builtins = function.__globals__.get("__builtins__", {})
    builtins = getattr(builtins, "__dict__", builtins)
    for names in outside_names(function.__code__):
        if names[0] in cells:
            found = _cell_value(cells[names[0]])
        elif names[0] in function.__globals__:
            found = function.__globals__[names[0]]
        else:
            found = builtins.get(names[0], _MISSING)
        depth = 1
        while isinstance(found, pytypes.ModuleType) and depth < len(names):
            found = getattr(found, names[depth], _MISSING)
            depth += 1
        yield ".".join(names[:depth])
        yield found
    yield from cells.keys()


def _cell_value(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # assigned later than the function was made
        return _MISSING


def shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 80 else text[:77] + "..."
