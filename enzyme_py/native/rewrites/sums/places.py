"""Where an access of a loop lies: an address in the first iteration, and how far each iteration moves it.

Some of it is known while running only. What is usual (guesses.py) is taken for true here, and asked in front of the loop.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from enzyme_py.llvm import Builder, Function, Load, Phi, Store, Value
from enzyme_py.llvm.analyses.addresses import Address, Addresses, Sum
from enzyme_py.llvm.analyses.loops import Loop
from enzyme_py.native.rewrites.sums.guesses import usual_number, usual_of

BYTES = {"double": 8, "float": 4}  # of what is added


@dataclass(frozen=True)
class Place:
    """An address, by how many bytes an iteration moves it, and how many are accessed.

    `guessed` is what some values from outside of the loop are taken for.
    """

    address: Address
    step: int
    size: int
    guessed: tuple[tuple[Value, int], ...] = ()

    @property
    def key(self) -> tuple[Value, frozenset[tuple[Value, int]]]:
        """What two accesses have in common that are a known number of bytes apart."""
        assert self.address.offset is not None
        known = dict(self.guessed)
        parts = ((part, bytes_) for part, bytes_ in self.address.offset.parts.items() if part not in known)
        return self.address.base, frozenset(parts)

    @property
    def number(self) -> int:
        """The known number of bytes."""
        offset = self.address.offset
        assert offset is not None
        return offset.number + sum(number * offset.parts.get(part, 0) for part, number in self.guessed)

    def with_guesses(self) -> Place:
        """Return the place with the usual numbers for what has one."""
        assert self.address.offset is not None
        usual = ((part, usual_number(part)) for part in self.address.offset.parts)
        known = tuple((part, number) for part, number in usual if number is not None)
        return replace(self, guessed=(*self.guessed, *known))

    def same_as(self, other: Place, bytes_: int = 0) -> bool:
        """Tell whether this is where another one is, so many bytes before it."""
        return (self.key, self.step, self.number + bytes_) == (other.key, other.step, other.number)

    def offset(self, at: Builder, phis: dict[Phi, Value]) -> Value:
        """Compute how far from its base the place is, where the loop's phis have given values."""
        assert self.address.offset is not None
        total: Value = at.constant("i64", self.address.offset.number)
        for part, bytes_ in self.address.offset.parts.items():
            value = phis.get(part, part)  # type: ignore[call-overload]
            total = at.add(total, at.mul(value, bytes_))
        return total

    def pointer(self, at: Builder, phis: dict[Phi, Value]) -> Value:
        """Compute where the place is, where the loop's phis have given values."""
        return at.gep("i8", self.address.base, [self.offset(at, phis)])


def place_of(function: Function, loop: Loop, one: Load | Store, *, guess: bool = False) -> Place | None:
    """Return where an access lies, if a known number of bytes moves it in each iteration, or none does.

    With `guess`, arrays are taken to be usual ones.
    """
    kind = one.value.type if isinstance(one, Store) else one.type
    size = BYTES.get(kind, 8 if kind in ("i64", "ptr") else 0)
    addresses = function.analysis(Addresses)
    address, guessed = addresses.of(one.pointer), dict[Value, int]()
    if not size or address.offset is None or not loop.is_invariant(address.base):
        return None
    offset = address.offset
    for part, bytes_ in offset.parts.items() if guess else ():
        if (usual := usual_of(part, loop)) is not None:
            offset = offset.plus(Sum({part: bytes_}), -1).plus(addresses.sum_of(usual.operand), bytes_ * usual.times)
            guessed[usual.condition] = usual.wanted
    counters: dict[Value, int] = {each.phi: each.step for each in loop.counters}
    step = 0
    for part, bytes_ in offset.parts.items():
        if part.type != "i64":
            return None
        if part in counters:
            step += counters[part] * bytes_
        elif not loop.is_invariant(part):
            return None
    return Place(Address(address.base, offset), step, size, tuple(guessed.items()))
