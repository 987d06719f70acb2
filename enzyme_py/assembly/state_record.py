"""One state that is recorded: what of its loop is rewritten, and how (recurrences.py finds them)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from enzyme_py.rules import blas, copies
from enzyme_py.rules.recurrences import PREFIX

_ONE = "1.000000e+00"


@dataclass(frozen=True)
class Product:
    """A product `y = a x` whose x is the state: the line, and its operands."""

    line: int
    values: Sequence[str]

    @property
    def length(self) -> str:
        """How many elements of the state it reads."""
        return self.values[3] if self.values[1] == str(blas.NOT_TRANSPOSED) else self.values[2]


@dataclass(frozen=True)
class Result:
    """A tanh whose result becomes an element of the next state."""

    line: int
    name: str
    real: str
    given: str
    index: str


@dataclass(frozen=True)
class Turns:
    """How a loop counts: the counter from `start` on, up to `bound`."""

    counter: str
    start: str
    bound: str


@dataclass(frozen=True)
class Record:
    """One state that gets a record, and everything that is rewritten for it."""

    number: int
    letter: str
    buffer: str
    count: str
    turns: Turns
    before: int  # lines: where it is made, where a turn begins, where the state has been copied
    begin: int
    copied: int
    products: Sequence[Product]
    results: Sequence[Result]

    def applied(self, lines: Sequence[str]) -> list[str]:
        """Return the function's lines with the record in them."""
        added: dict[int, list[str]] = {
            self.before: list(self._made()),
            self.begin: list(self._placed()),
            self.copied + 1: list(self._kept()),
        }
        instead = {one.line: list(self._product(one)) for one in self.products}
        instead |= {
            one.line: list(self._result(one, place)) for place, one in enumerate(self.results)
        }
        return [
            line
            for place, old in enumerate(lines)
            for line in [*added.get(place, ()), *instead.get(place, [old])]
        ]

    @property
    def _real(self) -> str:
        return copies.FLOATS[self.letter]

    def _own(self, name: str) -> str:
        return f"%enzyme_py_record.{self.number}{'.' * bool(name)}{name}"

    def _callee(self, name: str) -> str:
        return f"@{PREFIX}{self.letter}{name}"

    def _made(self) -> Iterator[str]:
        """Yield the instructions in front of the loop: the length of a row, and the room."""
        width = self.count
        for place, length in enumerate(dict.fromkeys(one.length for one in self.products)):
            longer, new = self._own(f"longer.{place}"), self._own(f"width.{place}")
            yield f"  {longer} = icmp sgt i64 {length}, {width}"
            yield f"  {new} = select i1 {longer}, i64 {length}, i64 {width}"
            width = new
        yield f"  {self._own('width')} = add i64 {width}, 0"
        yield f"  {self._own('turns')} = sub i64 {self.turns.bound}, {self.turns.start}"
        yield f"  {self._own('rows')} = add i64 {self._own('turns')}, 1"
        yield f"  {self._own('numbers')} = mul i64 {self._own('rows')}, {self._own('width')}"
        yield f"  {self._own('bytes')} = mul i64 {self._own('numbers')}, {copies.SIZES[self.letter]}"
        yield f"  {self._own('')} = call noalias ptr @{PREFIX}room(i64 {self._own('bytes')})"

    def _placed(self) -> Iterator[str]:
        """Yield the instructions at the begin of a turn: where its row is, and the next."""
        yield f"  {self._own('turn')} = sub i64 {self.turns.counter}, {self.turns.start}"
        yield f"  {self._own('at')} = mul i64 {self._own('turn')}, {self._own('width')}"
        yield f"  {self._own('next')} = add i64 {self._own('at')}, {self._own('width')}"
        yield (
            f"  {self._own('row')} = getelementptr {self._real}, ptr {self._own('')}, "
            f"i64 {self._own('at')}"
        )

    def _kept(self) -> Iterator[str]:
        """Yield the instructions at the end of a turn: the new state goes to the next row."""
        row, record = self._own("new"), self._own("")
        yield f"  {row} = getelementptr {self._real}, ptr {record}, i64 {self._own('next')}"
        yield (f"  call void {self._callee('row')}(ptr {row}, ptr {self.buffer}, i64 {self.count})")

    def _product(self, one: Product) -> Iterator[str]:
        _, transposed, m, n, _, a, lda, x, _, _, y, _ = one.values
        row = self._own("row")
        yield (
            f"  call void {self._callee('first')}(ptr {row}, ptr {x}, i64 {one.length}, "
            f"i64 {self._own('turn')})"
        )
        yield (
            f"  call void {self._callee('gemv')}(ptr {a}, ptr {x}, ptr {y}, ptr {row}, "
            f"i64 {transposed}, i64 {m}, i64 {n}, i64 {lda})"
        )

    def _result(self, one: Result, place: int) -> Iterator[str]:
        """Yield a tanh that writes its result down, and takes its slope from there."""

        def own(name: str) -> str:
            return self._own(f"{name}.{place}")

        real = one.real
        suffix = "f" * (real == "float")
        yield f"  {own('given')} = call {real} {self._callee('value')}({real} {one.given})"
        yield f"  {own('value')} = call {real} @tanh{suffix}({real} {own('given')})"
        yield f"  {own('index')} = add i64 {self._own('next')}, {one.index}"
        record, index = f"ptr {self._own('')}", f"i64 {own('index')}"
        yield f"  call void {self._callee('put')}({record}, {index}, {real} {own('value')})"
        yield f"  {own('kept')} = call {real} {self._callee('at')}({record}, {index})"
        yield f"  {own('below')} = fsub {real} {_ONE}, {own('kept')}"
        yield f"  {own('above')} = fadd {real} {_ONE}, {own('kept')}"
        yield f"  {own('slope')} = fmul {real} {own('below')}, {own('above')}"
        yield f"  {own('line')} = fmul {real} {one.given}, {own('slope')}"
        yield (
            f"  {one.name} = call {real} {self._callee('pick')}({real} {own('line')}, "
            f"{real} {own('value')})"
        )
