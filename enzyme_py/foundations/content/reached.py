"""What a plain function rests on besides its arguments, as it is now.

    places_of(f)        # ((owner, name, value), ...) in one flat tuple

Its code and defaults, the globals that its code names, attributes of the user's modules (`own_module.f`), and all of this
again for the plain functions that are reached so. A place is looked at again at each call (quick/made.py, and csrc/calls.c
does the same). An owner is a dict, or something with attributes; `NO_VALUE` stands for a name without a value. An array
whose numbers Numba freezes is an owner too: its value is their bytes, in its order.

A notebook whose cell is run again binds a helper anew, and the function that names it is the old one. Numba freezes what a
*jitted* function names, when it is compiled; users know that. Of a plain function Python itself says otherwise.

What the function itself captured is left to those who hand it over at each call (frontend/functions/bound.py). Functions of
libraries are what their version says.
"""

from __future__ import annotations

import functools
import inspect
import types as pytypes
import weakref
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np

from enzyme_py.foundations.content.names import NotHashable, outside_names
from enzyme_py.foundations.quick.made import in_threes, value_at
from enzyme_py.foundations.versions import is_library

_OWN = ("__code__", "__defaults__", "__kwdefaults__")


def places_of(function: Any, handed: frozenset[str] = frozenset()) -> tuple[Any, ...]:
    """Return owners, names and values, in turn, on which a plain function rests; nothing for anything else.

    `handed` are globals that are handed over at each call, unless a helper names them too.
    """
    found = _Found()
    if type(function) is pytypes.FunctionType:
        found.look_into(function, handed, is_captured=True)
    return tuple(found.places)


def values_of_globals(scope: dict[str, Any], names: Iterable[str]) -> tuple[Any, ...]:
    """Return what globals stand for now, each with a hash where that is possible."""
    found = _Found()
    for name in sorted(names):
        found.note(scope, name)
    return values_of(found.places)


def places_of_class(kind: type) -> tuple[Any, ...]:
    """Return the places of what kernels may call of a class: its methods and properties, but those that Python calls."""
    found = _Found()
    for name in sorted({name for owner in kind.__mro__ for name in vars(owner)}):
        if not name.startswith("__"):
            found.look_at_member(kind, name)
    return tuple(found.places)


def values_reached(
    code: pytypes.CodeType, scope: dict[str, Any], captured: Iterable[Any], bound: Sequence[str] = ()
) -> tuple[Any, ...]:
    """Return the values of the globals that code names, but for those bound, and what these and captured functions reach."""
    found = _Found()
    found.look_around(code, scope, bound)
    for value in captured:
        found.follow(value, is_captured=True)
    return values_of(found.places)


def values_of(places: Sequence[Any]) -> tuple[Any, ...]:
    """Return the values of places, each with a hash where that is possible."""
    return tuple(_hashed(name, value) for _, name, value in in_threes(places))


def _hashed(name: str | None, value: Any) -> Any:
    if type(value) is np.ndarray:  # a larger one has no hash: who shares a kernel under a key holds what is in it
        return Itself(value) if value.nbytes <= _MOST_HELD else value
    return tuple(value.items()) if name in _OWN and type(value) is dict else value


class Itself:
    """A value as a key: the very object, which is held, so that no other one comes to its address."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Itself) and other.value is self.value

    def __hash__(self) -> int:
        return id(self.value)


class _Found:
    """The places, in an order that the code decides."""

    def __init__(self) -> None:
        self.places: list[Any] = []
        self._seen: set[int] = set()

    def look_into(
        self, function: pytypes.FunctionType, handed: frozenset[str] = frozenset(), *, is_captured: bool
    ) -> None:
        if not handed:  # else it may reach itself, where nothing is handed over
            self._seen.add(id(function))
        for name in _OWN:
            self.note(function, name)
        self.look_around(function.__code__, function.__globals__, handed)
        for cell in function.__closure__ or ():
            value = value_at(cell, "cell_contents")
            if not is_captured or type(value) is pytypes.FunctionType:
                self.note(cell, "cell_contents")
            self.follow(value, is_captured=is_captured)

    def look_around(self, code: pytypes.CodeType, scope: dict[str, Any], bound: Collection[str] = ()) -> None:
        for name, *attributes in _names(code):
            if name in code.co_freevars or name in bound:
                continue
            value = self.note(scope, name)
            for attribute in attributes:
                if type(value) is not pytypes.ModuleType or is_library(value.__name__):
                    break
                value = self.note(vars(value), attribute)
            self.follow(value, is_captured=False)

    def look_at_member(self, kind: type, name: str) -> None:
        value = inspect.getattr_static(kind, name)
        if type(value) in (pytypes.FunctionType, property):  # as `getattr` has them, too
            self.note(kind, name)
        self.follow(getattr(value, "fget", getattr(value, "__func__", value)), is_captured=False)

    def follow(self, value: Any, *, is_captured: bool) -> None:
        """Look into a plain function of the user's."""
        if type(value) is functools.partial:
            for one in (value.func, *value.args, *value.keywords.values()):
                self.follow(one, is_captured=is_captured)
        elif type(value) is pytypes.FunctionType and id(value) not in self._seen and not is_library(value.__module__):
            self.look_into(value, is_captured=is_captured)

    def note(self, owner: Any, name: str) -> Any:
        value = value_at(owner, name)
        self.places += (owner, name, value)
        self._note_numbers(value)
        return value

    def _note_numbers(self, value: Any) -> None:
        if type(value) is tuple:
            for one in value:
                self._note_numbers(one)
        elif type(value) is np.ndarray and is_frozen(value):
            self.places += (value, None, _bytes_of(value))


def is_frozen(array: np.ndarray) -> bool:
    """Tell whether Numba takes over the numbers of an array in a global; of all others it reads the memory."""
    is_in_order = array.flags.c_contiguous or array.flags.f_contiguous
    return is_in_order and array.nbytes <= _MOST_FROZEN and not array.dtype.hasobject


_MOST_HELD = 2**14  # bytes
_MOST_FROZEN = 10**6  # bytes: numba.core.base.BaseContext.make_constant_array
_known: dict[int, tuple[weakref.ref[np.ndarray], bytes]] = {}


def _bytes_of(array: np.ndarray) -> bytes:
    """Return the numbers of an array; the same object for all who ask while they are the same."""
    key, now = id(array), array.tobytes("A")
    alive, known = _known.get(key, (None, b""))
    if alive is not None and alive() is array and known == now:
        return known
    _known[key] = weakref.ref(array, lambda _: _known.pop(key, None)), now
    return now


@functools.lru_cache(maxsize=4096)
def named_inside(code: pytypes.CodeType) -> frozenset[str]:
    """Return the outside names of the functions that are made in some code."""
    inner = [one for one in code.co_consts if isinstance(one, pytypes.CodeType)]
    return frozenset(names[0] for one in inner for names in _names(one))


def _names(code: pytypes.CodeType) -> Sequence[Sequence[str]]:
    """Return the outside names of some code, each with the attributes that are asked of it."""
    try:
        return outside_names(code)
    except NotHashable:  # it imports something, which Numba refuses
        return ()
