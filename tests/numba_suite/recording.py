"""What a test of Numba calls: functions and copies of their arguments, as they were before the call.

A call is one of Python. What compiled functions call in turn is seen where it is asked for: then the Python code of each function
runs once more, on copies, for every kind of arguments. Of the calls of one function with arguments of
the same types the first that returns is kept, and the first that raises.
"""

from __future__ import annotations

import copy
import ctypes
import hashlib
import inspect
import io
import time
import unittest
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass, field
from types import CellType, CodeType
from typing import Any

import numba
import numpy as np
from numba import _dispatcher
from numba.core.dispatcher import Dispatcher

_plain_call = _dispatcher.Dispatcher.__call__


class Enough(BaseException):
    """Ends a test that has called all that is wanted of it."""


@dataclass
class Call:
    """A function and the arguments that a test called it with."""

    key: str
    function: Dispatcher
    arguments: tuple[Any, ...]
    raises: bool
    captured: list[tuple[CellType, Any]] = field(init=False)  # what the function's cells hold

    def __post_init__(self) -> None:
        """Look at the cells."""
        self.captured = []
        for cell in self.function.py_func.__closure__ or ():
            with suppress(ValueError):  # an empty one
                self.captured.append((cell, cell.cell_contents))

    def restore(self) -> None:
        """Fill the cells as they were: a loop of the test may have filled them anew since Numba compiled the function."""
        for cell, value in self.captured:
            cell.cell_contents = value


@dataclass
class Recording:
    """The calls of one test, and how many others it made, by the reason why these are not asked."""

    calls: list[Call] = field(default_factory=list)
    left: Counter[str] = field(default_factory=Counter)


def recorded(test: unittest.TestCase, known: set[str], most: int, seconds: float) -> Recording:
    """Run a test, and return the calls that it makes: at most so many, none that is known, for some time."""
    taken = Recording()
    seen: set[str] = set()
    with (
        watched(taken, seen, known, most, time.monotonic() + seconds),
        redirect_stdout(io.StringIO()),
        redirect_stderr(io.StringIO()),
    ):
        test.run(unittest.TestResult())
    return taken


@contextmanager
def watched(
    taken: Recording, seen: set[str], known: set[str], most: int, end: float, *, inner: bool = False
) -> Iterator[None]:
    """Take down what is called meanwhile: at most so many calls, none that is known, until a time; then Enough is raised.

    `inner`: also what compiled functions call.
    """
    depth = 0
    walked: set[tuple[Any, ...]] = set()

    def call(function: Dispatcher, *arguments: Any, **named: Any) -> Any:
        nonlocal depth
        if depth:
            return _plain_call(function, *arguments, **named)
        if len(taken.calls) >= most or time.monotonic() > end:
            raise Enough  # between calls: inside of one it would leave Numba's compiler in the middle
        in_order = _in_order(function, arguments, named)
        if inner and in_order is not None:
            _walk(function, in_order, walked)
        depth += 1
        try:
            kept = result = None
            reason = "named arguments" if in_order is None else _unfit(function, in_order)
            if reason is None:
                try:
                    kept = tuple(map(copied, in_order or ()))
                except Exception as error:
                    reason = f"arguments without a copy: {type(error).__name__}"
            if reason is not None:
                taken.left[reason] += 1
            error = None
            try:
                result = _plain_call(function, *arguments, **named)
            except Exception as raised:
                error = raised
                raise
            finally:
                if kept is not None:
                    _take(taken, seen, known, function, kept, result, error)
            return result
        finally:
            depth -= 1

    Dispatcher.__call__ = call  # type: ignore[method-assign]
    try:
        yield
    finally:
        del Dispatcher.__call__


def _walk(function: Dispatcher, arguments: tuple[Any, ...], walked: set[tuple[Any, ...]]) -> None:
    """Run the Python code of a function on copies: what it calls is taken down. Whatever goes wrong in it is nobody's business."""
    asked = (function, *map(_type_of, arguments))
    if asked not in walked:
        walked.add(asked)
        with suppress(Exception), redirect_stdout(io.StringIO()):
            function.py_func(*map(copied, arguments))


