"""What is made of a function lives exactly as long as the function.

Derivatives, runners and helper kernels refer to the kernel that they were made of. In a table of
their own, weak keys or not, they would keep it, and it them, for ever. Here the table lies on the
function itself, so that all of it is one island, and goes when nobody outside holds any part.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
import threading
import types as pytypes
import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from numba.extending import is_jitted

from enzyme_py.foundations.content.reached import named_inside, places_of, values_of
from enzyme_py.foundations.quick.made import MOST_FORMS, Form, Made

_ATTRIBUTE = "_enzyme_py_made"
_numbers = itertools.count(1)
_P = ParamSpec("_P")
_R = TypeVar("_R")
_T = TypeVar("_T")


def made_of(owner: Any, name: str) -> dict[Any, Any]:
    """Return the table of this name, of a function or a dispatcher."""
    return _all_made_of(owner).tables.setdefault(name, {})


def _all_made_of(owner: Any) -> Made:
    made = owner.__dict__.get(_ATTRIBUTE)
    if not isinstance(made, Made) or not made.is_of(owner):
        known = made if isinstance(made, Made) and made.owner() is owner and type(owner) is pytypes.FunctionType else None
        # An inner function has its globals compiled in.
        handed = frozenset() if known is None else known.now_handed() - named_inside(owner.__code__)
        made = Made(owner, places_of(owner, handed), handed)
        if known is not None:
            made.changes, made.changed = known.changes + 1, known.first_change()
        owner.__dict__[_ATTRIBUTE] = made
    return made


def changes_of(function: Any) -> tuple[int, str]:
    """Return how often something that a plain function rests on has changed, and what it was last."""
    made = _all_made_of(function)
    return made.changes, made.changed


def handed_globals(function: Any) -> frozenset[str]:
    """Return the globals of a plain function that are numbers or arrays and are handed over at each call."""
    return _all_made_of(function).handed


def reached_by(function: Any) -> tuple[Any, ...]:
    """Return what a plain function rests on besides its arguments and what it captured: content/reached.py."""
    return values_of(_all_made_of(function).places)


def is_remembered(function: Any) -> bool:
    """Tell whether a function means the same at each call: it captures nothing that could change."""
    if type(function) is pytypes.FunctionType:
        is_bare = function.__closure__ is None and function.__defaults__ is None
        return is_bare and function.__kwdefaults__ is None
    return bool(is_jitted(function))


def remember(function: Any, key: Any, value: _T) -> _T:
    """Have `quick.library.remembered` find a value, if the function is one of those that mean the same at each call."""
    if is_remembered(function):
        _all_made_of(function).quick[key] = value
    return value


def remember_form(function: Any, form: Form) -> None:
    """Have `quick.library.run` find a form, if the function is one of those that mean the same at each call."""
    if is_remembered(function):
        forms = _all_made_of(function).forms
        forms.append(form)
        del forms[:-MOST_FORMS]


_locks: weakref.WeakKeyDictionary[Any, threading.Lock] = weakref.WeakKeyDictionary()
os.register_at_fork(after_in_child=_locks.clear)  # threads of the parent may have held some


def lock_of(owner: Any) -> threading.Lock:
    """Return the lock of those who make something of a function or a dispatcher that is made once."""
    return _locks.setdefault(owner, threading.Lock())


def _owner(value: Any) -> Any:
    """Return the dispatcher that a value is or has."""
    return value if hasattr(value, "py_func") else value.kernel


def kept_with_kernel(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Remember results, as functools.lru_cache does, with the kernel that the first argument is or has."""
    name = f"{function.__module__}.{function.__qualname__}"

    @functools.wraps(function)
    def remembered(*given: _P.args, **named: _P.kwargs) -> _R:
        key = (given, tuple(named.items())) if named else given
        table = made_of(_owner(given[0]), name)
        try:
            return table[key]  # type: ignore[no-any-return]
        except KeyError:
            return table.setdefault(key, function(*given, **named))  # type: ignore[no-any-return]

    return remembered


class _Overloads(OrderedDict[Any, Any]):
    """The compiled overloads of a dispatcher; notes under which names Numba knows them."""

    def __init__(self) -> None:
        super().__init__()
        self.entry_points: list[Any] = []

    def __setitem__(self, types: Any, compiled: Any) -> None:
        super().__setitem__(types, compiled)
        self.entry_points.append(compiled.entry_point)


def released(dispatcher: _T) -> _T:
    """Let a new dispatcher go when nobody holds it.

    Numba's own finalizer, which lives in a table of the process, holds the overloads, and these lead to
    the Python function, to what it captures, and so back to the dispatcher. This one holds less.
    """
    owner: Any = dispatcher
    owner.overloads = _Overloads()
    dying = weakref.finalize(owner, _forget, owner.targetctx, owner.overloads.entry_points)
    dying.atexit = False
    return dispatcher


def _forget(context: Any, entry_points: list[Any]) -> None:
    for entry_point in entry_points:
        with contextlib.suppress(KeyError):
            context.remove_user_function(entry_point)


class Carried:
    """What a Numba type carries of a kernel: a number of its own, and no hold on it.

    Numba keeps every type for ever. The kernel holds the value, and equal values are one.
    """

    def __init__(self, value: Any) -> None:
        table = made_of(_owner(value), "carried")
        kept, self.number = table.setdefault(value, (value, next(_numbers)))
        self._kept = weakref.ref(kept)

    @property
    def value(self) -> Any:
        """The value; whoever can ask holds its kernel."""
        value = self._kept()
        if value is None:
            raise ReferenceError("the kernel of this type is gone")
        return value


class Recent:
    """A table that forgets what was not asked for longest."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._found: OrderedDict[Any, Any] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Any) -> Any:
        """Return what is kept under a key, or None."""
        with self._lock:
            if key not in self._found:
                return None
            self._found.move_to_end(key)
            return self._found[key]

    def put(self, key: Any, value: Any) -> Any:
        """Keep a value, unless there is one already; return the one that is kept."""
        with self._lock:
            kept = self._found.setdefault(key, value)
            while len(self._found) > self._most:
                self._found.popitem(last=False)
            return kept
