"""A kernel in plain Python: whether it is one at all, and what its variables hold.

`np.empty` is full of NaN here, `prange` is `range`, and what kernels call runs in plain Python too.
"""

from __future__ import annotations

import builtins
import contextlib
import resource
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType, FunctionType
from typing import Any, cast

import numpy as np

from tests.fuzz import helpers
from tests.fuzz.subject import Inconclusive, leaves

SECONDS = 0.2  # of the processor, in plain Python
SECONDS_OF_LOOPS = 3.0  # with `prange`: of 37 numbers, thrice nested
ROOM = 1 << 30  # bytes that it may take
CLOSE = 1e-6  # relative: Numba adds in another order
SINGLE = 1e-2  # where float32 is in the middle
NAME = "<plain kernel>"


class Unfit(Inconclusive):
    """What was written is no kernel."""


class _Late(BaseException):
    """It has run for too long; no kernel catches this."""


class _Empty:
    """NumPy, but that new memory holds NaN, and fields of records are attributes."""

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    @staticmethod
    def empty(shape: Any, dtype: Any = float) -> Any:
        """Return an array of NaN."""
        return _spoilt(np.empty(shape, dtype))

    @staticmethod
    def empty_like(array: Any, dtype: Any = None) -> Any:
        """Return an array of NaN."""
        return _spoilt(np.empty_like(array, dtype=dtype))


    @staticmethod
    def zeros(shape: Any, dtype: Any = float) -> Any:
        """Return an array of zeros."""
        made = np.zeros(shape, dtype)
        return made.view(np.recarray) if made.dtype.names else made

    @staticmethod
    def concatenate(arrays: Any, axis: Any = 0) -> Any:
        """Return the arrays as one."""
        made = np.concatenate(arrays, axis)
        return made.view(np.recarray) if made.dtype.names else made


def _spoilt(array: Any) -> Any:
    if array.dtype.names:
        for name in array.dtype.names:
            _spoilt(array[name])
    elif array.dtype.kind in "fc":
        array[...] = np.nan
    return array


def _scope() -> dict[str, Any]:
    """Return what kernels may name, in plain Python: functions see each other there, not the compiled ones."""
    scope: dict[str, Any] = {"__builtins__": builtins}
    for name, one in vars(helpers).items():
        plain = getattr(one, "py_func", None)
        if plain is not None:
            scope[name] = FunctionType(plain.__code__, scope, name, plain.__defaults__)
        elif not name.startswith("__"):
            scope[name] = one
    scope.update(np=_Empty(), TypedList=list, prange=range)
    return scope


class Plain:
    """Kernels in plain Python; `kinds` says what the variables of the last one held."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._scope, self._seconds = _scope(), seconds
        self.kinds: dict[str, str] = {}

    def look(self, source: str, given: tuple[Any, ...], copied: Callable[[], tuple[Any, ...]]) -> Any:
        """Return what a kernel returns; raises Unfit if it is none. `copied` gives its arguments anew."""
        scope = dict(self._scope)
        exec(compile(source, NAME, "exec"), scope)
        constant = given[3]
        before = None if constant is None else constant.tobytes()
        result = self._ran(scope["kernel"], given)
        if constant is not None and constant.tobytes() != before:
            raise Unfit("it writes what is constant")
        if "raise " in source:
            x, a, s, c, n = copied()
            try:
                self._ran(scope["kernel"], (x, a, s, c + 10.0, n))
            except Unfit as error:
                if not _is_raised(error.__cause__, source):
                    raise
        if not all(np.all(np.isfinite(one)) for one in leaves(result)):
            raise Unfit("no number")
        return result

    def _ran(self, kernel: Any, given: tuple[Any, ...]) -> Any:
        def ended(frame: FrameType, event: str, argument: Any) -> None:
            if event == "return" and frame.f_code is kernel.__code__:
                self.kinds = {name: kind(one) for name, one in frame.f_locals.items()}

        with limited(self._seconds), warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            before = sys.getprofile()
            sys.setprofile(ended)
            try:
                return kernel(*given)
            except _Late:
                raise Unfit("it does not end") from None
            except Exception as error:
                raise Unfit(f"{type(error).__name__}: {error}"[:100]) from error
            finally:
                sys.setprofile(before)


def _is_raised(error: BaseException | None, source: str) -> bool:
    """Tell whether the kernel itself raised it."""
    if error is None:
        return False
    last = traceback.extract_tb(error.__traceback__)[-1]
    line = source.splitlines()[(last.lineno or 1) - 1] if last.filename == NAME else ""
    return line.strip().startswith("raise ")


def check_alike(got: Any, want: Any, *, is_single: bool) -> None:
    """Raise if Numba makes something else of a kernel than Python."""
    pairs = list(zip(leaves(got), leaves(want), strict=False))
    bound = SINGLE if is_single else CLOSE
    if len(leaves(got)) != len(leaves(want)) or any(
        np.shape(one) != np.shape(other) or not np.allclose(one, other, bound, bound)
        for one, other in pairs
    ):
        raise Unfit("Numba makes something else of it than Python")


def kind(value: Any) -> str:
    """Return what a variable holds, in one word or some."""
    if isinstance(value, (bool, np.bool_)):
        return "flag"
    if isinstance(value, (int, np.integer)):
        return "integer"
    if isinstance(value, (float, np.floating)):
        return "number"
    if isinstance(value, (complex, np.complexfloating)):
        return "complex number"
    if isinstance(value, np.ndarray):
        return f"array {value.dtype.kind}{value.ndim}"
    if isinstance(value, (list, tuple)):
        return f"{type(value).__name__} of {kind(value[0]) if value else 'nothing'}"
    return type(value).__name__


@contextlib.contextmanager
def limited(seconds: float = SECONDS) -> Iterator[None]:
    """Limit the seconds and the memory of what runs inside."""

    def late(number: int, frame: FrameType | None) -> None:
        raise _Late

    size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    before = signal.signal(signal.SIGVTALRM, late)
    resource.setrlimit(resource.RLIMIT_AS, (size + ROOM, hard))
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        signal.signal(signal.SIGVTALRM, before)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def first_in_python() -> Callable[[Any], Callable[[Any], None] | None]:
    """Return what looks at a kernel with `prange` before its questions: Numba's own loops on threads are wrong at times."""
    plain = Plain(SECONDS_OF_LOOPS)

    def look(at: Any) -> Callable[[Any], None] | None:
        if "prange" not in at.source:
            return None

        def given() -> tuple[Any, ...]:
            return cast(tuple[Any, ...], at.given(*at.active))

        want = plain.look(at.source, given(), given)
        return lambda got: check_alike(got, want, is_single=at.is_single)

    return look
