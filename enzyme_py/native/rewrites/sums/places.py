"""Where an access of a loop lies: an address in the first iteration, and how far each iteration moves it."""

from __future__ import annotations

from dataclasses import dataclass

from enzyme_py.llvm import Builder, Function, Load, Phi, Store, Value
from enzyme_py.llvm.analyses.addresses import Address, Addresses
from enzyme_py.llvm.analyses.loops import Loop

BYTES = {"double": 8, "float": 4}  # of what is added


@dataclass(frozen=True)
class Place:
    """An address, by how many bytes an iteration moves it, and how many are accessed."""

    address: Address
    step: int
    size: int

    @property
    def key(self) -> tuple[Value, frozenset[tuple[Value, int]]]:
        """What two accesses have in common that are a known number of bytes apart."""
        assert self.address.offset is not None
        return self.address.base, frozenset(self.address.offset.parts.items())

    @property
    def number(self) -> int:
        """The known number of bytes."""
        assert self.address.offset is not None
        return self.address.offset.number

    def same_as(self, other: Place, bytes_: int = 0) -> bool:
        """Tell whether this is where another one is, so many bytes before it."""
        return (self.key, self.step, self.number + bytes_) == (other.key, other.step, other.number)

    def offset(self, at: Builder, phis: dict[Phi, Value]) -> Value:
        """Compute how far from its base the place is, where the loop's phis have given values."""
        assert self.address.offset is not None
        total: Value = at.constant("i64", self.number)
        for part, bytes_ in self.address.offset.parts.items():
            value = phis.get(part, part)  # type: ignore[call-overload]
            total = at.add(total, at.mul(value, bytes_))
        return total


def place_of(function: Function, loop: Loop, one: Load | Store) -> Place | None:
    """Return where an access lies, if a known number of bytes moves it in each iteration, or none does."""
    kind = one.value.type if isinstance(one, Store) else one.type
    size = BYTES.get(kind, 8 if kind in ("i64", "ptr") else 0)
    address = function.analysis(Addresses).of(one.pointer)
    if not size or address.offset is None or not loop.is_invariant(address.base):
        return None
    counters: dict[Value, int] = {each.phi: each.step for each in loop.counters}
    step = 0
    for part, bytes_ in address.offset.parts.items():
        if part.type != "i64":
            return None
        if part in counters:
            step += counters[part] * bytes_
        elif not loop.is_invariant(part):
            return None
    return Place(address, step, size)
