"""What is made of a function: tables that lie on the function itself (foundations/keeping.py).

Three things are read by csrc/calls.c: `places`, on which the function rests (content/reached.py), `quick`, from a key to a runner or a
kernel, and `forms`, the calls of autodiff that were made. Each forgets all where it grows beyond a bound: then calls find their way through Python again.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from enzyme_py.modes import Mode

MOST_FORMS = 16
NO_VALUE: Any = object()  # in the place of what a name will stand for
BARE = 255  # the mark of an argument without annotation


class Form(NamedTuple):
    """A form of call of autodiff, whose runner is known."""

    mode: Mode | None  # as written; the very object, which a call has to give again
    result: type | None  # the activity of the result, as written
    kinds: tuple[type, ...]  # of the arguments
    marks: bytes  # of each argument: the number of shadows, or BARE
    runner: Any
    doubt: Any  # doubt(given) raises if arguments overlap: asked where a look at their ends does not tell


class Made:
    """The tables of one owner. What copies attributes (functools.wraps, pickling) gets none of them."""

    changes = 0  # how often something that the owner rests on was other than before
    changed = ""  # the name of what was other last

    def __init__(self, owner: Any, places: tuple[Any, ...], handed: frozenset[str] = frozenset()) -> None:
        self.owner = weakref.ref(owner)
        self.handed = handed  # globals that changed, and are handed over at each call since
        self.places = places  # owners, names and values, in turn: a notebook that reloads puts other code into a function, or binds a helper anew
        self.tables: dict[str, dict[Any, Any]] = {}
        self.quick: dict[Any, Any] = {}
        self.forms: list[Form] = []

    def is_of(self, owner: Any) -> bool:
        """Tell whether these are the tables of a function as it is now."""
        if self.owner() is not owner or not are_as_they_were(self.places):
            return False
        scope = getattr(owner, "__globals__", {})
        return all(_is_number_or_array(scope.get(name)) for name in self.handed)

    def first_change(self) -> str:
        """Return the name of the first thing that is other than it was."""
        known = ""
        for owner, name, value in in_threes(self.places):
            known = name or known  # an array stands behind its name
            if not is_still(owner, name, value):
                return known
        return known

    def now_handed(self) -> frozenset[str]:
        """Return the numbers and arrays among the owner's globals that changed, now or before.

        Compiled in, each value would be another kernel. These are handed over from now on.
        """
        scope, found, name_of_array = getattr(self.owner(), "__globals__", {}), set(self.handed), None
        for owner, name, value in in_threes(self.places):
            if name is not None:
                name_of_array = name if owner is scope else None
            if name_of_array is not None and not is_still(owner, name, value):
                found.add(name_of_array)
        return frozenset(name for name in found if _is_number_or_array(scope.get(name)))

    def __reduce__(self) -> tuple[Any, ...]:
        return (_nothing, ())


def are_as_they_were(places: tuple[Any, ...]) -> bool:
    """Tell whether names, each of its owner, stand for the values that they stood for, and arrays hold the same numbers."""
    return all(is_still(*one) for one in in_threes(places))


def in_threes(places: Sequence[Any]) -> Iterator[tuple[Any, Any, Any]]:
    """Return owner, name and value of each place."""
    one = iter(places)
    return zip(one, one, one, strict=True)


def is_still(owner: Any, name: Any, value: Any) -> bool:
    """Tell whether one place has the value that it had."""
    if name is None:
        return bool(owner.tobytes("A") == value)
    return value_at(owner, name) is value


def value_at(owner: Any, name: str) -> Any:
    """Return what a name stands for in a dict, or as an attribute."""
    if type(owner) is dict:
        return owner.get(name, NO_VALUE)
    try:
        return getattr(owner, name)
    except (AttributeError, ValueError):  # of a cell that is empty
        return NO_VALUE


def _is_number_or_array(value: Any) -> bool:
    """Tell whether a global can be handed over at a call without another kernel for each value."""
    return isinstance(value, (float, complex, np.inexact)) or type(value) is np.ndarray


def _nothing() -> None:
    """What comes out of a pickle in the place of tables."""
