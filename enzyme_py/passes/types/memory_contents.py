"""What a block of memory holds, concluded from all loads and stores of it, wherever they stand: in a function, and in those that it hands the block to."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import gcd

from enzyme_py.llvm import (
    Argument,
    Call,
    Constant,
    Function,
    Instruction,
    Load,
    Store,
    Value,
    types,
)
from enzyme_py.llvm.analyses.addresses import Address, Addresses
from enzyme_py.llvm.analyses.allocations import ALLOCATORS
from enzyme_py.llvm.analyses.points_to import sources
from enzyme_py.symbols import HINT

COPIES = ("llvm.memcpy.", "llvm.memmove.")
FILLS = ("llvm.memset.", *COPIES)
_HARMLESS = ("free", "llvm.lifetime.", HINT, *FILLS)
_DEEPEST = 8
_MAKERS = (*ALLOCATORS, "realloc", "aligned_alloc", "_Znwm", "_Znam")


@dataclass
class Contents:
    """What the blocks that some pointers lead to hold, as far as a function and what it calls say."""

    function: Function
    accesses: list[Load | Store] = field(default_factory=list)
    is_whole: bool = True  # nobody else may access them

    @property
    def kinds(self) -> set[str]:
        """The types of numbers, integers and pointers that are loaded and stored."""
        kinds = map(kind_of, self.accesses)
        return {types.counted(kind)[1] if types.is_vector(kind) else kind for kind in kinds}

    @property
    def is_local(self) -> bool:
        """Whether no called function accesses the blocks."""
        return all(one.function is self.function for one in self.accesses)

    def slots(self, start: Value, addresses: Addresses, length: Value) -> tuple[int, dict[int, str]] | None:
        """Return how many bytes a record has, and what lies where in it, counted from where a pointer leads.

        None where that is not known, or where records do not fill a length.
        """
        found = self.places(start, addresses)
        if found is None:
            return None
        period, places = found
        period = period or divisor(length)
        if divisor(length) % period:
            return None
        slots = dict[int, str]()
        for access, place in zip(self.accesses, places, strict=True):
            if slots.setdefault(place % period, kind_of(access)) != kind_of(access):
                return None
        return (period, slots) if _are_apart(slots, period) else None

    def places(self, start: Value, addresses: Addresses) -> tuple[int, list[int]] | None:
        """Return how many bytes lie between records, 0 for one record alone, and how far from where a pointer leads each access is."""
        if not self.is_local:
            return None
        begin = addresses.of(start)
        found = [addresses.of(one.pointer) for one in self.accesses]
        if not all(map(_is_known, [begin, *found])):
            return None
        steps = [count for one in (begin, *found) for count in one.offset.parts.values()]  # type: ignore[union-attr]
        return gcd(*steps), [one.offset.number - begin.offset.number for one in found]  # type: ignore[union-attr]


def kind_of(access: Load | Store) -> str:
    """Return the type of what is loaded or stored."""
    return access.type if isinstance(access, Load) else access.value.type


def reads_of_records(store: Store) -> list[Load] | None:
    """Return all that reads the field of records that an integer is written to; None if anything else may touch it."""
    found = contents(store.function, store.pointer)
    addresses = store.function.analysis(Addresses)
    known = found.places(store.pointer, addresses) if found.is_whole else None
    size = types.size_of(store.value.type)
    if known is None or size is None or len({addresses.of(one.pointer).base for one in found.accesses}) > 1:
        return None
    period, places = known
    reads = list[Load]()
    for access, place in zip(found.accesses, places, strict=True):
        kind, begin = kind_of(access), place % period if period else place
        length = types.size_of(kind)
        if length is None or (begin == 0 and kind != store.value.type):
            return None
        if begin == 0 and isinstance(access, Load):
            reads.append(access)
        if begin and (-length < begin < size or (period and begin + length > period)):
            return None
    return reads


def divisor(value: Value, depth: int = 0) -> int:
    """Return what an integer is a multiple of, as far as is seen: a length, of the size of its records."""
    if isinstance(value, Constant):
        return abs(value.integer or 0) or 1
    if not isinstance(value, Instruction) or depth > _DEEPEST:
        return 1
    below = [divisor(one, depth + 1) for one in value.operands if types.is_integer(one.type)]
    other = value.operands[-1]
    number = other.integer if isinstance(other, Constant) else None
    if value.opcode == "mul":
        return below[0] * below[1]
    if value.opcode == "shl" and number is not None:
        return below[0] << number
    if value.opcode == "ashr" and number is not None:
        return max(below[0] >> number, 1) if below[0] % (1 << number) == 0 else 1
    if value.opcode in ("add", "sub") or (value.opcode == "or" and "disjoint" in value.flags):
        return gcd(*below)
    if value.opcode in ("sext", "zext"):
        # Of an integer that may have wrapped, the powers of two are left.
        return below[0] if "nsw" in getattr(value.operands[0], "flags", ()) else below[0] & -below[0]
    return 1


def contents(function: Function, *pointers: Value) -> Contents:
    """Return what the blocks hold that pointers lead to, and those that are copied to and from them."""
    found, seen = Contents(function), set[Value]()
    pending = [*pointers]
    while pending:
        pointer = pending.pop()
        if pointer in seen:
            continue
        seen.add(pointer)
        is_handed_down = isinstance(pointer, Argument) and pointer.function is not function
        above = [] if is_handed_down else sources(pointer)
        if above is None:
            found.is_whole &= _is_block(pointer)
        else:
            pending += above
        if isinstance(pointer, (Instruction, Argument)):
            pending += _follow(found, pointer)
    return found


def _is_block(start: Value) -> bool:
    if isinstance(start, Call):
        return start.callee in _MAKERS
    return start.opcode == "alloca" if isinstance(start, Instruction) else not isinstance(start, Argument)


def _follow(found: Contents, pointer: Value) -> list[Value]:
    """Note the accesses by a pointer, and return the pointers that are made of it, or copied to and from."""
    more = list[Value]()
    for user in pointer.users:
        if isinstance(user, Load) or (isinstance(user, Store) and user.value is not pointer):
            found.accesses.append(user)
        elif user.opcode in ("getelementptr", "phi", "select", "bitcast", "freeze"):
            more.append(user)
        elif isinstance(user, Call) and user.callee.startswith(COPIES):
            more += [one for one in user.arguments[:2] if isinstance(one, (Instruction, Argument))]
        elif isinstance(user, Call) and user.callee == "realloc":
            more.append(user)
        elif isinstance(user, Call) and isinstance(user.target, Function) and user.target.blocks:
            more += [own for given, own in zip(user.arguments, user.target.arguments, strict=False) if given is pointer]
        elif user.opcode != "icmp" and not (isinstance(user, Call) and user.callee.startswith(_HARMLESS)):
            found.is_whole = False
    return more


def _is_known(address: Address) -> bool:
    return address.offset is not None and sources(address.base) is None


def _are_apart(slots: dict[int, str], period: int) -> bool:
    """Tell whether no slot reaches into the next one."""
    end = 0
    for place, kind in sorted(slots.items()):
        size = types.size_of(kind)
        if size is None or place < end:
            return False
        end = place + size
    return end <= period
