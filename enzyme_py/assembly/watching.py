"""Code that tells which of its own operations made a NaN or an infinity first.

    text, sites = watched(ir)

Behind each floating point operation of the module after the pass stands a call that looks at its result
and at its operands: a NaN is *made* where no operand is one, an infinity where all operands are finite.
A table gets, for each site, the order in which that happened first; SEEN returns the table's address,
two numbers a site: of the first NaN, and of the first infinity.

Strong zeros and branches made into selects compute values that are thrown away: `0 * inf` and then 0 in
its place. So what is used by selects alone is not watched, but the select, with the operands of what it
chooses from. Sites carry the Python line by the debug information, which is still in the text: machine
code is made without. Where the pass lost a location, that of what the operation was made from serves.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field

SEEN = "enzyme_py_seen"
_WATCH = "enzyme_py_watch"

_NAME = r'%(?:"[^"]*"|[-a-zA-Z$._0-9]+)'
_KIND = r"(?:double|float)"
_FLAGS = r"(?:(?:fast|nnan|ninf|nsz|arcp|contract|afn|reassoc) )*"
_ARITHMETIC = re.compile(
    rf"^ *(?P<to>{_NAME}) = (?P<operation>fadd|fsub|fmul|fdiv|frem|fneg) {_FLAGS}(?P<kind>{_KIND}) (?P<from>[^!#]*)"
)
_SELECT = re.compile(
    rf"^ *(?P<to>{_NAME}) = select {_FLAGS}i1 [^,]+, (?P<kind>{_KIND}) (?P<a>[^,]+), {_KIND} (?P<b>[^,]+)"
)
_CALL = re.compile(
    rf"^ *(?P<to>{_NAME}) = (?:tail |notail )?call {_FLAGS}(?:[a-z_]+(?:\([^)]*\))? )*?(?P<kind>{_KIND}) @(?P<operation>[-\w.$]+)\((?P<from>.*?)\)(?:[ ,]|$)"
)
_LOCATION_OF = re.compile(r"!dbg !(\d+)")
_ASSIGNED = re.compile(rf"^ *({_NAME}) = ")
_VALUE = re.compile(_NAME)
_MEMORY = re.compile(r" ?\bmemory\([^)]*\)")
_DBG_LOCATION = re.compile(
    r"^!(\d+) = (?:distinct )?!DILocation\(line: (\d+).*?scope: !(\d+)(?:, inlinedAt: !(\d+))?"
)
_SCOPE = re.compile(
    r"""^!(\d+) = (?:distinct )?!DI(?:Subprogram|LexicalBlock\w*)\((?:name: "([^"]*)")?.*?\bfile: !(\d+)"""
)
_FILE = re.compile(r'^!(\d+) = (?:distinct )?!DIFile\(filename: "([^"]*)", directory: "([^"]*)"')


@dataclass(frozen=True)
class Site:
    """One operation: what it is, and the places in Python that it comes from, innermost first."""

    operation: str
    places: tuple[tuple[str, int], ...]


@dataclass
class _Operation:
    """An instruction with a floating point result."""

    to: str
    kind: str
    operation: str
    operands: list[str]
    is_select: bool = False
    makes_constant: bool = False  # a select of a constant NaN or infinity
    location: str | None = None


@dataclass
class _Function:
    lines: list[str] = field(default_factory=list)
    operations: dict[str, _Operation] = field(default_factory=dict)
    uses: dict[str, list[str | None]] = field(default_factory=lambda: defaultdict(list))
    locations: dict[str, str] = field(default_factory=dict)  # by value
    beside: dict[str, list[str]] = field(
        default_factory=lambda: defaultdict(list)
    )  # operands, users


def watched(ir: str) -> tuple[str, tuple[Site, ...]]:
    """Return the module with watches, and what stands at each."""
    places = _Places(ir)
    sites: list[Site] = []
    out: list[str] = []
    function: _Function | None = None
    for line in ir.splitlines():
        if line.startswith("define "):
            function = _Function()
            out.append(line)
        elif line == "}" and function is not None:
            out += _with_watches(function, sites, places)
            out.append(line)
            function = None
        elif function is not None:
            _read(function, line)
        elif line.startswith("attributes #"):
            out.append(_MEMORY.sub("", line))  # watches write
        else:
            out.append(line)
    return "\n".join([*out, _definitions(len(sites))]), tuple(sites)


