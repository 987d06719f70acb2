"""Exception classes by name: `except MyError` has to catch what code of another process raises.

Numba writes a class of `__main__` into code by value. Code that comes from the disk then raises another class of the same
name. So our code has `by_name(MyError)` in its place, which is a name in a pickle and the class when it is read.

A name stands for one class in a process: the first that was asked for. Numba keeps what it has read, so that a notebook
that defines its class anew would meet the old one; a second class of a name is written as Numba does, and what raises it
is not kept for other processes.
"""

from __future__ import annotations

import operator
import sys
import weakref
from typing import Any

_BY_VALUE = b"_make_skeleton_class"  # in pickles
_first: weakref.WeakValueDictionary[tuple[str, str], type] = weakref.WeakValueDictionary()
_asked: set[tuple[str, str]] = set()


def is_found_by_name(kind: type) -> bool:
    """Tell whether its module has a class under its name, and had no other there before."""
    name = kind.__module__, kind.__qualname__
    try:
        if named(*name) is not kind:
            return False
    except (AttributeError, KeyError):  # made in a function, or deleted
        return False
    if name not in _asked:
        _asked.add(name)
        _first[name] = kind
    return _first.get(name) is kind


def is_raised_by_value(code: bytes) -> bool:
    """Tell whether machine code makes a class of the main program anew, as Numba's own code does that raises it."""
    return _BY_VALUE in code and any(name.encode() in code for module, name in _asked if module == "__main__")


def named(module: str, name: str) -> Any:
    """Return what a module of this process has under a name."""
    return operator.attrgetter(name)(sys.modules[module])


def by_name(kind: Any) -> Any:
    """Return what to pickle in the place of a class: the class itself, or a name of `__main__`."""
    is_own = isinstance(kind, type) and kind.__module__ == "__main__" and is_found_by_name(kind)
    return _Name(kind.__module__, kind.__qualname__) if is_own else kind


class _Name:
    """Reads as the class of a name."""

    def __init__(self, *names: str) -> None:
        self._names = names

    def __reduce__(self) -> tuple[Any, ...]:
        return named, self._names
