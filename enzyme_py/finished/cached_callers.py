"""@njit(cache=True) code that takes derivatives: Numba keeps it, and this file looks after what it is bound to.

    @numba.njit(cache=True)
    def train(x):
        return x - 0.1 * enzyme.gradient(loss, x)[0]

Numba runs the hooks of a function that it has loaded (`reload_init`) before the code is linked. Ours bring back the derivatives
that the code calls by name. Numba itself looks at the file of `train` and at nothing else: not at `loss`, not at a global
of another module. So a hook of ours compares the content of `train`, which leads to all that it names, with what it was
when the code was kept. Where they differ, or a derivative is gone, Numba compiles anew.

Numba has no way to say that from a hook: numbas_cache.py gives it one.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

from enzyme_py.errors import CacheWarning, Where
from enzyme_py.finished.behind import Behind, NotKept, behind
from enzyme_py.finished.loading import Gone, brought
from enzyme_py.finished.numbas_cache import Stale, loaded_function
from enzyme_py.finished.surroundings import surroundings
from enzyme_py.foundations.content.compiled_content import is_as_compiled
from enzyme_py.foundations.content.function_content import visited
from enzyme_py.foundations.content.names import NotHashable
from enzyme_py.frontend.functions.content import content_of
from enzyme_py.native.function import NativeFunction
from enzyme_py.native.runtime import register

_held: dict[str, NativeFunction] = {}  # code that Numba has loaded is never unloaded


@dataclass(frozen=True)
class BringBack:
    """The hook that makes a derivative callable by its name."""

    derivative: Behind
    where: Where

    def __call__(self) -> None:
        register()
        try:
            _held[self.derivative.key] = brought(self.derivative, self.where)
        except Gone as why:
            raise Stale from why


@dataclass(frozen=True)
class Refused:
    """In the place of a hook, where no other process could have the derivative."""

    reason: str

    def __call__(self) -> None:
        raise Stale


@dataclass(frozen=True)
class Unchanged:
    """The hook that compares what a function does with what it did when its code was kept."""

    content: str

    def __call__(self) -> None:
        function = loaded_function.get()
        try:
            is_same = function is not None and _content(function) == self.content
        except NotHashable as why:
            raise Stale from why
        if not is_same:
            raise Stale


_HOOKS = BringBack, Refused, Unchanged


def bind(library: Any, native: NativeFunction, where: Where) -> None:
    """Let Numba know what the code of a library needs in another process."""
    try:
        library._reload_init.add(BringBack(behind(native), where))
    except NotKept as why:
        library._reload_init.add(Refused(str(why)))


def is_ours(hook: Any) -> bool:
    """Tell whether a hook is one of this file."""
    return isinstance(hook, _HOOKS)


def _content(function: Any) -> str:
    return content_of(surroundings(), function)


def prepared(function: Any, compiled: Any) -> Any:
    """Return what Numba has compiled of a function, with hooks that another process may trust; None if there are none."""
    try:
        content = _content(function)
        changed = [one for one in visited(function) if not is_as_compiled(one)]
        refused = [one.reason for one in compiled.reload_init if isinstance(one, Refused)]
        reason = f"what `{changed[0].__name__}` names has changed" if changed else "".join(refused[:1])
    except NotHashable as why:
        reason = str(why)
    if reason:
        message = f"`{function.__name__}` takes derivatives and is not kept in Numba's cache: {reason}"
        warnings.warn(message, CacheWarning, stacklevel=2)
        return None
    # Hooks of functions that it calls compare those; this function's content holds them.
    rest = [one for one in compiled.reload_init if not isinstance(one, Unchanged)]
    return compiled._replace(reload_init=[Unchanged(content), *dict.fromkeys(rest)])