def with_places(ir: str) -> str:
    """Return simplified code in which every instruction has a place.

    What LLVM computes before a branch that it belonged behind loses its place, and what the pass makes of it
    would have none; the next place in its block is that branch's.
    """
    out: list[str] = []
    waiting: list[int] = []  # instructions without a place
    for line in ir.splitlines():
        location = _LOCATION_OF.search(line)
        if line.startswith("  ") and not line.lstrip().startswith("#"):
            if location is None and _ASSIGNED.match(line) and line[-1] not in "[,(":
                waiting.append(len(out))
            elif location is not None:
                for number in waiting:
                    out[number] += f", !dbg !{location[1]}"
                waiting.clear()
        else:
            waiting.clear()  # another block
        out.append(line)
    return "\n".join([*out, ""])


def _read(function: _Function, line: str) -> None:
    function.lines.append(line)
    code = line.split(", !dbg", maxsplit=1)[0]
    operation = _operation(code)
    assigned = _ASSIGNED.match(line)
    named = assigned[1] if assigned else None
    location = _LOCATION_OF.search(line)
    for value in _VALUE.findall(code):
        if value != named:
            function.uses[value].append(named if operation and operation.is_select else None)
    if named is not None:
        for operand in dict.fromkeys(_VALUE.findall(code)):
            if operand != named:
                function.beside[named].append(operand)
                function.beside[operand].append(named)
        if location:
            function.locations[named] = location[1]
    if operation is not None:
        operation.location = location[1] if location else None
        function.operations[operation.to] = operation


def _operation(code: str) -> _Operation | None:
    if match := _ARITHMETIC.match(code):
        return _Operation(
            match["to"], match["kind"], match["operation"], _VALUE.findall(match["from"])
        )
    if match := _SELECT.match(code):
        arms = (match["a"].strip(), match["b"].strip())
        chosen = [arm for arm in arms if arm.startswith("%")]
        constant = any(arm.startswith(("0x7FF", "0xFFF")) for arm in arms)
        return _Operation(match["to"], match["kind"], "select", chosen, True, constant)
    if match := _CALL.match(code):
        operands = re.findall(rf"{match['kind']} (?:[a-z]+ )*({_NAME})", match["from"])
        return _Operation(match["to"], match["kind"], match["operation"], operands)
    return None


def _with_watches(function: _Function, sites: list[Site], places: _Places) -> list[str]:
    out = []
    for line in function.lines:
        out.append(line)
        assigned = _ASSIGNED.match(line)
        operation = function.operations.get(assigned[1]) if assigned else None
        if operation is None or _is_for_selects(function, operation.to):
            continue
        operands, name = operation.operands, operation.operation
        if operation.is_select:
            chosen = [
                function.operations[one]
                for one in operation.operands
                if one in function.operations and _is_for_selects(function, one)
            ]
            if not chosen and not operation.makes_constant:
                continue
            operands = _origins(function, operation)
            name = next((one.operation for one in chosen if not one.is_select), name)
        where = places.of(_location(function, operation))
        out += _watch(len(sites), operation, operands, function)
        sites.append(Site(name, where))
    return out


def _is_for_selects(function: _Function, value: str) -> bool:
    uses = function.uses.get(value, [])
    return bool(uses) and all(use is not None for use in uses)


def _origins(function: _Function, operation: _Operation, depth: int = 4) -> list[str]:
    """Return what a select's value is made from, past operations that are there for selects alone."""
    found: list[str] = []
    for value in operation.operands:
        inner = function.operations.get(value)
        if inner is None or not _is_for_selects(function, value) or depth == 0:
            found.append(value)
        elif inner.is_select:
            found += _origins(function, inner, depth - 1)
        else:
            found += inner.operands
    return list(dict.fromkeys(found))


def _location(function: _Function, operation: _Operation) -> list[str]:
    """Return the locations of an operation, and of what stands beside it, nearest first.

    The pass loses some in reverse code. A choice made with the value tells then: its condition was
    computed in the line that is meant.
    """
    found: list[str] = []
    waiting, seen = [operation.to], {operation.to}
    while waiting and len(seen) < 40:
        value = waiting.pop(0)
        if value in function.locations:
            found.append(function.locations[value])
        fresh = [one for one in function.beside[value] if one not in seen]
        seen.update(fresh)
        waiting += fresh
    return found


