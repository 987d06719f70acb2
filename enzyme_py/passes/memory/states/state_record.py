"""What is built for a state that has a record (recorded_states.py finds them; rules/recurrences.py says what is called)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from enzyme_py.llvm import Block, Builder, Call, Function, Instruction, Value
from enzyme_py.passes.memory.states.state_loop import Product, Result
from enzyme_py.rules import copies
from enzyme_py.rules.recurrences import PREFIX, declarations


@dataclass(frozen=True)
class Callees:
    """The functions that write and read records, for numbers of one precision."""

    function: Function
    letter: str

    def __post_init__(self) -> None:
        code = self.function.module
        if code.get(f"{PREFIX}{self.letter}gemv") is None:
            code.add_text(declarations(self.letter))

    @property
    def real(self) -> str:
        """The type of the numbers."""
        return copies.FLOATS[self.letter]

    def __call__(self, at: Builder, name: str, given: Sequence[Value], wish: str = "") -> Call:
        """Call a function of the record."""
        own = "room" if name == "room" else f"{self.letter}{name}"
        return at.call(self.function.module.function(f"{PREFIX}{own}"), given, wish)

    def product(self, one: Product, row: Value) -> None:
        """Put a product whose adjoint reads the state in a row in place of another."""
        _, transposed, m, n, _, a, lda, x, _, _, y, _ = one.given
        at = Builder(one.call, keeps_location=True)
        sizes = [self._wide(at, each) for each in (transposed, m, n, lda)]
        self(at, "gemv", [a, x, y, row, *sizes])
        one.call.erase()

    def _wide(self, at: Builder, size: Value) -> Value:
        """Return a constant of gemv's i32 as i64."""
        return size if size.type == "i64" else at.constant("i64", size.ref)

    def slope(self, at: Builder, one: Result, value: Value, cached: Value, name: str) -> None:
        """Put the tanh that takes its slope, (1 - y) (1 + y), from what was read in place of another."""
        unit = at.constant(self.real, "1.000000e+00")
        below = at.arithmetic("fsub", unit, cached, f"{name}.below")
        above = at.arithmetic("fadd", unit, cached, f"{name}.above")
        slope = at.arithmetic("fmul", below, above, f"{name}.slope")
        line = at.arithmetic("fmul", one.given, slope, f"{name}.line")
        result = self(at, "pick", [line, value], f"{name}.result")
        one.call.replace_under_its_name(result)

    def value(self, at: Builder, one: Result, name: str) -> Call:
        """Compute the value of a tanh, which has no derivative so."""
        given = self(at, "value", [one.given], f"{name}.given")
        return at.call(one.call.target, [given], f"{name}.value")


@dataclass(frozen=True)
class IterationCount:
    """How a loop counts: the counter from `start` on, up to `bound`."""

    counter: Value
    start: Value
    bound: Value


@dataclass(frozen=True)
class Record:
    """One state that gets a record, and everything that is rewritten for it."""

    number: int
    letter: str
    buffer: Value
    count: Value
    iterations: IterationCount
    preheader: Block
    header: Block
    copied: Instruction
    products: Sequence[Product]
    results: Sequence[Result]

    def apply(self, function: Function) -> None:
        """Put the record into the function."""
        call = Callees(function, self.letter)
        width, record = self._make(call)
        row, index, following = self._place(call, width, record)
        end = Builder.after(self.copied)
        new = end.gep(call.real, record, [following], self._own("new"))
        call(end, "row", [new, self.buffer, self.count])
        for one in self.products:
            at = Builder(one.call, keeps_location=True)
            call(at, "first", [row, one.given[7], one.length, index])
            call.product(one, row)
        for place, result in enumerate(self.results):
            self._keep(call, result, record, following, self._own(f"result.{place}"))

    def _own(self, name: str) -> str:
        return f"record.{self.number}.{name}"

    def _make(self, call: Callees) -> tuple[Value, Value]:
        """Make the record in front of the loop: the length of a row, and the room."""
        at, width = Builder(self.preheader.terminator), self.count
        for length in dict.fromkeys(one.length for one in self.products):
            longer = at.compare("sgt", length, width, self._own("longer"))
            width = at.select(longer, length, width, self._own("width"))
        width = at.add(width, 0, self._own("width"))
        count = at.sub(self.iterations.bound, self.iterations.start, self._own("iterations"))
        rows = at.add(count, 1, self._own("rows"))
        numbers = at.mul(rows, width, self._own("numbers"))
        size = at.mul(numbers, copies.SIZES[self.letter], self._own("bytes"))
        record = call(at, "room", [size], self._own("room"))
        record.set_flags(["noalias"])
        return width, record

    def _place(self, call: Callees, width: Value, record: Value) -> tuple[Value, Value, Value]:
        """Say at the beginning of an iteration where its row is, which it is, and where the next row begins."""
        at, counted = Builder.at_start(self.header), self.iterations
        index = at.sub(counted.counter, counted.start, self._own("iteration"))
        here = at.mul(index, width, self._own("at"))
        following = at.add(here, width, self._own("next"))
        return at.gep(call.real, record, [here], self._own("row")), index, following

    @staticmethod
    def _keep(call: Callees, one: Result, record: Value, row: Value, name: str) -> None:
        """Let a tanh write its result down, and take its slope from there."""
        at = Builder(one.call, keeps_location=True)
        value = call.value(at, one, name)
        index = at.add(row, one.index, f"{name}.index")
        call(at, "put", [record, index, value])
        call.slope(at, one, value, call(at, "at", [record, index], f"{name}.cached"), name)
