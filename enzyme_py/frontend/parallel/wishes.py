"""Which functions ask for threads: those with `parallel=True` whose code names `prange`."""

from __future__ import annotations

import types as pytypes
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numba
from numba.core.cpu_options import ParallelOptions

from enzyme_py.errors import EnzymeError
from enzyme_py.settings import settings

# Of Numba's kinds of parallel loops the one that users write. Array expressions keep their own lowering.
_KINDS = "comprehension reduction inplace_binop setitem numpy stencil fusion prange".split()
# No dictionary: Numba empties that as it reads it.
ONLY_PRANGE = ParallelOptions({kind: kind == "prange" for kind in _KINDS})


class StaysSerialError(EnzymeError):
    """Why a kernel is lowered with serial loops. Never seen by users: `enzyme.inspect.loops` tells the reason."""


def asks_for_threads(function: Any, options: dict[str, Any]) -> bool:
    """Tell whether a function with these options of Numba's has loops for threads."""
    return bool(options.get("parallel")) and _names_prange(function.__code__, function.__globals__)


def _names_prange(code: pytypes.CodeType, scope: dict[str, Any]) -> bool:
    if any(name == "prange" or scope.get(name) is numba.prange for name in code.co_names):
        return True
    inner = (one for one in code.co_consts if isinstance(one, pytypes.CodeType))
    return any(_names_prange(one, scope) for one in inner)


# Whether loops may be lowered for threads: off where that was tried and refused.
_allowed: ContextVar[bool] = ContextVar("threads_allowed", default=True)


def threads_are_allowed() -> bool:
    """Tell whether loops are lowered for threads in what is compiled now."""
    return _allowed.get()


def has_one_thread() -> bool:
    """Tell whether no more than one thread will ever be used: then plain loops are faster."""
    threads = settings.threads or numba.config.NUMBA_NUM_THREADS
    return threads == 1 and settings.parts is None


def has_several_threads() -> bool:
    """Tell the opposite."""
    return not has_one_thread()


@contextmanager
def without_threads() -> Iterator[None]:
    """Within the block, all loops are lowered serially."""
    token = _allowed.set(False)
    try:
        yield
    finally:
        _allowed.reset(token)
