"""One look for the finished code of a call: what was asked, what came of it, and why.

    search = Search.of(dispatcher, arguments)
    search.finished()        a function that Python calls, or None
    search.keep(overloads)   behind the long way: keep what it made for the next process

No look is made where something else is wanted than the derivative alone: while it is compared with differences, recorded
for a package, watched by a hunt, or where the cache is off.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from numba.core import types
from numba.core.dispatcher import OmittedArg

from enzyme_py.finished import entries
from enzyme_py.finished.keys import key_of
from enzyme_py.finished.loading import Gone, ready
from enzyme_py.foundations.content.names import NotHashable
from enzyme_py.foundations.places import where_is
from enzyme_py.foundations.watcher import watcher
from enzyme_py.native.function import NativeFunction
from enzyme_py.passes.checks.doubts import Doubtful, note
from enzyme_py.passes.checks.lost import tell_lost
from enzyme_py.settings import DOUBTFUL, settings

FOUND = "found"  # loaded as it was on the disk
KEPT = "kept"  # compiled, and kept for the next process


@dataclass(frozen=True)
class Look:
    """What came of a look: `found`, `kept`, or why neither."""

    kernel: str
    derivative: str
    types: str
    outcome: str
    key: str = ""
    seconds: float = 0.0


_looks: deque[Look] = deque(maxlen=10_000)


def looks() -> list[Look]:
    """Return what came of the looks of this process, in order; of very many, the last.

    Examples:
        >>> _ = enzyme.grad(lambda x: x**3)(2.0)
        >>> len(enzyme.inspect.finished()) > 0
        True
    """
    return list(_looks)


class Search:
    """A look for the code of a plan, for arguments of some types."""

    def __init__(self, dispatcher: Any, kinds: Sequence[Any]) -> None:
        self._dispatcher = dispatcher
        self._plan = dispatcher.plan
        self._kinds = tuple(kinds)
        self._key = ""
        self._seconds = 0.0
        self.returns_trees = False  # as tuples, the entry that was found
        self.behind: tuple[NativeFunction, ...] = ()  # the derivatives that it calls
        self._expected = ""  # what the modules of an entry are, if it is to be compared

    @classmethod
    def of(cls, dispatcher: Any, arguments: Sequence[Any]) -> Search:
        """Return the search for a call."""
        return cls(dispatcher, list(_types_of(dispatcher, arguments)))

    @property
    def kinds(self) -> tuple[Any, ...]:
        """The types, as overloads are known by them."""
        return self._kinds

    @property
    def codes(self) -> list[int]:
        """How Numba's C dispatcher knows the types."""
        return [kind._code for kind in self._kinds]

    def finished(self) -> Any:
        """Return a function that Python calls, if the disk has it."""
        if not _is_wanted() or self._plan is None:
            return None
        begun = time.perf_counter()
        try:
            self._key = key_of(self._plan, self._dispatcher.py_func, self._kinds)
            entry = entries.find(self._key)
            if entry is None:
                return None
            if settings.compare_keys:
                self._expected = entry.content
                return None
            where = where_is(self._plan.kernel)
            function, self.behind = ready(entry, self._dispatcher.py_func, where)
            self.returns_trees = entry.returns_trees
        except NotHashable as why:
            self._note(f"cannot be told by its source: {why}")
            return None
        except RecursionError:
            self._note("cannot be told by its source: what it names is nested too deeply")
            return None
        except Gone as why:
            self._note(str(why))
            return None
        self._seconds = time.perf_counter() - begun
        self._note(FOUND)
        for one in self.behind:
            tell_lost(one.lost, where, is_strict=settings.strict)
            if one.doubts:
                note(one.symbols.values(), Doubtful(self._name, *self._shown, one.doubts))
        return function

    def keep(self, overloads: Mapping[Any, Any]) -> None:
        """Keep what the long way made."""
        from enzyme_py.finished.behind import NotKept
        from enzyme_py.finished.keeping import entry_of  # of the long way
        from enzyme_py.native.stored.about import about

        compiled = overloads.get(self._kinds)
        if not self._key or compiled is None or not _is_wanted():
            return
        try:
            entry = entry_of(compiled, self._plan)
            if settings.compare_keys:
                entry = self._compared(entry)
            facts = about(where_is(self._plan.kernel), *self._shown)
            is_kept = entries.keep(self._key, entry, facts)
        except (NotKept, NotHashable) as why:
            self._note(str(why))
        else:
            self._note(KEPT if is_kept else "the cache cannot be written")

    def _compared(self, entry: entries.Entry) -> entries.Entry:
        from enzyme_py.finished.comparing import check_same, content_of_modules

        content = content_of_modules(entry.behind)
        check_same(self._expected, content, where_is(self._plan.kernel), self._key)
        return replace(entry, content=content)

    @property
    def _name(self) -> str:
        return str(self._plan.kernel.py_func.__name__)

    @property
    def _shown(self) -> tuple[str, str]:
        """The derivative and its types, for people."""
        return self._dispatcher.py_func.__name__, ", ".join(map(str, self._kinds))

    def _note(self, outcome: str) -> None:
        _looks.append(Look(self._name, *self._shown, outcome, self._key, self._seconds))


def _is_wanted() -> bool:
    is_plain = settings.check in (False, DOUBTFUL) and settings.record is None and watcher.get() is None
    return settings.cache and is_plain


def _types_of(dispatcher: Any, arguments: Sequence[Any]) -> Iterator[Any]:
    """Yield the types of arguments, as Numba's own dispatcher takes them."""
    for value in arguments:
        if isinstance(value, OmittedArg):
            yield types.Omitted(value.value)
        else:
            yield dispatcher.typeof_pyval(value)
