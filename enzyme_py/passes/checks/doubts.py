"""Which derivatives of this process carry a doubt, why, and what came of comparing them.

A doubt is told by the attempt that served (passes/journal.py), and goes with the code, also to the disk and back. So a
derivative that was found there is listed as one that was compiled here. `enzyme.inspect.doubts` shows the list.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import NamedTuple

NOT_COMPARED = "not compared"
_MOST = 10_000


class Doubtful(NamedTuple):
    """A derivative whose answer rests on something that is not proven for its code, and what came of a comparison."""

    kernel: str
    derivative: str
    types: str
    reasons: tuple[str, ...]
    outcome: str = NOT_COMPARED


_known: dict[str, Doubtful] = {}
_lock = threading.Lock()


def note(symbols: Iterable[str], one: Doubtful) -> None:
    """List a derivative under the first of its symbols, unless it is; of very many, the oldest are forgotten."""
    symbol = min(symbols, default="")
    with _lock:
        _known.setdefault(symbol, one)
        while len(_known) > _MOST:
            del _known[next(iter(_known))]


def settle(symbols: Iterable[str], outcome: str) -> None:
    """Say what came of comparing the derivatives of some symbols."""
    with _lock:
        for symbol in symbols:
            if symbol in _known:
                _known[symbol] = _known[symbol]._replace(outcome=outcome)


def doubts() -> list[Doubtful]:
    """Return the derivatives of this process that carry a doubt: why, and what came of comparing them.

    Nothing is compared unless `config(check="doubtful")` or `config(check=True)` asks for it.

    Examples:
        >>> def plain_cube(x):
        ...     return x**3
        >>> with enzyme.config(check="doubtful"):
        ...     _ = enzyme.grad(plain_cube)(2.0)
        >>> [one.outcome for one in enzyme.inspect.doubts() if one.kernel == "plain_cube"]
        []
    """
    with _lock:
        return list(_known.values())