def _watch(
    number: int, operation: _Operation, operands: list[str], function: _Function
) -> list[str]:
    given = [operation.to, *operands][:5]
    lines, names = [], []
    for place, value in enumerate(given):
        wide = value
        if operation.kind == "float":
            wide = f"%{_WATCH}.{number}.{place}"
            lines.append(f"  {wide} = fpext float {value} to double")
        names.append(f"double {wide}")
    names += ["double 0.0"] * (5 - len(names))
    lines.append(f"  call void @{_WATCH}(i64 {number}, {', '.join(names)})")
    return lines


def _definitions(count: int) -> str:
    names = ("a", "b", "c", "d")
    looks = [
        f"%difference.{one} = fsub double %{one}, %{one}\n"
        f"  %is.finite.{one} = fcmp oeq double %difference.{one}, 0.0\n"
        f"  %is.number.{one} = fcmp ord double %{one}, 0.0"
        for one in ("value", *names)
    ]
    text = "\n  ".join(looks)
    return f"""
@{_WATCH}.table = internal global [{2 * max(count, 1)} x i64] zeroinitializer
@{_WATCH}.count = internal global i64 0

define ptr @{SEEN}() {{
  ret ptr @{_WATCH}.table
}}

define internal void @{_WATCH}(i64 %site, double %value, double %a, double %b, double %c, double %d) noinline {{
  {text}
  %f0 = and i1 %is.finite.a, %is.finite.b
  %f1 = and i1 %is.finite.c, %is.finite.d
  %are.finite = and i1 %f0, %f1
  %n0 = and i1 %is.number.a, %is.number.b
  %n1 = and i1 %is.number.c, %is.number.d
  %are.numbers = and i1 %n0, %n1
  %is.nan = xor i1 %is.number.value, true
  %is.infinite = xor i1 %is.finite.value, true
  %makes.nan = and i1 %is.nan, %are.numbers
  %infinity = and i1 %is.infinite, %is.number.value
  %makes.infinity = and i1 %infinity, %are.finite
  %makes = or i1 %makes.nan, %makes.infinity
  br i1 %makes, label %note, label %done
note:
  %pair = shl i64 %site, 1
  %other = zext i1 %makes.infinity to i64
  %place = add i64 %pair, %other
  %slot = getelementptr i64, ptr @{_WATCH}.table, i64 %place
  %known = load i64, ptr %slot
  %is.new = icmp eq i64 %known, 0
  br i1 %is.new, label %write, label %done
write:
  %before = load i64, ptr @{_WATCH}.count
  %now = add i64 %before, 1
  store i64 %now, ptr @{_WATCH}.count
  store i64 %now, ptr %slot
  br label %done
done:
  ret void
}}
"""


class _Places:
    """The debug information of a module: from locations to files and lines."""

    def __init__(self, ir: str) -> None:
        self._locations: dict[str, tuple[int, str, str | None]] = {}
        self._files_of_scopes: dict[str, str] = {}
        self._files: dict[str, str] = {}
        for line in ir.splitlines():
            if not line.startswith("!"):
                continue
            if match := _DBG_LOCATION.match(line):
                self._locations[match[1]] = (int(match[2]), match[3], match[4])
            elif match := _SCOPE.match(line):
                # Numba says that the function which it makes of an array expression begins in line 1.
                if "numba_array_expr" not in (match[2] or ""):
                    self._files_of_scopes[match[1]] = match[3]
            elif match := _FILE.match(line):
                self._files[match[1]] = f"{match[3]}/{match[2]}"

    def of(self, locations: list[str]) -> tuple[tuple[str, int], ...]:
        """Return files and lines of locations, each followed by those it was inlined at."""
        found: list[tuple[str, int]] = []
        for start in locations:
            location: str | None = start
            while location in self._locations:
                line, scope, location = self._locations[location]
                file = self._files.get(self._files_of_scopes.get(scope, ""), "")
                if file and line:
                    found.append((file, line))
        return tuple(dict.fromkeys(found))
