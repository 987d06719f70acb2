"""One carried state in its loop: the products that read it, and the tanh whose results it is made of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from enzyme_py.assembly.buffers import used
from enzyme_py.assembly.control_flow import NAME
from enzyme_py.assembly.far_exits import nested
from enzyme_py.assembly.ir_text import call_in
from enzyme_py.assembly.natural_loops import Flow, Loop
from enzyme_py.assembly.state_record import Product, Result
from enzyme_py.rules import blas, copies

CARRIED = re.compile(rf"^  ({NAME}) = phi ptr \[ ([^,]+), ({NAME}) \], \[ ([^,]+), ({NAME}) \]")
COUNTER = re.compile(rf"^  ({NAME}) = phi i64 \[ ([^,]+), ({NAME}) \], \[ ([^,]+), ({NAME}) \]")
STEP = re.compile(rf"^  ({NAME}) = add (?:nuw |nsw )*i64 ({NAME}), 1(?:,|$)")
STORE = re.compile(rf"^  store (double|float) ({NAME}), ptr ({NAME})(?:,|$)")
_TANH = re.compile(
    rf"^  ({NAME}) = (?:tail )?call (?:\w+ )*(double|float) @tanhf?\((?:double|float) ({NAME})\)"
)
_ELEMENT = re.compile(
    rf"^  ({NAME}) = getelementptr (?:\w+ )*(?:double|float), ptr ({NAME}), i64 ({NAME})(?:,|$)"
)
_ONES = ("1.000000e+00", "1.0")
_ZEROS = ("0.000000e+00", "0.0")


class StateLoop:
    """A loop, and the memory that it makes in each turn for the next state."""

    def __init__(self, lines: Sequence[str], flow: Flow, loop: Loop, letter: str, new: str) -> None:
        self._lines, self._flow, self._loop = lines, flow, loop
        self._letter, self._new = letter, new
        self._definitions = {
            found.group(1): number
            for number, line in enumerate(lines)
            if (found := re.match(rf"^  ({NAME}) = ", line))
        }

    def _in_header(self) -> Iterator[str]:
        block = self._flow.blocks[self._loop.header]
        yield from self._lines[block.start + 1 : block.body + 1]

    def _incoming(self, phi: re.Match[str] | None) -> tuple[str, str] | None:
        """Return what a phi of the header is before the loop, and after a turn."""
        if phi is None:
            return None
        given = {phi.group(3): phi.group(2), phi.group(5): phi.group(4)}
        if set(given) != {self._loop.preheader, self._loop.latch}:
            return None
        return given[self._loop.preheader], given[self._loop.latch]

    def _line_of(self, value: str) -> str:
        place = self._definitions.get(value)
        return "" if place is None else self._lines[place]

    def _products(self, state: str) -> Iterator[Product]:
        """Yield the products in the loop that take the state as their vector."""
        symbol = blas.ROUTINES["gemv"].symbol(self._letter)
        for number, line in used(self._lines, {state}):
            call = call_in(line)
            is_inside = self._flow.block_of(number) in self._loop.blocks
            if call is not None and call.callee == symbol and call.values[7] == state and is_inside:
                yield Product(number, call.values)

    def _is_plain(self, product: Product) -> bool:
        """Tell whether a product is `y = a x` of what lies side by side, a transposed or not."""
        layout, transposed, _, _, alpha, _, _, _, step, beta, _, other = product.values
        return (
            (layout, step, other) == (str(blas.COLUMN_MAJOR), "1", "1")
            and transposed in (str(blas.NOT_TRANSPOSED), str(blas.TRANSPOSED))
            and alpha in _ONES
            and beta in _ZEROS
        )

    def _result_of(self, store: re.Match[str], line: int) -> Iterator[Result]:
        """Yield the tanh that a store puts into the new state, if it is one for each element."""
        real, value, place = store.groups()
        made = _TANH.match(self._line_of(value))
        element = _ELEMENT.match(self._line_of(place))
        if made is None or element is None or element.group(2) != self._new:
            return
        index = element.group(3)
        if self._flow.defined_in(value) != self._flow.block_of(line):
            return  # it is not stored wherever it is computed
        if real == copies.FLOATS[self._letter] and self._runs_through(index, value):
            yield Result(self._definitions[value], value, real, made.group(3), index)

    def _runs_through(self, index: str, value: str) -> bool:
        """Tell whether a loop just inside ours counts the index, so that each comes once a turn."""
        header, block = (str(self._flow.defined_in(one)) for one in (index, value))
        phi = COUNTER.match(self._line_of(index))
        graph = {label: set(one.successors) for label, one in self._flow.blocks.items()}
        around = [loop for loop in nested(set(graph), graph) if block in loop]
        inside = [loop for loop in around if loop < self._loop.blocks]
        if phi is None or len(inside) != 1 or not self._flow.dominates(header, block):
            return False
        given = {phi.group(3): phi.group(2), phi.group(5): phi.group(4)}
        (inner,) = inside
        repeated = [one for label, one in given.items() if label in inner]
        step = STEP.match(self._line_of(repeated[0])) if len(repeated) == 1 else None
        return header in inner and step is not None and step.group(2) == index
