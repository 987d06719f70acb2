"""Numba's registries are read again only where something is new in them.

Numba fills a context, of types or of a target, from its registries, which grow as modules are imported and users write
overloads. It looks through all of them whenever it compiles anything, and once more for each template that it inserts:
some five hundred times in a first gradient, of which a handful find something (measured: a fifth of the time of a small
one). Here a context notes how long the lists of each registry were when they were last read. As long as none has grown,
nothing is read; while templates are inserted, it is put off until they are all there.

What is new is read as ever: whoever registers an overload later finds it in the next compilation.
Ctrl-C waits meanwhile (interrupts.py).
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

from numba.core import imputils
from numba.core.registry import cpu_target
from numba.core.typing import templates

from enzyme_py.frontend.target.interrupts import uninterrupted

# Numba reads these last, so a context that has them has all.
_BUILTIN = (templates.builtin_registry, imputils.builtin_registry)
_NAMES = (*templates.RegistryLoader.registry_items, *imputils.RegistryLoader.registry_items)


class _Inserting(threading.local):
    """Whether this thread inserts what a registry holds; Numba's templates refresh all contexts meanwhile."""

    now = False


_inserting = _Inserting()


class _Read:
    """How much of a registry was read."""

    def __init__(self, registry: Any) -> None:
        names = dict.fromkeys(_NAMES)
        self._lists = [getattr(registry, name) for name in names if hasattr(registry, name)]
        self._lengths: list[int] = []

    def is_all(self) -> bool:
        """Tell whether nothing is new."""
        return [*map(len, self._lists)] == self._lengths

    def note(self) -> None:
        """Take all that is there now for read."""
        self._lengths = [*map(len, self._lists)]


class Reading:
    """What a context has read of its registries."""

    def __init__(self, install: Callable[[Any], None]) -> None:
        self._install = install
        self._read: dict[Any, _Read] = {}
        self._is_complete = False

    def install(self, registry: Any) -> None:
        """Read a registry, if anything in it is new."""
        read = self._read.get(registry)
        if read is None:
            read = self._read[registry] = _Read(registry)
        if read.is_all():
            return
        read.note()
        before, _inserting.now = _inserting.now, True
        try:
            self._install(registry)
        finally:
            _inserting.now = before

    def refresh(self, refresh: Callable[[], None], others: Callable[[], None]) -> None:
        """Read what is new; `others` are refreshed along with this context."""
        if not self._is_complete:
            with uninterrupted():
                refresh()
            self._is_complete = any(one in self._read for one in _BUILTIN)
        elif _inserting.now:
            return
        else:
            others()
        new = self._new()
        while new:  # a template that is inserted may register the code of its own
            with uninterrupted():
                for registry in new:
                    self.install(registry)
            new = self._new()

    def _new(self) -> list[Any]:
        return [one for one, read in self._read.items() if not read.is_all()]


def _nothing() -> None:
    """There are no others."""


class ReadsOnce:
    """A context that reads its registries once."""

    def __init__(self, *given: Any) -> None:
        self._reading = Reading(super().install_registry)  # type: ignore[misc]
        super().__init__(*given)

    def refresh(self) -> None:
        """See Numba's."""
        self._reading.refresh(super().refresh, _others(self))  # type: ignore[misc]

    def install_registry(self, registry: Any) -> None:
        """See Numba's."""
        self._reading.install(registry)


def _others(context: Any) -> Callable[[], None]:
    """Return how the context of types that belongs to a target's refreshes."""
    types = getattr(context, "typing_context", None)
    return _nothing if types is None else types.refresh


@functools.cache
def protect_numba() -> None:
    """The same for the contexts of `numba.njit`, which derivatives are compiled with too."""
    for context in (cpu_target.typing_context, cpu_target.target_context):
        reading = Reading(context.install_registry)
        context.refresh = functools.partial(reading.refresh, context.refresh, _others(context))
        context.install_registry = reading.install
