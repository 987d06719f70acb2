"""States that every turn of a loop makes anew and nobody changes afterwards: they are their own record.

    states = [h]
    for t in range(n):
        h = np.tanh(W @ h + U @ x[t] + b)
        states.append(h)

Here the arrays of all turns stay alive, so recurrences.py, which needs one buffer, has nothing to do. But the
pass cannot see that they stay as they are: it keeps a copy of each for the adjoint of the product, and
the slope of each tanh besides. What it can be told is that product and tanh find in the array itself, in
the reverse sweep, what was there in the forward sweep. That is so if

* the array is private to the function (points_to.py), and is written in the turn that makes it only, by
  the pointer that this turn's allocation gave;
* what the first turn begins with is not written any more once the loop has begun, or is an argument
  that the kernel does not write;
* the reverse sweep has it: it is kept (allocations.py), not made again;
* the product's matrix is an argument that the kernel does not write.

The loop may count its turns or not, and stand in others. As with records, it needs both a product and a tanh.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from enzyme_py.assembly.buffers import derived
from enzyme_py.assembly.ir_text import call_in, plain_name
from enzyme_py.assembly.kept import KEPT
from enzyme_py.assembly.natural_loops import Flow
from enzyme_py.assembly.points_to import PointsTo
from enzyme_py.assembly.state_loop import CARRIED, STORE, StateLoop
from enzyme_py.assembly.state_record import Product, Result
from enzyme_py.rules import copies
from enzyme_py.rules.recurrences import PREFIX


def in_place(lines: Sequence[str], constant: set[str]) -> tuple[list[str], set[str]]:
    """Return a function's lines with such states read where they are, and the letters of their types.

    `constant` are the parameters behind which nothing is written while the function runs.
    """
    if not any(f"@{KEPT}(" in line for line in lines):
        return list(lines), set()
    flow, memory = Flow(lines), PointsTo(lines)
    kept = {call.values[0] for line in lines if (call := call_in(line)) and call.callee == KEPT}
    instead: dict[int, list[str]] = {}
    letters = set[str]()
    for loop in flow.loops(are_simple=False):
        for place in range(flow.blocks[loop.header].start + 1, flow.blocks[loop.header].body + 1):
            if (phi := CARRIED.match(lines[place])) is None:
                continue
            given = {phi.group(3): phi.group(2), phi.group(5): phi.group(4)}
            if set(given) != {loop.preheader, loop.latch}:
                continue
            start, new = given[loop.preheader], given[loop.latch]
            for letter in copies.FLOATS:
                state = _State(lines, flow, loop, letter, new)
                found = state.rewritten(memory, kept, constant, phi.group(1), start)
                if found:
                    letters.add(letter)
                    instead |= found
    return [new for place, old in enumerate(lines) for new in instead.get(place, [old])], letters


class _State(StateLoop):
    """The array that one turn makes for the next."""

    def rewritten(
        self, memory: PointsTo, kept: set[str], constant: set[str], carrier: str, start: str
    ) -> dict[int, list[str]]:
        """Return what stands in place of which lines; nothing if the array is not what is looked for."""
        if memory.targets(self._new) != {self._new} or self._new not in kept:
            return {}
        if not self._is_made_and_written_in_its_turn(memory):
            return {}
        begins = memory.targets(start) - {self._new} - constant
        if not all(one in kept and self._is_left_alone(one, memory) for one in begins):
            return {}
        products = [
            one
            for one in self._products(carrier)
            if self._is_plain(one) and memory.targets(one.values[5]) <= constant
        ]
        results = list(self._results(memory))
        if not products or not results:
            return {}
        named = _Names(self._letter, self._new)
        changed = {one.line: [named.product(one)] for one in products}
        return changed | {one.line: list(named.result(one)) for one in results}

    def _is_made_and_written_in_its_turn(self, memory: PointsTo) -> bool:
        own = derived(self._lines, {self._new})
        return (
            memory.is_private(self._new)
            and self._flow.defined_in(self._new) in self._loop.blocks
            and all(
                pointer in own and self._flow.block_of(line) in self._loop.blocks
                for line, pointer in memory.writes(self._new)
            )
        )

    def _is_left_alone(self, start: str, memory: PointsTo) -> bool:
        """Tell whether an allocation is not written once the loop has begun, until it is made again."""
        made = self._flow.defined_in(start)
        later, pending = set[str](), [self._loop.header]
        while pending:
            label = pending.pop()
            if label not in later and label != made:
                later.add(label)
                pending.extend(self._flow.blocks[label].successors)
        own = derived(self._lines, {start})
        return memory.is_private(start) and all(
            pointer in own and self._flow.block_of(line) not in later
            for line, pointer in memory.writes(start)
        )

    def _results(self, memory: PointsTo) -> Iterator[Result]:
        """Yield the tanh that makes the state, if there is no other write to it."""
        writes = [line for line, _ in memory.writes(self._new)]
        store = STORE.match(self._lines[writes[0]]) if len(writes) == 1 else None
        for result in self._result_of(store, writes[0]) if store else ():
            if self._is_before(self._definitions[self._new], result.line):
                yield result

    def _is_before(self, first: int, second: int) -> bool:
        """Tell whether a line always runs before another does."""
        blocks = [str(self._flow.block_of(line)) for line in (first, second)]
        same = blocks[0] == blocks[1]
        return first < second if same else self._flow.dominates(*blocks)


@dataclass(frozen=True)
class _Names:
    """The instructions for one array, with names of their own."""

    letter: str
    array: str

    def _own(self, name: str) -> str:
        return f'%"enzyme_py_state.{plain_name(self.array)}.{name}"'

    def product(self, one: Product) -> str:
        """Return a product whose adjoint reads the state where it is."""
        _, transposed, m, n, _, a, lda, x, _, _, y, _ = one.values
        return (
            f"  call void @{PREFIX}{self.letter}gemv(ptr {a}, ptr {x}, ptr {y}, ptr {x}, "
            f"i64 {transposed}, i64 {m}, i64 {n}, i64 {lda})"
        )

    def result(self, one: Result) -> Iterator[str]:
        """Yield a tanh that puts its result into the array, and takes its slope from there.

        The array has it from here on, so reading is right in either sweep.
        """
        real, own, place = one.real, f"@{PREFIX}{self.letter}", self._own("place")
        yield f"  {self._own('given')} = call {real} {own}value({real} {one.given})"
        tanh = f"@tanh{'f' * (real == 'float')}"
        yield f"  {self._own('value')} = call {real} {tanh}({real} {self._own('given')})"
        yield f"  {place} = getelementptr {real}, ptr {self.array}, i64 {one.index}"
        yield f"  store {real} {self._own('value')}, ptr {place}"
        yield f"  {self._own('kept')} = call {real} {own}read(ptr {self.array}, i64 {one.index})"
        yield f"  {self._own('below')} = fsub {real} 1.000000e+00, {self._own('kept')}"
        yield f"  {self._own('above')} = fadd {real} 1.000000e+00, {self._own('kept')}"
        slope = self._own("slope")
        yield f"  {slope} = fmul {real} {self._own('below')}, {self._own('above')}"
        yield f"  {self._own('line')} = fmul {real} {one.given}, {slope}"
        yield (
            f"  {one.name} = call {real} {own}pick({real} {self._own('line')}, "
            f"{real} {self._own('value')})"
        )
