"""All that a report knows, as one dict of plain values: the schema of docs/inspecting.md, version 1."""

from __future__ import annotations

import contextlib
import platform
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numba
import numpy as np

from enzyme_py import host
from enzyme_py.assembly.module import DiffModule
from enzyme_py.errors import EnzymeError
from enzyme_py.foundations.arrays.differences import copy_of
from enzyme_py.foundations.places import where_is
from enzyme_py.foundations.versions import VERSION
from enzyme_py.host.installing import pinned
from enzyme_py.inspect.report import advice, health, measuring
from enzyme_py.inspect.report.making import make
from enzyme_py.inspect.report.question import Question
from enzyme_py.inspect.report.reading import called, listings, sources
from enzyme_py.inspect.report.reading.activity import Activity, InstructionTable, activities
from enzyme_py.inspect.report.reading.remarks import Remark, remarks_in
from enzyme_py.inspect.report.schema import SCHEMA
from enzyme_py.llvm import Module
from enzyme_py.llvm.reading.printed import printed
from enzyme_py.native.lined.places import PlaceBook, is_users_line
from enzyme_py.native.machine import host_cpu, llvm_identity
from enzyme_py.passes.journal import Step
from enzyme_py.transforms.plans.primal import Primal

_OUTSIDE = ("O2", "Enzyme")  # steps that write the code anew


class Facts:
    """What was seen of one derivative, before it is sorted by lines."""

    def __init__(self, question: Question, *, times: bool) -> None:
        self.question, self.notes = question, list[str]()
        self.book = PlaceBook()
        is_reverse = not question.mode.is_forward
        self.made = make(question.plan(is_marked=is_reverse), question.operands(), self.book)
        self.primal = make(Primal(question.kernel), tuple(map(copy_of, question.values)), self.book)
        self._read_code()
        self._note_lines()
        self._run(times=times)

    def _read_code(self) -> None:
        """Read what Enzyme was given, and what it said of it."""
        given = next(step for step in reversed(self.made.kept.steps) if step.name == "Enzyme")
        module = self.made.module
        assert module is not None
        asked = DiffModule(given.before, module.entries, given.options, module.where)
        self.read: Module = host.simplify(asked).code
        self.reader = self.book.reader(self.read)
        table = InstructionTable(self.read, self.reader)
        self.activity: Activity = activities(asked, self.read, self.reader, self.question.all_names)
        if not self.activity.is_known:
            self.notes.append("what is active is not known: Enzyme's print of it is too long, or was refused")
        self.remarks: list[Remark] = remarks_in(module.remarks, table)

    def _note_lines(self) -> None:
        module = self.made.module
        assert module is not None
        reader = self.book.reader(module.code)
        self.calls = called.calls_of(module.code, reader)
        self.nested = called.nested_calls(self.read, self.book)
        self.passes = self._passes_by_line()
        code = self.made.lined
        self.vectors: dict[int, Counter[str]] = {} if code is None else listings.vectors_of(code)
        self.listings = {
            "primal": listings.of_module(self.read, self.reader),
            "derivative": listings.of_module(module.code, reader),
            "assembly": [] if code is None else listings.of_assembly(code),
        }
        if code is None:
            self.notes.append(self.made.without_lines)

    def _passes_by_line(self) -> dict[int, list[str]]:
        found: dict[int, dict[str, None]] = {}
        for step in self.made.kept.steps:
            for number in _lines_changed(step, self.book) if step.name not in _OUTSIDE else ():
                found.setdefault(number, {})[step.name] = None
        return {number: list(names) for number, names in found.items()}

    def _run(self, *, times: bool) -> None:
        question = self.question
        self.tape = measuring.taped(self.made, question.operands(), self.book)
        self.runs = measuring.times_run(question, self.book)
        self.derivative_times = self.primal_times = measuring.Sampled(why_not="times were not asked for")
        if times:
            self.derivative_times = measuring.sampled(self.made, question.operands)
            self.primal_times = measuring.sampled(self.primal, lambda: tuple(map(copy_of, question.values)))
        if times and self.derivative_times.why_not:
            self.notes.append(f"no times by line: {self.derivative_times.why_not}")


def _lines_changed(step: Step, book: PlaceBook) -> set[int]:
    """Return the lines whose code a pass wrote, took away or wrote anew."""
    if step.before == step.after:
        return set()
    before, after = Counter(step.before.splitlines()), Counter(step.after.splitlines())
    found = set[int]()
    for text, changed in ((step.after, after - before), (step.before, before - after)):
        reader = book.reader(Module(text))
        refs = {printed(line).metadata.get("dbg") for line in changed if "!dbg " in line}
        found |= {reader.at(ref) for ref in refs if ref}
    return found - {0}


