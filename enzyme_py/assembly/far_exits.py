"""Refusing what Enzyme's reverse mode gets wrong where one way leaves two nested loops at once.

Behind such a way (a return in the inner loop) the pass has to find values of the inner loop again.
What it kept, it finds, such as a sum. What it computes again from the loop's counter, it computes as
if the inner loop had run to its end, and memory of that loop it frees twice: wrong numbers without a
word, or a crash (MEASURED). Reverse mode of a derivative goes wrong with what was kept as well, and
where a break of the inner loop decides one of the outer loop.

Read from the text after O2, which the pass sees. A raise is no way out: it does not return.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from enzyme_py.assembly.control_flow import NAME, Body
from enzyme_py.assembly.graphs import Graph, entries, graphs, has_several_exits, loops
from enzyme_py.assembly.module import DiffModule
from enzyme_py.assembly.names import readable
from enzyme_py.assembly.requests import Requests
from enzyme_py.errors import DerivativeError

_REVERSE = re.compile(r"@__enzyme_(?:autodiff|reverse|augmentfwd)[\w.]*\(ptr")
_FUNCTION = re.compile(
    r'^(define\b[^@\n]*@("[^"]+"|[-a-zA-Z$._0-9]+)\(.*)\n((?:(?!\}$).*\n)*)', re.MULTILINE
)
_VALUES = re.compile(NAME)
_INTEGER = frozenset(("icmp", "fcmp", "fptosi", "fptoui", "ptrtoint"))
_FLOAT = frozenset(("sitofp", "uitofp", "fptrunc", "fpext"))


def may_exit_far(ir: str) -> bool:
    """Tell, before O2, whether code under reverse mode can leave two loops at once after it."""
    return _REVERSE.search(ir) is not None and any(
        has_several_exits(set(graph), graph) for _, graph in graphs(ir)
    )


def check_far_exits(module: DiffModule) -> None:
    """Raise if reverse mode reaches a function that it would get wrong for a far exit."""
    suspects = dict(_bodies(module.ir))
    far = {name: one for name, one in suspects.items() if one.ways or one.nests_open_loops()}
    if not far:
        return
    requests = Requests(module.ir)
    reversed_ = {one for one in requests.all() if one.is_reverse}
    derived = requests.under_reverse()
    for name, exits in sorted(far.items()):
        if any(name in requests.reached(one.target) for one in derived) and (
            exits.nests_open_loops() or exits.carries_values()
        ):
            raise _refusal(module, name, "reverse mode of a derivative")
        if any(name in requests.reached(one.target) for one in reversed_) and exits.recomputes():
            raise _refusal(module, name, "reverse mode")


def handing_on(ir: str) -> set[str]:
    """Return the functions under reverse mode with far exits that hand values on to the outer loop.

    These are an inner loop's numbers of the turn at hand, as of a search, or of a generator that passes
    over items. Reverse mode finds other ones (MEASURED: wrong gradients of `filter` without a word).
    With one exit for each loop (single_exit.py) it is right.
    """
    names = {name for name, one in _bodies(ir) if one.hands_on() and not one.recomputes()}
    if not names:
        return set()
    requests = Requests(ir)
    targets = [one.target for one in requests.all() if one.is_reverse]
    return {name for name in names if any(name in requests.reached(one) for one in targets)}


def _bodies(ir: str) -> Iterator[tuple[str, _Exits]]:
    for found in _FUNCTION.finditer(ir):
        head, name, lines = found.groups()
        body = Body.of(head, lines.split("\n"))
        if body is not None:
            yield name.strip('"'), _Exits(body)


@dataclass(frozen=True)
class _Way:
    """A way out of several loops: its block, the innermost of them, and what can follow outside."""

    block: str
    inner: frozenset[str]
    around: frozenset[str]  # the rest of the outermost of them
    behind: frozenset[str]


class _Exits:
    """The far exits of one function, and the values that go through them."""

    def __init__(self, body: Body) -> None:
        self._body = body
        alive = body.returning
        self._graph: Graph = {
            label: set(block.successors) & alive
            for label, block in body.blocks.items()
            if label in alive
        }
        self.ways = list(self._far())

    def _far(self) -> Iterator[_Way]:
        every = list(nested(set(self._graph), self._graph))
        for block, targets in self._graph.items():
            for target in targets:
                left = [loop for loop in every if block in loop and target not in loop]
                if len(left) > 1:
                    inner, outer = min(left, key=len), max(left, key=len)
                    behind = _reachable(target, outer, self._graph)
                    yield _Way(block, frozenset(inner), frozenset(outer - inner), frozenset(behind))

    def nests_open_loops(self) -> bool:
        """Tell whether a loop with several exits holds another such: a break that decides a break."""
        every = [loop for loop in nested(set(self._graph), self._graph) if self._is_open(loop)]
        return not self.ways and any(inner < outer for inner in every for outer in every)

    def _is_open(self, loop: set[str]) -> bool:
        return sum(bool(self._graph[block] - loop) for block in loop) > 1

    def carries_values(self) -> bool:
        """Tell whether anything but integers of an inner loop is used behind it."""
        return any(
            self._kind(value) != "integer" or self._becomes_float(use, way)
            for way, value, use in self._crossing()
        )

    def recomputes(self) -> bool:
        """Tell whether what the pass would compute again, or memory, is used behind."""
        return any(
            self._kind(value) == "pointer"
            or (self._kind(value) == "float" and self._is_recomputable(value, way))
            or (self._kind(value) == "integer" and self._becomes_float(use, way))
            for way, value, use in self._crossing()
        )

    def hands_on(self) -> bool:
        """Tell whether the rest of an outer loop uses what the pass would compute again."""
        return any(
            self._kind(value) != "float" or self._is_recomputable(value, way)
            for way in self.ways
            for value, place in self._body.definitions.items()
            if self._body.block_at[place].label in way.inner
            and any(
                self._body.block_at[use].label in way.around
                for use in self._body.uses.get(value, ())
            )
        )

    def _crossing(self) -> Iterator[tuple[_Way, str, int]]:
        """Yield the values of inner loops with their uses behind, by line."""
        for way in self.ways:
            for value, place in self._body.definitions.items():
                if self._body.block_at[place].label in way.inner:
                    yield from ((way, value, use) for use in self._uses(value, way))

    def _uses(self, value: str, way: _Way) -> Iterator[int]:
        for use in self._body.uses.get(value, ()):
            if self._body.block_at[use].label not in way.behind:
                continue
            if self._body.opcodes[use] == "phi":
                from_ = {block for one, block in self._body.incoming(use) if one == value}
                if not from_ & (way.behind | {way.block}):
                    continue
            yield use

    def _kind(self, value: str) -> str:
        """Tell what a value is, from the line that defines it."""
        place = self._body.definitions[value]
        opcode, line = self._body.opcodes[place], self._body.lines[place]
        if opcode in _INTEGER:
            return "integer"
        if opcode in _FLOAT:
            return "float"
        kind = line.split(" = ", 1)[1].split("@", 1)[0]
        kind = kind if opcode == "select" else re.split(r",| %| \[", kind, maxsplit=1)[0]
        if opcode == "getelementptr" or re.search(r"\bptr\b", kind):
            return "pointer"
        return "float" if re.search(r"\b(?:double|float|half)\b", kind) else "integer"

    def _becomes_float(self, use: int, way: _Way) -> bool:
        """Tell whether a float is made of an integer behind, other than by way of a phi."""
        seen: set[int] = set()
        pending = [use]
        while pending:
            line = pending.pop()
            result = next(iter(_VALUES.findall(self._body.lines[line])), "")
            if line in seen or self._body.definitions.get(result) != line:
                continue
            seen.add(line)
            if self._body.opcodes[line] == "phi" or self._body.opcodes[line] in _INTEGER:
                continue
            if self._kind(result) == "float":
                return True
            pending += self._uses(result, way)
        return False

    def _is_recomputable(self, value: str, way: _Way) -> bool:
        """Tell whether no float carried from turn to turn, which is kept, goes into a value."""
        seen: set[str] = set()
        pending = [value]
        while pending:
            one = pending.pop()
            place = self._body.definitions.get(one)
            if one in seen or place is None or self._body.block_at[place].label not in way.inner:
                continue
            seen.add(one)
            if self._body.opcodes[place] != "phi":
                pending += _VALUES.findall(self._body.lines[place].split(" = ", 1)[1])
            elif self._kind(one) == "float":
                return False
        return True


def nested(blocks: set[str], graph: Graph) -> Iterator[set[str]]:
    """Yield all loops among the blocks, outer ones first."""
    for loop in loops(blocks, graph):
        yield loop
        yield from nested(loop - entries(loop, graph), graph)


def _reachable(start: str, beside: set[str], graph: Graph) -> set[str]:
    """Return what can be reached without going into a loop again."""
    seen: set[str] = set()
    pending = [start]
    while pending:
        block = pending.pop()
        if block not in seen and block not in beside:
            seen.add(block)
            pending.extend(graph[block])
    return seen


def _refusal(module: DiffModule, name: str, mode: str) -> DerivativeError:
    message = (
        f"{mode} of `{readable(name.split('.', 1)[-1])}`, which leaves nested loops at once (a "
        "return or a break) and then uses what the inner loop made"
    )
    remedy = (
        "Enzyme would get this wrong. Keep the place in a variable, with a flag in the conditions "
        "of both loops, and use it behind them, or take forward mode outermost"
    )
    return DerivativeError(message, where=module.where, remedy=remedy)
