"""Addresses as sums: where they begin, so many bytes for each value that moves them, and a number of bytes.

What a value is made from is followed through additions and products with numbers; whatever else there is, is a
value by itself. A variable that each iteration of a loop moves by the same number is one that steps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from enzyme_py.llvm import types
from enzyme_py.llvm.analyses import Analysis
from enzyme_py.llvm.analyses.dominators import Dominators
from enzyme_py.llvm.blocks import Block
from enzyme_py.llvm.instructions import Arithmetic, GetElementPtr, Phi, Select
from enzyme_py.llvm.values import Constant, Value

if TYPE_CHECKING:
    from enzyme_py.llvm.functions import Function

_DEEPEST = 40
_MOST = 12  # alternatives of one sum
_WORD = 64


def wrapped(number: int) -> int:
    """Return a number as an integer of 64 bits holds it.

    LLVM writes 2**60 - 1 for the -1 of `shl (i - 1), 4`: the bits that this shifts out it has left away.
    """
    return (number + (1 << _WORD - 1)) % (1 << _WORD) - (1 << _WORD - 1)


@dataclass(frozen=True)
class Sum:
    """So many times each value, and a number, in integers of 64 bits."""

    parts: Mapping[Value, int] = field(default_factory=dict)
    number: int = 0

    def plus(self, other: Sum, times: int = 1) -> Sum:
        """Return this sum with a multiple of another one added."""
        parts = dict(self.parts)
        for value, count in other.parts.items():
            parts[value] = parts.get(value, 0) + count * times
        kept = {value: count for value, one in parts.items() if (count := wrapped(one))}
        return Sum(kept, wrapped(self.number + other.number * times))


@dataclass(frozen=True)
class Address:
    """Where a pointer begins, and how far from there it lies; None where that is not known."""

    base: Value
    offset: Sum | None


class Addresses(Analysis):
    """The addresses of one function, and the variables that step.

    `steps` has, for each variable met so far, the header of its loop and by how much an iteration moves it.
    """

    def __init__(self, function: Function) -> None:
        super().__init__(function)
        self.steps: dict[Value, tuple[Block, int]] = {}
        self._sums: dict[Value, Sum] = {}
        self._addresses: dict[Value, Address] = {}

    def of(self, pointer: Value) -> Address:
        """Return the address that a pointer holds."""
        if pointer not in self._addresses:
            self._addresses[pointer] = Address(pointer, Sum())  # for whoever comes back here
            self._addresses[pointer] = self._address(pointer)
        return self._addresses[pointer]

    def _address(self, pointer: Value) -> Address:
        if isinstance(pointer, GetElementPtr):
            below, moved = self.of(pointer.pointer), self._moved(pointer)
            if below.offset is None or moved is None:
                return Address(below.base, None)
            return Address(below.base, below.offset.plus(moved))
        if isinstance(pointer, Phi) and (walk := self._walk(pointer)):
            start, step = walk
            below = self.of(start)
            if below.offset is not None:
                self.steps[pointer] = pointer.home, step
                return Address(below.base, below.offset.plus(Sum({pointer: 1})))
        return Address(pointer, Sum())

    def _moved(self, element: GetElementPtr) -> Sum | None:
        """Return by how many bytes a pointer is moved."""
        kind, total = element.source_type, Sum()
        for place, index in enumerate(element.indices):
            if place:
                if types.is_struct(kind):
                    offsets = types.offsets_of(kind)
                    number = index.integer if isinstance(index, Constant) else None
                    if offsets is None or number is None:
                        return None
                    total = total.plus(Sum(number=offsets[number]))
                    kind = types.element_at(kind, number)
                    continue
                if not (types.is_array(kind) or types.is_vector(kind)):
                    return None
                kind = types.counted(kind)[1]
            size = types.size_of(kind)
            if size is None or types.is_vector(index.type):
                return None
            total = total.plus(self.sum_of(index), size)
        return total

    def carried(self, phi: Phi) -> list[Value]:
        """Return what goes into the next iteration by a phi: nothing, if it heads no loop."""
        dominators = self.function.analysis(Dominators)
        return [value for value, way in phi.incoming if dominators.dominates(phi.home, way)]

    def _walk(self, pointer: Phi) -> tuple[Value, int] | None:
        """Return where a pointer begins that each iteration of its loop moves by so many bytes."""
        starts, steps = set[Value](), set[int]()
        dominators = self.function.analysis(Dominators)
        for given, way in pointer.incoming:
            if not dominators.dominates(pointer.home, way):
                starts.add(given)
                continue
            moved, value = 0, given
            while value is not pointer:
                step = self._moved(value) if isinstance(value, GetElementPtr) else None
                if step is None or step.parts or not isinstance(value, GetElementPtr):
                    return None
                moved += step.number
                value = value.pointer
            steps.add(moved)
        return (starts.pop(), steps.pop()) if len(starts) == len(steps) == 1 else None

    def sum_of(self, value: Value, depth: int = 0) -> Sum:
        """Return an integer as a sum."""
        if isinstance(value, Constant):
            return Sum({value: 1}) if value.integer is None else Sum(number=value.integer)
        if value not in self._sums:
            self._sums[value] = Sum({value: 1})  # for whoever comes back here
            self._sums[value] = self._sum(value, depth)
        return self._sums[value]

    def _sum(self, value: Value, depth: int) -> Sum:
        if isinstance(value, Arithmetic) and value.type == "i64" and depth < _DEEPEST:
            one, other = (self.sum_of(operand, depth + 1) for operand in value.operands)
            code = value.opcode
            if code in ("add", "sub") or (code == "or" and "disjoint" in value.flags):
                return one.plus(other, -1 if code == "sub" else 1)
            if code == "mul" and not (one.parts and other.parts):
                factor, factored = (one, other) if other.parts else (other, one)
                return Sum().plus(factored, factor.number)
            if code == "shl" and not other.parts and 0 <= other.number < _WORD:
                return Sum().plus(one, 1 << other.number)
            if code == "xor" and not other.parts and other.number == -1:
                return Sum(number=-1).plus(one, -1)
        elif isinstance(value, Phi) and value.type == "i64":  # a narrower one may wrap
            self._note(value)
        return Sum({value: 1})

    def _note(self, variable: Phi) -> None:
        """Note an integer that steps by a number."""
        steps = set[int]()
        for value in self.carried(variable):
            moved = self.sum_of(value)
            if moved.parts != {variable: 1}:
                return
            steps.add(moved.number)
        if len(steps) == 1:
            self.steps[variable] = variable.home, steps.pop()

    def alternatives(self, total: Sum) -> list[Sum]:
        """Return what a sum comes to for each value that is chosen (not by the iteration), itself the first.

        Where a number or something that moves is chosen, the number is left out: `0 if n == 1 else i` in broadcasting.
        """
        found, done = [total], 0
        while done < len(found) <= _MOST:
            here = found[done]
            done += 1
            for value, count in here.parts.items():
                rest = here.plus(Sum({value: count}), -1)
                for arm in self._arms(value):
                    other = rest.plus(self.sum_of(arm), count)
                    if other not in found:
                        found.append(other)
        return found

    def _arms(self, value: Value) -> list[Value]:
        if isinstance(value, Select):
            return [one for one in value.arms if not isinstance(one, Constant)] or list(value.arms)
        if isinstance(value, Phi) and value not in self.steps and not self.carried(value):
            return list(value.values)
        return []

    def bases(self) -> Iterator[tuple[Value, Address]]:
        """Yield the addresses that were asked for so far."""
        yield from self._addresses.items()
