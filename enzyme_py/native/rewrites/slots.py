"""Places in memory that pointers are put into and taken from, where that can be followed.

What LLVM could not put into registers stays in memory: Numba gives the address of an array's shape
to the function that reshapes it, so the whole record of the array, its pointer included, lies on the
stack, and with it the header of the array, in which the pointer stands too. A variable is followed if
all that is done with it is loading, storing, and calls that are known not to look for pointers in it; so is
an allocation whose own address is at most put where nobody takes it from. What is loaded may then be
anything that was stored at that place.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from enzyme_py.llvm import Alloca, Call, Function, GetElementPtr, Instruction, Load, Store, Value
from enzyme_py.llvm.analyses.addresses import Addresses
from enzyme_py.llvm.analyses.dominators import Dominators
from enzyme_py.llvm.types import size_of

_LOOK_FOR_NO_POINTERS = (
    "numba_attempt_nocopy_reshape",  # reads and writes sizes and strides, beside which the pointer lies
    "llvm.lifetime.start.",
    "llvm.lifetime.end.",
    "llvm.memset.",
)
_POINTER = 8


@dataclass
class _Variable:
    """One such variable: the offsets of its addresses, and its loads with offsets and sizes."""

    offsets: dict[Value, int]
    loads: list[tuple[int, int, Load]] = field(default_factory=list)


class Slots:
    """The variables of one function that can be followed, among them some of its allocations."""

    def __init__(self, function: Function, allocations: Iterable[Instruction]) -> None:
        self._addresses = function.analysis(Addresses)
        self._dominators = function.analysis(Dominators)
        self._places: dict[Value, tuple[_Variable, int]] = {}
        local = (one for one in function.instructions if isinstance(one, Alloca))
        for one in (*local, *allocations):
            variable = self._followed(one)
            if variable is not None:
                for address, offset in variable.offsets.items():
                    self._places[address] = (variable, offset)

    def loads_of(self, store: Store) -> list[Load] | None:
        """Return what may load the pointer that is stored, or None where that is not known.

        All of them must come behind the store on every path: then what they load was not
        stored in an earlier iteration of a loop.
        """
        loads = self._loads_at(store)
        if loads is None or not all(self._dominators.is_available(store, one) for one in loads):
            return None
        return loads

    def _loads_at(self, store: Store) -> list[Load] | None:
        if store.is_atomic or store.pointer not in self._places:
            return None
        variable, place = self._places[store.pointer]
        return [
            one for at, size, one in variable.loads if at < place + _POINTER and place < at + size
        ]

    def _followed(self, memory: Instruction) -> _Variable | None:
        variable = _Variable({memory: 0})
        pending: list[Value] = [memory]
        while pending:
            address = pending.pop()
            for user in address.users:
                if isinstance(user, GetElementPtr):
                    offset = self._addresses.of(user).offset
                    if offset is None or offset.parts:
                        return None
                    variable.offsets[user] = offset.number
                    pending.append(user)
                elif not self._is_followed(variable, address, user):
                    return None
        return variable

    def _is_followed(self, variable: _Variable, address: Value, user: Instruction) -> bool:
        """Note what an instruction does with an address; tell whether that is understood."""
        if isinstance(user, Load):
            size = size_of(user.type)
            if size is not None:
                variable.loads.append((variable.offsets[address], size, user))
            return size is not None and not user.is_atomic
        if isinstance(user, Store):
            # Its own address may be put where nobody takes it from.
            is_stored = user.value is address
            return not user.is_atomic and (not is_stored or self._loads_at(user) == [])
        return isinstance(user, Call) and user.callee.startswith(_LOOK_FOR_NO_POINTERS)
