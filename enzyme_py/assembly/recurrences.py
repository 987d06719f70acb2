"""Keeping the states of a recurrence once instead of twice (rules/recurrences.py says how they are read).

What is rewritten is a loop that stable_buffers has gone over: a state in one buffer, made anew in
every turn and copied there at its end. The states' record needs

* to be made in front of the loop: the loop counts its turns, and is in no other;
* to have one number of elements a row, known there too;
* what its readers take for unchanged to be so: the state is written by that copy only, and the matrix
  of the product is an argument that the kernel does not write (untouched.py).

Then every product that takes the state, and the tanh whose results it is made of, read the record. Only
where there are both: otherwise the pass keeps one array a turn itself. Only first derivatives in reverse
mode: rules cannot be differentiated twice (block_copies.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from enzyme_py.assembly.allocations import Pointers
from enzyme_py.assembly.buffers import COPIER, derived, used
from enzyme_py.assembly.control_flow import NAME
from enzyme_py.assembly.ir_text import call_in, functions_in, value_of
from enzyme_py.assembly.module import DiffModule
from enzyme_py.assembly.natural_loops import Flow, Loop
from enzyme_py.assembly.requests import Requests
from enzyme_py.assembly.state_loop import CARRIED, COUNTER, STEP, STORE, StateLoop
from enzyme_py.assembly.state_record import Product, Record, Result, Turns
from enzyme_py.assembly.states_in_place import in_place
from enzyme_py.frontend.type_hints import HINT
from enzyme_py.rules import blas, copies
from enzyme_py.rules.recurrences import declarations

_COPIED = re.compile(
    rf"^  (?:tail )?call void @{COPIER}([ds])\(ptr ({NAME}), ptr ({NAME}), i64 ({NAME}|\d+), "
)
_COMPARED = re.compile(rf"^  ({NAME}) = icmp (eq|ne) i64 ({NAME}), ({NAME}|\d+)(?:,|$)")
_BRANCH = re.compile(rf"^  br i1 ({NAME}), label ({NAME}), label ({NAME})")
_LOAD = re.compile(rf"^  {NAME} = load (?:double|float), ptr ({NAME})(?:,|$)")
_OFFSET = re.compile(rf"^  {NAME} = getelementptr .*?, ptr {NAME}(?:,|$)")


def with_records(module: DiffModule) -> DiffModule:
    """Return the prepared module with records of its recurrences' states; itself if it has none."""
    if "@tanh" not in module.ir or "@enzyme_runtime_activity" in module.ir:
        return module
    requests = Requests(module.ir).all()
    if len(requests) != 1 or "@__enzyme_autodiff" not in module.ir:
        return module
    request = next(iter(requests))
    if not request.is_reverse or request.width != 1:
        return module
    function = next((one for one in functions_in(module.ir) if one.name == request.target), None)
    if function is None:
        return module
    constant = {value_of(one) for one in function.declared if "noalias readonly" in one}
    own = re.compile(rf'define [^(]*@"?{re.escape(request.target)}"?\(')
    pieces = re.split(r"(?m)^(?=define )", module.ir)
    place = next(number for number, one in enumerate(pieces) if own.match(one))
    body, end, rest = pieces[place].partition("\n}")
    lines, letters = body.split("\n"), list[str]()
    while (record := next(_records(lines, constant, len(letters)), None)) is not None:
        letters.append(record.letter)
        lines = record.applied(lines)
    lines, others = in_place(lines, constant)
    letters.extend(others)
    if not letters:
        return module
    pieces[place] = "\n".join(lines) + end + rest
    # What both precisions need is declared once.
    added = "".join(map(declarations, sorted(set(letters)))).split("\n")
    return replace(module, ir="\n".join(["".join(pieces), *dict.fromkeys(added)]) + "\n")


def _records(lines: Sequence[str], constant: set[str], number: int) -> Iterator[Record]:
    """Yield the states of a function that can have a record."""
    flow, pointers = Flow(lines), Pointers(list(lines))
    loops = flow.loops()
    for place, line in enumerate(lines):
        if (found := _COPIED.match(line)) is None:
            continue
        loop = next((one for one in loops if one.latch == flow.block_of(place)), None)
        if loop is not None and not flow.is_repeated(flow.terminator(loop.preheader)):
            state = _State(lines, flow, loop, found, place)
            record = state.record(pointers, constant, number)
            if record is not None:
                yield record


