"""What users and extensions have taught Numba, beside Numba and this package.

An @overload, a lowering, a type or a way to box values may decide what becomes of any kernel that names it, and a method or an
attribute of a type is reached by no name at all. So all of it counts for all kernels: that may miss an entry which would
have served, and never finds one that does not.

Numba keeps these in lists that only grow. Those of Numba's own are told by the module of what was registered; they
come in when the first function is compiled, and must make no difference.
"""

from __future__ import annotations

import functools
import os
import sys
import threading
from collections.abc import Iterator, Mapping
from typing import Any

from numba.core import imputils, pythonapi, types
from numba.core.datamodel import registry as models
from numba.core.typing import templates
from numba.core.typing.typeof import typeof_impl

from enzyme_py.foundations.content.function_content import content_of
from enzyme_py.foundations.content.names import NotHashable

# Numba names some classes after the module that makes classes.
_KNOWN = frozenset(("numba", "enzyme_py", "llvmlite", "abc", "builtins"))


def taught() -> tuple[Any, ...]:
    """Return what counts for a name: functions by content, what has none by the file of its module."""
    return _watch.news()


class _Watch:
    """Looks only at what came in since it looked last."""

    def __init__(self) -> None:
        self._seen: dict[int, int] = {}
        self._told: dict[int, list[Any]] = {}  # by list, so that it does not count when they were looked at
        self._lock = threading.Lock()

    def news(self) -> tuple[Any, ...]:
        with self._lock:
            for number, registered in enumerate(_registered()):
                known = self._seen.get(number, 0)
                if len(registered) == known:
                    continue
                values = registered.values() if isinstance(registered, Mapping) else registered
                made = [one for entry in list(values)[known:] for one in _made_by(entry)]
                told = [_told(one, purpose) for one, purpose in made if _is_foreign(one)]
                self._told.setdefault(number, []).extend(told)
                self._seen[number] = len(registered)
            return tuple(one for number in sorted(self._told) for one in self._told[number])


_watch = _Watch()


def _registered() -> Iterator[Any]:
    """Yield Numba's lists and tables, always in this order."""
    typing = templates.builtin_registry
    yield from (typing.functions, typing.attributes, typing.globals)
    lowering = imputils.builtin_registry
    yield from (lowering.functions, lowering.getattrs, lowering.setattrs)
    yield from (lowering.casts, lowering.constants)
    yield from (pythonapi._boxers.functions, pythonapi._unboxers.functions)
    yield from (models.default_manager._handlers, typeof_impl.registry)


def _made_by(entry: Any) -> Iterator[tuple[Any, str]]:
    """Yield the functions and classes behind an entry of one of the lists, and what each is for."""
    if isinstance(entry, tuple):
        first, second = entry[:2]
        if len(entry) > 2:  # a lowering, and what it is for
            yield _behind_wrapper(first), f"{_name_of(second)} {entry[2]}"
        elif isinstance(second, types.Function):  # a value, and how calls of it are typed
            yield from ((_behind_template(one), _name_of(first)) for one in second.templates)
        else:
            yield type(second), _name_of(first)
    else:
        attribute = getattr(entry, "_attr", "")
        yield _behind_template(entry), f"{_name_of(getattr(entry, 'key', None))} {attribute}"


def _name_of(value: Any) -> str:
    """Return a name that does not change from process to process, as an address would."""
    name = getattr(value, "__qualname__", None) or type(value).__qualname__
    return value if isinstance(value, str) else f"{_module_of(value)}.{name}"


def _behind_wrapper(function: Any) -> Any:
    """Return the lowering of an attribute behind the function that Numba puts around it."""
    if getattr(function, "__module__", None) != imputils.__name__ or not function.__closure__:
        return function
    captured = dict(zip(function.__code__.co_freevars, function.__closure__, strict=True))
    return captured["real_impl"].cell_contents if "real_impl" in captured else function


def _behind_template(template: Any) -> Any:
    """Return the function that a template was made for, or the class that somebody wrote."""
    if isinstance(template, functools.partial):  # frontend/target/teaching.py
        return template.func
    for name in ("_overload_func", "_definition_func"):
        found = getattr(template, name, None)
        if found is not None:
            return getattr(found, "__func__", found)
    if getattr(template, "__module__", None) == templates.__name__ and template.__name__ == "Template":
        return template.__mro__[1]
    return template


def _is_foreign(made: Any) -> bool:
    return _module_of(made).partition(".")[0] not in _KNOWN


def _module_of(made: Any) -> str:
    return str(getattr(made, "__module__", None) or type(made).__module__)


def _told(made: Any, purpose: str) -> tuple[str, ...]:
    """Return what tells something that was taught from others: by what it does, else by the file it stands in."""
    module, name = _module_of(made), str(getattr(made, "__qualname__", type(made).__qualname__))
    try:
        return module, name, purpose, content_of(made)
    except NotHashable as why:
        return module, name, purpose, _stamp_of(module, why)


def _stamp_of(module: str, why: NotHashable) -> str:
    """Return the state of a module's file: an extension is what its files are."""
    file = getattr(sys.modules.get(module), "__file__", None)
    try:
        status = os.stat(file or "")
    except OSError:
        raise NotHashable(f"what {module} taught Numba: {why}") from why
    return f"{file} {status.st_size} {status.st_mtime_ns}"
