"""What is made of a function: tables that lie on the function itself (foundations/keeping.py).

Three things are read by csrc/calls.c: `places`, on which the function rests (content/reached.py), `quick`, from a key to a runner or a
kernel, and `forms`, the calls of autodiff that were made. Each forgets all where it grows beyond a bound: then calls find their way through Python again.
"""

from __future__ import annotations

import weakref
from typing import Any, NamedTuple

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

    def __init__(self, owner: Any, places: tuple[Any, ...]) -> None:
        self.owner = weakref.ref(owner)
        self.places = places  # owners, names and values, in turn: a notebook that reloads puts other code into a function, or binds a helper anew
        self.tables: dict[str, dict[Any, Any]] = {}
        self.quick: dict[Any, Any] = {}
        self.forms: list[Form] = []

    def is_of(self, owner: Any) -> bool:
        """Tell whether these are the tables of a function as it is now."""
        return self.owner() is owner and are_as_they_were(self.places)

    def __reduce__(self) -> tuple[Any, ...]:
        return (_nothing, ())


def are_as_they_were(places: tuple[Any, ...]) -> bool:
    """Tell whether names, each of its owner, stand for the values that they stood for."""
    one = iter(places)
    return all(value_at(owner, name) is value for owner, name, value in zip(one, one, one, strict=True))


def value_at(owner: Any, name: str) -> Any:
    """Return what a name stands for in a dict, or as an attribute."""
    if type(owner) is dict:
        return owner.get(name, NO_VALUE)
    try:
        return getattr(owner, name)
    except (AttributeError, ValueError):  # of a cell that is empty
        return NO_VALUE


def _nothing() -> None:
    """What comes out of a pickle in the place of tables."""
