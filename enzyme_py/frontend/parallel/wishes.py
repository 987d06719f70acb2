"""Which functions ask for threads, those with `parallel=True`, and for what.

Of those whose code names `prange` these loops are lowered for threads, and array expressions are as ever. Of all others it is the array
expressions and sums (array_loops.py).
"""

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

# Numba's kinds of parallel loops. Of these `setitem` and `inplace_binop` are wrong where slices overlap, in Numba's own code too:
# `u[1:] += u[:-1]`.
_KINDS = "comprehension reduction inplace_binop setitem numpy stencil fusion prange".split()
_OF_ARRAYS = ("prange", "numpy", "fusion")  # sums become loops of `prange`
# No dictionaries: Numba empties them as it reads them.
_ONLY_PRANGE = ParallelOptions({kind: kind == "prange" for kind in _KINDS})
_ARRAYS = ParallelOptions({kind: kind in _OF_ARRAYS for kind in _KINDS})


class StaysSerialError(EnzymeError):
    """Why a kernel is lowered with serial loops. Never seen by users: `enzyme.inspect.loops` tells the reason."""


def kinds_of_loops(function: Any) -> ParallelOptions:
    """Return which of Numba's kinds of parallel loops are looked for in a function."""
    return _ONLY_PRANGE if _names_prange(function.__code__, function.__globals__) else _ARRAYS


def are_array_loops(flags: Any) -> bool:
    """Tell whether these flags of Numba's are those of array expressions."""
    return bool(flags.auto_parallel.numpy)


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