def gathered(question: Question, f: Any, arguments: Sequence[Any], *, times: bool, checks: bool, advises: bool) -> dict[str, Any]:
    """Return the report as a dict."""
    facts = Facts(question, times=times)
    data = _head(facts)
    data["lines"], places = _lines(facts)
    data["functions"] = [
        {"name": one.name, "file": one.file, "first": one.first, "last": one.last, "loops": [list(span) for span in one.loops]}
        for one in _functions(facts)
    ]
    data["calls"] = _graph(facts)
    data["listings"] = {name: _listing(facts, rows, places) for name, rows in facts.listings.items()}
    data["health"] = health.examined(question, f, arguments) if checks else {"arguments": [], "nan": None}
    data["health"]["lost"] = [one._asdict() for one in (facts.made.function.lost if facts.made.function else ())]
    data["notes"] = facts.notes
    data["advice"] = advice.given(question, data) if advises else []
    return data


def _head(facts: Facts) -> dict[str, Any]:
    question, where = facts.question, where_is(facts.question.source)
    names = question.names
    return {
        "schema": SCHEMA,
        "kernel": question.name,
        "file": where.file,
        "line": where.line,
        "mode": question.mode.name,
        "order": question.order,
        "arguments": [_argument(question, number, names[number]) for number in range(len(names))],
        "versions": _versions(),
        "compile": facts.made.stages,
        "passes": [
            {"name": one.name, "seconds": one.seconds, "lines": one.lines if one.name not in _OUTSIDE else None}
            for one in facts.made.kept.steps
            if one.before != one.after
        ],
        "attempts": [
            {"name": one.name, "refusal": one.refusal, "seconds": one.seconds} for one in facts.made.kept.attempts
        ],
        "doubts": list(facts.made.module.doubts if facts.made.module else ()),
        "time": _times(facts),
        "memory": _memory(facts),
    }


def _argument(question: Question, number: int, name: str) -> dict[str, Any]:
    value = question.given[number]
    activity = "active" if number in question.chosen else "Const" if number in question.constant else "no derivative"
    shape = list(value.shape) if isinstance(value, np.ndarray) else None
    size = value.nbytes if isinstance(value, np.ndarray) else None
    return {"name": name, "type": str(numba.typeof(value)), "shape": shape, "bytes": size, "activity": activity}


def _versions() -> dict[str, str]:
    return {
        "enzyme_py": VERSION,
        "Enzyme": pinned.ENZYME_VERSION,
        "LLVM": llvm_identity(),
        "numba": numba.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
        "processor": host_cpu().name,
    }


def _times(facts: Facts) -> dict[str, Any]:
    question = facts.question
    source = question.source
    values = question.values[len(question.values) - len(question.given) - question.held :]
    found: dict[str, Any] = {"kernel": None, "derivative": None, "ratio": None}
    if not facts.derivative_times.runs and facts.derivative_times.why_not == "times were not asked for":
        return {**found, "sampled": None}
    with contextlib.suppress(EnzymeError):
        found["derivative"] = measuring.seconds_of(lambda *given: question.run_on(given), question.operands)
    try:
        found["kernel"] = measuring.seconds_of(source, lambda: tuple(map(copy_of, values)))
    except Exception as error:  # noqa: BLE001  (the user's own code, as Numba compiles it)
        facts.notes.append(f"the kernel alone could not be timed: {error}".split("\n", 1)[0])
    if found["kernel"] and found["derivative"]:
        found["ratio"] = found["derivative"] / found["kernel"]
    times = facts.derivative_times
    found["sampled"] = {
        "derivative": times.seconds,
        "kernel": facts.primal_times.seconds,
        "runs": times.runs,
        "samples": times.samples,
        "outside": times.outside,
    }
    return found


def _memory(facts: Facts) -> dict[str, Any]:
    tape = facts.tape
    is_forward = facts.question.mode.is_forward
    return {
        "peak": tape.peak,
        "tape": None if is_forward else tape.bytes,
        "tape_by_line": None if is_forward else sum(size for size, _ in tape.lines.values()),
        "allocations": tape.allocations,
        "past": [[round(when, 9), size] for when, size in tape.past],
    }


def _functions(facts: Facts) -> list[sources.SourceFunction]:
    where = where_is(facts.question.source)
    places = [place for place in facts.book.places if place[1]]
    places += [place for place in facts.tape.lines if place[1] and is_users_line(place)]
    return sources.functions_of(places, (where.file or "", where.line or 0))


