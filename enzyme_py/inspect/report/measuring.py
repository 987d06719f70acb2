"""What one derivative does while it runs: time by line, tape by line, how often each line is run, its time as a whole.

Time by line is sampled: a timer interrupts the thread (csrc/sampling.h), and where it is then is looked up in the table of
lines of its code. What is in a library is counted to the line that called it. So a line's time is a share of the
whole, with the error of a count: 100 samples are 10 % of their line's time. The code is that of an ordinary call, with
lines; it is linked to another allocator, which can be asked who asked (csrc/trace.h), and this costs a little in code that asks
often.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from inspect import unwrap
from typing import Any

import numpy as np

from enzyme_py import native
from enzyme_py.foundations.arrays.differences import copy_of
from enzyme_py.foundations.watcher import watcher
from enzyme_py.host.module import DifferentiatedModule
from enzyme_py.inspect.report.making import Made, make
from enzyme_py.inspect.report.question import Question
from enzyme_py.llvm import Module
from enzyme_py.native.faults.watched import watched_at
from enzyme_py.native.function import NativeFunction
from enzyme_py.native.lined.places import PlaceBook, is_users_line
from enzyme_py.native.runtime import (
    interface,
    library,
    memory_stats,
    sampling_library,
    trace_library,
)
from enzyme_py.passes.hunting.counting import COUNTS, counted
from enzyme_py.transforms.plans.primal import Primal
from enzyme_py.transforms.plans.runners import positional_runner

INTERVAL = 200  # microseconds between samples
_LONG_ENOUGH = 0.25  # seconds of sampling
_FEWEST, _MOST = 3, 20_000  # runs
_TIMED = 0.15  # seconds that the time of a whole call is measured


@dataclass
class Sampled:
    """Seconds of one call by the numbers of lines: forward, and behind the turn."""

    seconds: float = 0.0  # of one call
    runs: int = 0
    samples: int = 0
    outside: float = 0.0  # seconds: neither in the code nor called from it
    forward: dict[int, float] = field(default_factory=dict)
    reverse: dict[int, float] = field(default_factory=dict)
    called: dict[int, float] = field(default_factory=dict)  # of these, in what a line calls
    why_not: str = ""


def sampled(made: Made, operands: Callable[[], tuple[Any, ...]]) -> Sampled:
    """Run compiled code again and again, and return where its time goes."""
    if made.lined is None or made.function is None or not made.lined.table.offsets:
        return Sampled(why_not=made.without_lines or "there is no table of lines for this platform's code")
    layout, entry = made.lined.code.layout, made.lined.code.entries[0]
    begin = made.function.addresses[entry] + layout.begin
    counts = np.zeros((layout.size, 4), np.uint32)
    ffi, clock = interface(), sampling_library()
    made.runner(*operands())
    where = ffi.cast("uint32_t *", counts.ctypes.data)
    has_line = made.lined.table.has_line(layout.size)
    marks = ffi.from_buffer("uint8_t *", has_line)
    if clock.enzyme_py_sampling_begin(where, marks, ffi.cast("const void *", begin), layout.size, INTERVAL) != 0:
        return Sampled(why_not="this system has no timer for it, or SIGPROF has a handler already")
    runs, total, outside = 0, 0.0, 0
    try:
        while runs < _FEWEST or (total < _LONG_ENOUGH and runs < _MOST):
            given = operands()
            clock.enzyme_py_sampling_phase(0)
            started = time.perf_counter()
            made.runner(*given)
            total += time.perf_counter() - started
            clock.enzyme_py_sampling_phase(2)
            runs += 1
    finally:
        outside = clock.enzyme_py_sampling_end()
    # A count is a share; of the time of a call without samples, and not of these runs': whoever else runs makes them longer.
    return _shares(made, counts, Sampled(seconds_of(made.runner, operands), runs, int(counts.sum()) + outside), outside)


def _shares(made: Made, counts: Any, found: Sampled, outside: int) -> Sampled:
    assert made.lined is not None
    one = found.seconds / max(found.samples, 1)
    found.outside = outside * one
    for offset in np.flatnonzero(counts.any(axis=1)):
        number = made.lined.table.at(int(offset))
        own = [int(count) * one for count in counts[offset]]
        for sweep, seconds in ((found.forward, own[0] + own[2]), (found.reverse, own[1] + own[3])):
            if seconds:
                sweep[number] = sweep.get(number, 0.0) + seconds
        if own[2] + own[3]:
            found.called[number] = found.called.get(number, 0.0) + own[2] + own[3]
    return found


@dataclass
class TapeByLine:
    """What is kept between the sweeps, by file and line; the memory of the same run as a whole; and over time."""

    lines: dict[tuple[str, int], tuple[int, int]]  # bytes as asked for, and blocks
    bytes: int  # alive at the turn, with heads and rounding: what inspect.memory calls the tape
    peak: int
    allocations: int
    past: list[tuple[float, int]]  # seconds since the call began, bytes alive


def taped(made: Made, operands: Sequence[Any], book: PlaceBook) -> TapeByLine:
    """Run compiled code once, and return what it keeps at the turn."""
    ffi, trace = interface(), trace_library()
    before = memory_stats().live
    library().enzyme_py_reset_stats()
    trace.enzyme_py_trace(1)
    try:
        made.runner(*operands)
        after = memory_stats()
        sums: dict[tuple[str, int], tuple[int, int]] = {}
        caller, size, when = ffi.new("void *[1]"), ffi.new("size_t *"), ffi.new("int64_t *")
        at = ffi.cast("const void **", caller)
        for number in range(trace.enzyme_py_traced(0, at, size)):
            trace.enzyme_py_traced(number, at, size)
            line = _line_of(made, book, int(ffi.cast("uintptr_t", caller[0])))
            total, blocks = sums.get(line, (0, 0))
            sums[line] = total + size[0], blocks + 1
        past = []
        for number in range(trace.enzyme_py_traced_past(0, when, size)):
            trace.enzyme_py_traced_past(number, when, size)
            past.append((when[0] * 1e-9, int(size[0])))
    finally:
        trace.enzyme_py_trace(0)
    return TapeByLine(sums, max(0, after.turn - before), after.peak - before, after.allocations, past)


def past_of(question: Question) -> list[tuple[float, int]]:
    """Compile a derivative, run it, and return the bytes alive over time."""
    book = PlaceBook()
    made = make(question.plan(is_marked=not question.mode.is_forward), question.operands(), book)
    return taped(made, question.operands(), book).past


def _line_of(made: Made, book: PlaceBook, address: int) -> tuple[str, int]:
    """Return the line that asked for memory: where what is kept is made, else where the request itself stands."""
    watched = watched_at(address)
    place = watched.line_of(address) if watched is not None else None
    if place is not None and place.file and place.line and is_users_line((place.file, place.line)):
        return place.file, place.line
    if watched is None or made.lined is None:
        return "", 0
    return book.places[made.lined.table.at(address - 1 - watched.begin)]


def seconds_of(run: Callable[..., Any], operands: Callable[[], Sequence[Any]], limit: float = _TIMED) -> float:
    """Return the time of the fastest call of many, its arguments made anew each time: others of this machine make it longer."""
    run(*operands())
    times: list[float] = []
    begun = time.perf_counter()
    while len(times) < _FEWEST or (time.perf_counter() - begun < limit and len(times) < _MOST):
        given = operands()
        started = time.perf_counter()
        run(*given)
        times.append(time.perf_counter() - started)
    return min(times)


def times_run(question: Question, book: PlaceBook) -> dict[int, tuple[int, int]]:
    """Return how often the kernel runs the rarest and the most frequent block of each line, by one run of code that counts.

    Blocks that are not run are left out. The rarest one of a statement is its beginning; a loop's head is its most frequent.
    """
    seen: list[tuple[NativeFunction, list[int]]] = []
    watch = _Counting(book, seen)
    plan = Primal(question.kernel)
    runner = unwrap(positional_runner)(plan, len(question.values))
    values = tuple(map(copy_of, question.values))
    token = watcher.set(watch)
    try:
        runner.compile(tuple(map(runner.typeof_pyval, values)))
    finally:
        watcher.reset(token)
    runner(*values)
    found: dict[int, tuple[int, int]] = {}
    for function, sites in seen:
        address = ctypes.CFUNCTYPE(ctypes.c_void_p)(function.addresses[COUNTS])()
        table = (ctypes.c_int64 * max(len(sites), 1)).from_address(int(address or 0))
        for place, number in enumerate(sites):
            if table[place]:
                least, most = found.get(number, (table[place], 0))
                found[number] = min(least, table[place]), max(most, table[place])
    return found


class _Counting:
    """Makes code that counts, in the place of the usual code."""

    needs_places = False

    def __init__(self, book: PlaceBook, found: list[tuple[NativeFunction, list[int]]]) -> None:
        self._book, self._found = book, found
        self.seen: dict[Any, NativeFunction] = {}

    def __call__(self, module: DifferentiatedModule) -> NativeFunction:
        code = Module(module.ir)
        reader = self._book.reader(code)
        every = [one for function in code.functions for one in function.instructions]
        numbers = {one: reader.direct(one) for one in every}
        known = set(numbers.values())
        numbers |= {one: reader(one) for one in every if reader(one) not in known}
        sites = counted(code, numbers)
        marked = replace(module, ir=str(code), entries=(*module.entries, COUNTS))
        function = native.load(native.optimise(marked), module.where)
        self._found.append((function, sites))
        return function
