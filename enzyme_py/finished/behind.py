"""What finished code calls: derivatives in the cache, and the code of the rules that these call (native/rule_code.py)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from enzyme_py.native.faults.watched import watched_at
from enzyme_py.native.function import NativeFunction
from enzyme_py.native.loading import rules


@dataclass(frozen=True)
class Behind:
    """A derivative that an entry calls: its name in the cache, and what is told if it dies (native/faults/watched.py)."""

    key: str
    name: str
    packed: bytes
    rules: tuple[tuple[str, str], ...] = ()  # those that it calls, in an order to load: symbols, names in the cache


class NotKept(Exception):
    """There can be no entry; says why."""


def behind(function: NativeFunction) -> Behind:
    """Return what another process needs to have a derivative again; raises `NotKept` if it cannot."""
    if not function.key:
        raise NotKept("an address of this process stands in its code")
    watched = watched_at(next(iter(function.addresses.values())))
    told = (watched.name, watched.packed) if watched else ("", b"")
    return Behind(function.key, *told, tuple(_rules(function.rules)))


def _rules(symbols: Iterable[str], done: set[str] | None = None) -> Iterator[tuple[str, str]]:
    """Yield the rules of these symbols and all that they call, what is called first."""
    done = set() if done is None else done
    for symbol in symbols:
        if symbol not in done:
            done.add(symbol)
            code = rules[symbol]
            if not code.key:
                raise NotKept("the code of a rule cannot be found by another process")
            yield from _rules(code.needs, done)
            yield symbol, code.key
