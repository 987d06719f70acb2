"""Numba's cache of @njit(cache=True) functions, with a way to say that what it has kept may not be used.

Numba runs hooks of what it loads, but a hook cannot refuse: an exception in it ends the user's call, and what the function
calls may have changed although its own file has not. Numba compares no more than that file.
So its two methods that load and keep an overload are wrapped, when this package is imported: where a hook raises `Stale`
Numba takes it that nothing was kept; and behind a compilation our hooks are completed (cached_callers.py).

Functions that take no derivative are not concerned: nothing of theirs is looked at. The methods are those of Numba 0.68,
`FunctionCache._load_overload` and `_save_overload`; tests/finished/test_cached_callers.py fails where they are others.
"""

from __future__ import annotations

import contextvars
import functools
from collections.abc import Callable
from typing import Any

from numba.core.caching import FunctionCache

loaded_function: contextvars.ContextVar[Any]  # whose code Numba is about to load
loaded_function = contextvars.ContextVar("loaded_function", default=None)


class Stale(Exception):
    """What Numba has kept may not be used."""


def _loading(usual: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(usual)
    def load(self: Any, signature: Any, target_context: Any) -> Any:
        token = loaded_function.set(self._py_func)
        try:
            return usual(self, signature, target_context)
        except Stale:
            return None
        finally:
            loaded_function.reset(token)

    return load


def _keeping(usual: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(usual)
    def keep(self: Any, signature: Any, compiled: Any) -> None:
        hooks = getattr(compiled, "reload_init", None) or ()
        if self._enabled and any(type(one).__module__.startswith("enzyme_py.") for one in hooks):
            from enzyme_py.finished.cached_callers import prepared

            compiled = prepared(self._py_func, compiled)
        if compiled is not None:
            usual(self, signature, compiled)

    return keep


def watch_cache() -> None:
    """Wrap the two methods, once."""
    if not hasattr(FunctionCache._load_overload, "__wrapped__"):
        FunctionCache._load_overload = _loading(FunctionCache._load_overload)
        FunctionCache._save_overload = _keeping(FunctionCache._save_overload)