def _take(
    taken: Recording,
    seen: set[str],
    known: set[str],
    function: Dispatcher,
    arguments: tuple[Any, ...],
    result: Any,
    error: Exception | None,
) -> None:
    if isinstance(error, numba.core.errors.NumbaError):
        taken.left["Numba does not compile it"] += 1
        return
    if any(one.objectmode for one in function.overloads.values()):
        taken.left["object mode"] += 1
        return
    if error is None and result is not None and not has_floats(result):
        taken.left["no float results"] += 1
        return
    key = _key(function, arguments, error is not None)
    if key in seen:
        return
    seen.add(key)
    if key not in known:
        taken.calls.append(Call(key, function, arguments, error is not None))


def _in_order(
    function: Dispatcher, arguments: tuple[Any, ...], named: dict[str, Any]
) -> tuple[Any, ...] | None:
    """Return all arguments of a call by their places; None where some can only be named."""
    if not named:
        return arguments
    try:
        bound = inspect.signature(function.py_func).bind(*arguments, **named)
    except TypeError:
        return None
    bound.apply_defaults()
    return None if bound.kwargs else bound.args


def _unfit(function: Dispatcher, arguments: tuple[Any, ...]) -> str | None:
    """Tell why a call is not asked about before it is made."""
    if function.targetoptions.get("forceobj"):
        return "object mode"
    if type(function).__module__.startswith("numba.cuda"):
        return "CUDA"
    if not any(has_floats(one) for one in arguments):
        return "no float arguments"
    size = sum(one.size for one in arguments if isinstance(one, np.ndarray))
    return "more than 100000 numbers" if size > 100000 else None


def has_floats(value: Any) -> bool:
    """Tell whether there is a float, a complex number, or an array of them in a value."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.dtype.kind in "fc"
    if isinstance(value, (tuple, list)):
        return any(map(has_floats, value))
    return isinstance(value, (float, complex))


def copied(value: Any) -> Any:
    """Return a copy of an argument; one of an array has its strides, and the bytes between its elements."""
    if isinstance(value, np.ndarray):
        if value.dtype.hasobject:
            raise TypeError("an array of objects")
        return _copied_array(value)
    if isinstance(value, tuple):
        parts = [copied(one) for one in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return copy.deepcopy(value)


def _copied_array(value: np.ndarray) -> np.ndarray:
    low, high = np.lib.array_utils.byte_bounds(value) if value.size else (0, 0)
    start = value.__array_interface__["data"][0]
    shift = low % 64
    memory = np.empty(high - low + 128, np.uint8)
    begin = -memory.__array_interface__["data"][0] % 64 + shift
    if high > low:
        ctypes.memmove(memory.ctypes.data + begin, low, high - low)
    offset = begin + start - low if value.size else begin
    made = np.ndarray(value.shape, value.dtype, memory, offset, value.strides)
    made.flags.writeable = value.flags.writeable
    return made


def _key(function: Dispatcher, arguments: tuple[Any, ...], raises: bool) -> str:
    """Return the name of a call: that of the function, its types, and a hash of its code and what it captures."""
    made = function.py_func
    types = ", ".join(_type_of(one) for one in arguments)
    captured = [_told(cell.cell_contents) for cell in made.__closure__ or () if _is_filled(cell)]
    options = sorted((name, str(one)) for name, one in function.targetoptions.items())
    text = repr((_code(made.__code__), captured, options, types))
    digest = hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()[:10]
    place = f"{made.__module__}.{made.__qualname__}:{made.__code__.co_firstlineno}"
    return f"{place}({types}){' raises' * raises} {digest}"


def _is_filled(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False


def _code(code: CodeType) -> tuple[Any, ...]:
    consts = tuple(_code(one) if isinstance(one, CodeType) else repr(one) for one in code.co_consts)
    return code.co_code, code.co_names, consts


def _told(value: Any) -> Any:
    """Return what a captured value is, without its address."""
    if isinstance(value, Dispatcher):
        return _code(value.py_func.__code__)
    if hasattr(value, "__code__"):
        return _code(value.__code__)
    if isinstance(value, (int, float, complex, str, tuple, np.ndarray, np.dtype)):
        return repr(value)
    return getattr(value, "__name__", type(value).__name__)


def _type_of(value: Any) -> str:
    try:
        return str(numba.typeof(value))
    except Exception:
        return type(value).__name__