class _State(StateLoop):
    """One carried state in a buffer."""

    def __init__(
        self,
        lines: Sequence[str],
        flow: Flow,
        loop: Loop,
        copied: re.Match[str],
        place: int,
    ) -> None:
        letter, self._buffer, new, self._count = copied.groups()
        super().__init__(lines, flow, loop, letter, new)
        self._place = place

    def record(self, pointers: Pointers, constant: set[str], number: int) -> Record | None:
        """Return what is to be rewritten, or None."""
        turns, state = self._turns(), self._carrier()
        if turns is None or state is None or not self._is_left_at_its_end():
            return None
        products = [one for one in self._products(state) if self._fits(one, pointers, constant)]
        results = list(self._results())
        if not products or not results or not self._is_only_read(state):
            return None
        return Record(
            number,
            self._letter,
            self._buffer,
            self._count,
            turns,
            self._flow.terminator(self._loop.preheader),
            self._flow.blocks[self._loop.header].body + 1,
            self._place,
            products,
            results,
        )

    # -- the loop ------------------------------------------------------------------------------------

    def _turns(self) -> Turns | None:
        leaves = _BRANCH.match(self._lines[self._flow.terminator(self._loop.latch)])
        compared = leaves and _COMPARED.match(self._line_of(leaves.group(1)))
        if not leaves or not compared:
            return None
        _, kind, moved, bound = compared.groups()
        goes_on = leaves.group(3 if kind == "eq" else 2)
        step = STEP.match(self._line_of(moved))
        if goes_on != self._loop.header or step is None:
            return None
        counter = COUNTER.match(self._line_of(step.group(2)))
        given = self._incoming(counter)
        is_counted = given is not None and given[1] == moved
        if given is None or not is_counted or not self._is_known_before(bound, given[0]):
            return None
        return Turns(step.group(2), given[0], bound)

    def _is_known_before(self, *values: str) -> bool:
        return all(self._flow.is_available(one, self._loop.preheader) for one in values)

    def _is_left_at_its_end(self) -> bool:
        """Tell whether nothing but a raise leaves the loop before its latch."""
        for label in self._loop.blocks - {self._loop.latch}:
            for following in self._flow.blocks[label].successors:
                last = self._lines[self._flow.terminator(following)].strip()
                if following not in self._loop.blocks and not last.startswith("unreachable"):
                    return False
        return True

    def _carrier(self) -> str | None:
        """Return the phi that is the state at the begin of a turn, if there is one."""
        found = [
            phi.group(1)
            for line in self._in_header()
            if (phi := CARRIED.match(line)) and self._buffer in phi.groups()
        ]
        return found[0] if len(found) == 1 else None

    # -- who reads and who writes --------------------------------------------------------------------

    def _fits(self, product: Product, pointers: Pointers, constant: set[str]) -> bool:
        return (
            self._is_plain(product)
            and pointers.origins(product.values[5]) <= constant
            and pointers.origins(product.values[10]) <= pointers.roots
            and self._is_known_before(product.length)
        )

    def _is_only_read(self, state: str) -> bool:
        """Tell whether the state is written by nothing but the copy at the end of a turn."""
        known = derived(self._lines, {state, self._buffer})
        return all(
            number in (self._place, self._definitions[state]) or self._reads(line, known)
            for number, line in used(self._lines, known)
            if self._flow.block_of(number) in self._loop.blocks
        )

    def _reads(self, line: str, known: set[str]) -> bool:
        if _LOAD.match(line) or _OFFSET.match(line):
            return True
        call = call_in(line)
        if call is None:
            return False
        if call.callee.startswith(HINT):
            return True
        if call.callee.endswith(blas.SUFFIX):
            written = [value_of(one) for one in call.operands if one.startswith("ptr ")][-1]
            return written not in known
        return copies.is_body(call.callee) and call.values[0] not in known

    def _results(self) -> Iterator[Result]:
        """Yield the tanh that makes the new state, if nothing else does."""
        known = derived(self._lines, {self._new})
        stores = []
        for number, line in used(self._lines, known):
            store = STORE.match(line)
            if store and store.group(3) in known:
                stores.append((store, number))
            elif number != self._place and not self._is_made_or_ends(line, known):
                return
        if len(stores) == 1:
            yield from self._result_of(*stores[0])

    def _is_made_or_ends(self, line: str, known: set[str]) -> bool:
        """Tell whether a line only makes, reads or frees what is known."""
        call = call_in(line)
        is_own = call is not None and call.callee in ("malloc", "calloc", "free")
        return is_own or self._reads(line, known)
