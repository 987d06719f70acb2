"""Dicts, lists and dataclasses of arrays and numbers, at the boundary between Python and kernels.

A kernel takes numbers, arrays and tuples. Here a dict, a list or a dataclass becomes a named tuple of
a class that stands for its structure, and what comes back in such classes becomes what they stand
for. In the kernel such an argument is read as in Python: `p["weights"]` with the key written there,
`p.weights`, `p[0]`, `for layer in p` where all parts have one type. It cannot be changed: what holds
its parts, that is; the arrays can.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import itertools
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from enzyme_py.annotations import with_fields
from enzyme_py.errors import UnsupportedTypeError
from enzyme_py.foundations.arrays.foreign_arrays import is_plain, needs_taking, taken
from enzyme_py.foundations.content.reached import places_of_class
from enzyme_py.foundations.quick.made import are_as_they_were
from enzyme_py.foundations.versions import is_library

RETURNS_TREES = "__enzyme_returns_trees__"  # an attribute of functions whose dicts and lists become tuples


@dataclasses.dataclass(frozen=True)
class Structure:
    """What a class of named tuples stands for: how to build it from its parts."""

    kind: type
    keys: tuple[str, ...]
    state: int = 0  # of a dataclass: how often what its methods rest on was bound anew

    def rebuild(self, parts: Any) -> Any:
        """Return the dict, list or dataclass with these parts."""
        if issubclass(self.kind, dict):
            return dict(zip(self.keys, parts, strict=True))
        if issubclass(self.kind, list):
            return list(parts)
        named = dict(zip(self.keys, parts, strict=True))
        return with_fields(self.kind.__new__(self.kind), named) if dataclasses.is_dataclass(self.kind) else self.kind(**named)

    def __str__(self) -> str:
        if issubclass(self.kind, dict):
            return f"a dict with the keys {', '.join(map(repr, self.keys))}"
        if issubclass(self.kind, list):
            return f"a list of {len(self.keys)}"
        return f"a {self.kind.__name__}"


_numbers: dict[str, Iterator[int]] = {}


@functools.cache
def tuple_class(structure: Structure) -> Any:
    """Return the class of named tuples that stands for a structure; there is one for each, with a name of its own.

    Numba's C code tells classes apart by their names and their fields alone: a dict from one with the same keys in another order,
    a dataclass from one that a notebook defined before, it would not.
    """
    names: tuple[str, ...] = tuple(f"part_{i}" for i in range(len(structure.keys)))
    if not issubclass(structure.kind, (dict, list)):
        names = structure.keys
    told = repr((structure.kind.__module__, structure.kind.__qualname__, structure.keys))
    title = f"Tree{structure.kind.__name__.title()}_{hashlib.sha256(told.encode()).hexdigest()[:8]}"
    number = next(_numbers.setdefault(title, itertools.count()))
    title = f"{title}_{number}" if number else title
    make: Any = NamedTuple
    made = make(title, [(name, Any) for name in names])
    made.structure = structure
    return made


def structure_of(kind: Any) -> Structure | None:
    """Return what a class of named tuples stands for, if it is one of ours."""
    found = getattr(kind, "structure", None)
    return found if isinstance(found, Structure) else None


def structure_behind(kind: Any) -> Structure | None:
    """Return what a Numba type stands for, if it is that of such a class."""
    return structure_of(getattr(kind, "instance_class", None))


def written_part(holder: tuple[Any, ...], place: int) -> str:
    """Return how Python code asks for a part: `['weights']`, `.weights`, `[0]`."""
    structure = structure_of(type(holder))
    if structure is not None and issubclass(structure.kind, dict):
        return f"[{structure.keys[place]!r}]"
    is_list = structure is not None and issubclass(structure.kind, list)
    return f"[{place}]" if is_list or not hasattr(holder, "_fields") else f".{holder._fields[place]}"


def holds_tree(value: Any) -> bool:
    """Tell whether a value is or holds a dict, a list, a dataclass, or an array that must be taken over."""
    if isinstance(value, tuple):
        return any(map(holds_tree, value))
    return isinstance(value, (dict, list)) or _is_dataclass(value) or needs_taking(value)


def _is_dataclass(value: Any) -> bool:
    return dataclasses.is_dataclass(value) and not isinstance(value, type)


def as_tuples(value: Any) -> Any:
    """Return a value with named tuples in place of its dicts, lists and dataclasses, and arrays that a kernel takes."""
    if is_plain(value):
        return value
    check_read_as_usual(value)
    if isinstance(value, dict):
        return _from_parts(_structure_of_dict(value), value.values())
    if isinstance(value, list):
        return _from_parts(Structure(list, ("",) * len(value)), value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(as_tuples, value))
    if isinstance(value, tuple):
        return tuple(map(as_tuples, value))
    if _is_dataclass(value):
        structure = structure_of_dataclass(value)
        return _from_parts(structure, [getattr(value, key) for key in structure.keys])
    return taken(value)


_READING = {dict: ("__getitem__", "__iter__", "get", "items", "keys", "values"), list: ("__getitem__", "__iter__", "__len__")}


def check_read_as_usual(value: Any) -> None:
    """Refuse a dict or a list of a user's class that gives other items than it holds."""
    kind = type(value)
    base = dict if isinstance(value, dict) else list if isinstance(value, list) else None
    if base is None or kind is base or is_library(kind.__module__):
        return
    for name in _READING[base]:
        if getattr(kind, name) is not getattr(base, name):
            message = f"a {kind.__name__}, a {base.__name__} with a `{name}` of its own: a kernel would see the items that lie in it"
            remedy = "pass {key: p[key] for key in p}" if base is dict else "pass [x for x in p]"
            raise UnsupportedTypeError(message, remedy=remedy)