def _lines(facts: Facts) -> tuple[list[dict[str, Any]], dict[tuple[str, int], int]]:
    """Return all lines of all functions with what is known of each, and which of them a place is."""
    lines, places = list[dict[str, Any]](), dict[tuple[str, int], int]()
    functions = _functions(facts)
    numbers = {place: number for number, place in enumerate(facts.book.places)}
    for function in functions:
        for line in range(function.first, function.last + 1):
            place = function.file, line
            if place not in places:
                places[place] = len(lines)
                lines.append(_line(facts, function, place, numbers.get(place, -1)))
    rest = [size for place, size in facts.tape.lines.items() if place not in places]
    if rest and not facts.question.mode.is_forward:
        lines.append(_no_line(sum(size for size, _ in rest), sum(blocks for _, blocks in rest)))
    for one in lines:
        for reason in one["why"]:
            reason["by_line"] = _number_of(facts, reason["by_line"])
        one["since"]["lines"] = sorted({_number_of(facts, number) or 0 for number in one["since"]["lines"]} - {0})
    return lines, places


def _number_of(facts: Facts, number: int) -> int | None:
    return facts.book.places[number][1] or None


def _line(facts: Facts, function: sources.SourceFunction, place: tuple[str, int], number: int) -> dict[str, Any]:
    activity = facts.activity.lines.get(number)
    least, most = facts.runs.get(number, (None, None))
    size, blocks = (0, 0) if facts.question.mode.is_forward else facts.tape.lines.get(place, (0, 0))
    runs = most if place[1] in function.heads else least
    return {
        "file": place[0],
        "line": place[1],
        "function": function.name,
        "text": sources.text_of(place),
        "runs": runs,
        "activity": None if activity is None else activity.word,
        "values": {"active": 0, "constant": 0} if activity is None else {"active": activity.active, "constant": activity.constant},
        "since": {
            "arguments": [] if activity is None or not activity.active else sorted(activity.arguments),
            "lines": [] if activity is None or not activity.active else list(activity.sources),
        },
        "tape": {"bytes": size, "blocks": blocks, "each": _each(size, blocks, most, least)},
        "why": [
            {"kind": one.kind, "code": one.code, "by_line": one.by, "reason": one.reason}
            for one in facts.remarks
            if one.line == number
        ],
        "seconds": {
            "primal": _sum_of(facts.primal_times, number),
            "forward": facts.derivative_times.forward.get(number, 0.0),
            "reverse": facts.derivative_times.reverse.get(number, 0.0),
            "in_calls": facts.derivative_times.called.get(number, 0.0),
        },
        "calls": [
            {"kind": kind, "name": name, "count": count} for (kind, name), count in facts.calls.get(number, {}).items()
        ],
        "vectors": dict(facts.vectors.get(number, {})),
        "passes": facts.passes.get(number, []),
    }


def _sum_of(times: measuring.Sampled, number: int) -> float:
    return times.forward.get(number, 0.0) + times.reverse.get(number, 0.0)


def _each(size: int, blocks: int, most: int | None, least: int | None) -> dict[str, float] | None:
    """Return what a line keeps as iterations times bytes: as often as its busiest block runs, if that divides it evenly."""
    for count in dict.fromkeys((most, least, blocks)):
        if count and size and size % count == 0 and size // count >= 1:
            return {"iterations": count, "bytes": size // count}
    return {"iterations": most, "bytes": size / most} if most and size else None


def _no_line(size: int, blocks: int) -> dict[str, Any]:
    return {
        "file": "",
        "line": 0,
        "function": "",
        "text": "(no line of the source)",
        "runs": None,
        "activity": None,
        "values": {"active": 0, "constant": 0},
        "since": {"arguments": [], "lines": []},
        "tape": {"bytes": size, "blocks": blocks, "each": None},
        "why": [],
        "seconds": {"primal": 0.0, "forward": 0.0, "reverse": 0.0, "in_calls": 0.0},
        "calls": [],
        "vectors": {},
        "passes": [],
    }


def _graph(facts: Facts) -> list[dict[str, Any]]:
    """Return which function calls which: the user's, and BLAS, rules and functions of mathematics."""
    functions, edges = _functions(facts), Counter[tuple[str, str, str]]()

    def home(number: int) -> str:
        file, line = facts.book.places[number]
        inner = [one for one in functions if one.file == file and one.first <= line <= one.last]
        return max(inner, key=lambda one: one.first).name if inner else ""

    for outer, inner in facts.nested:
        caller, callee = home(outer), home(inner)
        if caller and callee and caller != callee:
            edges[caller, callee, "function of yours"] += 1
    for number, calls in facts.calls.items():
        for (kind, name), count in calls.items():
            if home(number):
                edges[home(number), name, kind] += count
    return [{"caller": a, "callee": b, "kind": kind, "count": count} for (a, b, kind), count in edges.items()]


def _listing(facts: Facts, rows: list[listings.Row], places: dict[tuple[str, int], int]) -> list[list[Any]]:
    """Return rows as `[index of the line or -1, 1 if of the reverse sweep, text]`."""
    return [[places.get(facts.book.places[row.number], -1), int(row.is_reverse), row.text] for row in rows]