def structure_of_dataclass(value: Any) -> Structure:
    """Return the structure of a dataclass: its fields, as its `__init__` takes them."""
    kind, fields = type(value), dataclasses.fields(value)
    if not all(field.init for field in fields):
        message = f"the dataclass {kind.__name__} has fields that its __init__ does not take"
        raise UnsupportedTypeError(message, remedy="pass what it holds in a tuple or a dict")
    return Structure(kind, tuple(field.name for field in fields), _state_of(kind))


_states: weakref.WeakKeyDictionary[type, tuple[int, tuple[Any, ...]]] = weakref.WeakKeyDictionary()


def _state_of(kind: type) -> int:
    """Return a number that is another one behind each change of a method, or of a global that one names.

    Compiled code has the methods of its arguments in it: another number is another type.
    """
    number, places = _states.get(kind, (-1, ()))
    if number < 0 or not are_as_they_were(places):
        number += 1
        _states[kind] = number, places_of_class(kind)
    return number


def _structure_of_dict(value: dict[Any, Any]) -> Structure:
    if not all(isinstance(key, str) for key in value):
        odd = next(key for key in value if not isinstance(key, str))
        message = f"a dict with the key {odd!r} cannot go into a kernel"
        raise UnsupportedTypeError(message, remedy="use strings as keys, or pass a list or a tuple")
    return Structure(dict, tuple(value))


def _from_parts(structure: Structure, parts: Any) -> Any:
    return tuple_of_parts(structure, map(as_tuples, parts))


def tuple_of_parts(structure: Structure, parts: Iterable[Any]) -> Any:
    """Return the named tuple that stands for a structure with these parts."""
    return tuple_class(structure)(*parts)


def in_order_of(own: Any, given: Any) -> Any:
    """Return a direction with the keys of its dicts in the order of the value that it belongs to; other keys stay as they are."""
    if isinstance(own, dict) and isinstance(given, dict) and own.keys() == given.keys():
        return {key: in_order_of(value, given[key]) for key, value in own.items()}
    is_alike = type(own) is type(given) and isinstance(own, (tuple, list)) and len(own) == len(given)
    if not is_alike or not holds_tree(own):
        return given
    parts = [in_order_of(*pair) for pair in zip(own, given, strict=True)]
    return type(given)(*parts) if hasattr(given, "_fields") else type(given)(parts)


def as_trees(value: Any) -> Any:
    """Return a value with the dicts, lists and dataclasses that its named tuples stand for."""
    if not isinstance(value, tuple):
        return value
    parts = map(as_trees, value)
    if type(value) is tuple:
        return tuple(parts)
    structure = structure_of(type(value))
    if structure is not None:
        return structure.rebuild(parts)
    return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)


def over_results(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function with trees as results where it returns tuples."""

    def call(*args: Any) -> Any:
        return as_trees(function(*args))

    return call


def over_trees(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function with trees as arguments and results where it takes and returns tuples."""

    def call(*args: Any) -> Any:
        return as_trees(function(*map(as_tuples, args)))

    return call
