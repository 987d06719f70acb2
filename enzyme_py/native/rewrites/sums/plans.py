"""Which loops' adds are separated: what has to be known of a loop, and where each of its adds goes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from enzyme_py.llvm import (
    Arithmetic,
    Call,
    Compare,
    Function,
    Instruction,
    Load,
    Phi,
    Select,
    Store,
    Value,
)
from enzyme_py.llvm.analyses.loops import Loop, TripCount
from enzyme_py.native.rewrites.sums.guesses import Usual, usual_in
from enzyme_py.native.rewrites.sums.places import BYTES, Place, place_of
from enzyme_py.native.rewrites.sums.reverse_sums import Term, is_zero, terms_from

MOST_SPREAD = 8  # iterations that adds to one array are apart, to be made in one loop; fewer than a block has
_MOST_ADDS = 16
_MOST_CHECKS = 24
NO_MEMORY = (
    "llvm.fabs.", "llvm.sqrt.", "llvm.fma.", "llvm.fmuladd.", "llvm.maxnum.", "llvm.minnum.", "llvm.copysign.",
    "llvm.smax.", "llvm.smin.", "llvm.umax.", "llvm.umin.", "llvm.abs.", "llvm.floor.", "llvm.ceil.",
)  # fmt: skip


@dataclass(frozen=True)
class Add:
    """`load`, add, `store` at one address; `terms` are what is added, made by the `chain` of instructions."""

    load: Load
    store: Store
    terms: Sequence[Term]
    chain: Sequence[Instruction]
    place: Place

    @property
    def kind(self) -> str:
        """The type of what is added."""
        return self.store.value.type

    @property
    def alignment(self) -> int:
        """What load and store claim both."""
        return min(self.load.alignment or 1, self.store.alignment or 1)


@dataclass(frozen=True)
class Group:
    """Adds to one array that lie a whole number of steps apart: `shifts`, counted from the lowest address."""

    adds: Sequence[Add]
    shifts: Sequence[int]

    @property
    def lowest(self) -> Add:
        """The add of the lowest address."""
        return min(self.adds, key=lambda one: one.place.number)


@dataclass(frozen=True)
class Plan:
    """A loop that is rewritten.

    `others` are the places that it reads and writes beside its adds, `written` those of them that must be apart from all others;
    `products` the choices of a strong zero that are
    needless where their factors are finite. `places` are those of all accesses, `gathered` the groups that gathers.py makes.
    """

    function: Function
    loop: Loop
    count: TripCount
    groups: Sequence[Group]
    others: Sequence[Place]
    products: Mapping[Select, Sequence[Value]]
    written: Sequence[Place] = ()
    places: Mapping[Load | Store, Place] = field(default_factory=dict)
    gathered: Sequence[Group] = ()

    @property
    def adds(self) -> list[Add]:
        """All adds."""
        return [add for group in self.groups for add in group.adds]

    @property
    def buffered(self) -> list[Group]:
        """The groups whose adds are kept in buffers, or summed in a register."""
        return [group for group in self.groups if group not in self.gathered]

    @property
    def guessed(self) -> dict[Value, int]:
        """What values of the loop's outside are taken for."""
        places = [*self.others, *(add.place for add in self.adds)]
        return {value: number for place in places for value, number in place.guessed}

    @property
    def usual(self) -> list[Usual]:
        """What instructions of the loop give if all guesses hold."""
        return [one for one in usual_in(self.loop) if self.guessed.get(one.condition) == one.wanted]


def plan_for(function: Function, loop: Loop) -> Plan | None:
    """Return what is to be done with a loop of one block; None where it stays as it is."""
    block, places = loop.header, _places(function, loop)
    if places is None:
        return None
    counters = {one.phi for one in loop.counters}
    if any(one not in counters and not _is_sum(one, loop) for one in block.phis):
        return None
    guessed = {one: place.with_guesses() for one, place in places.items()}
    if len({one.key for one in guessed.values()}) < len({one.key for one in places.values()}):
        places = guessed
    adds, others = _apart(list(places), places)
    if not 0 < len(adds) <= _MOST_ADDS or not _pays(adds):
        return None
    if len({(add.place.key, one.key) for add in adds for one in others}) > _MOST_CHECKS:
        return None
    choices = [one for one in block.instructions if isinstance(one, Select)]
    factors = [_constant_factors(one, loop) for one in choices]
    products = {one: found for one, found in zip(choices, factors, strict=True) if found is not None}
    return Plan(function, loop, _count(loop), _grouped(adds), others, products, places=places)


def parallel(function: Function, loop: Loop) -> Plan | None:
    """Return what has to hold for no iteration of a loop of one block to touch what another one writes; None if that is not known.

    Nor where an iteration writes a number and reads or writes it again: of a loop that is told to be parallel, LLVM moves the accesses
    to a row together, and does not ask whether they meet (tests/native/sums/test_usual_loops.py has a reproducer).
    """
    places = _places(function, loop) or {}
    stores = [one for one in places if isinstance(one, Store)]
    written = [places[one] for one in stores]
    for one in stores:
        for other, place in places.items():
            if place.key == places[one].key and not is_kept_apart(one, other, places):
                return None
    if not written or len({(one.key, other.key) for one in written for other in places.values()}) > _MOST_CHECKS:
        return None
    return Plan(function, loop, _count(loop), [], list(places.values()), {}, written)


def is_kept_apart(store: Store, other: Load | Store, places: Mapping[Load | Store, Place]) -> bool:
    """Tell whether a store meets an access to its array in no other iteration, and in the same one only what was read before."""
    one, place = places[store], places[other]
    if one.step != place.step or not _is_in_row(one, place):
        return False
    meets = one.number < place.number + place.size and place.number < one.number + one.size
    return other is store or not meets or (isinstance(other, Load) and other.comes_before(store))


def _is_in_row(one: Place, other: Place) -> bool:
    """Tell whether two accesses to one array meet in no two iterations."""
    first, last = sorted((one, other), key=lambda each: each.number)
    return last.number + last.size - first.number <= abs(one.step)


def _count(loop: Loop) -> TripCount:
    count = loop.trip_count()
    assert count is not None
    return count


def _places(function: Function, loop: Loop) -> dict[Load | Store, Place] | None:
    """Return where a loop that counts by one reads and writes; None where that is not known, or it does anything else with memory."""
    count = loop.trip_count()
    if loop.predecessor is None or count is None or count.predicate != "ne" or abs(count.counter.step) != 1:
        return None
    if not all(_is_harmless(one) for one in loop.header.instructions):
        return None
    places = dict[Load | Store, Place]()
    for one in loop.header.instructions:
        if isinstance(one, (Load, Store)):
            place = place_of(function, loop, one, guess=True)
            if place is None:
                return None
            places[one] = place
    return places


def _is_sum(phi: Phi, loop: Loop) -> bool:
    """Tell whether a loop-carried value is only added to."""
    carried = loop.carried(phi)
    if phi.type not in BYTES or len(carried) != 1:
        return False
    found = terms_from(carried[0], phi)
    return found is not None and all(one in found[1] for one in phi.users)


def _is_harmless(one: Instruction) -> bool:
    """Tell whether an instruction of a loop is a number's, or an access that is understood."""
    if isinstance(one, (Load, Store)):
        return not one.is_volatile and not one.is_atomic
    if isinstance(one, Call):
        return one.callee.startswith(NO_MEMORY)
    return not one.may_read and not one.may_write


def _apart(
    accesses: Sequence[Load | Store], places: Mapping[Load | Store, Place]
) -> tuple[list[Add], list[Place]]:
    """Return the adds that may be separated, and where all other accesses are.

    Where an array is read or written otherwise as well, its adds stay where they are.
    """
    adds = list(_adds(accesses, places))
    while True:
        taken = {part for add in adds for part in (add.load, add.store)}
        others = [places[one] for one in accesses if one not in taken]
        otherwise = {one.key for one in others}
        if not any(add.place.key in otherwise for add in adds):
            return adds, others
        adds = [add for add in adds if add.place.key not in otherwise]


def _adds(accesses: Sequence[Load | Store], places: Mapping[Load | Store, Place]) -> Iterator[Add]:
    for store in accesses:
        if not isinstance(store, Store) or store.value.type not in BYTES or len(store.value.uses) != 1:
            continue
        for load in accesses:
            if not isinstance(load, Load) or load.type != store.value.type or not load.comes_before(store):
                continue
            if places[load].same_as(places[store]) and (found := terms_from(store.value, load)) is not None:
                terms, chain = found
                if terms and all(one in chain for one in load.users):
                    yield Add(load, store, terms[::-1], chain, places[store])


def _pays(adds: Sequence[Add]) -> bool:
    """Tell whether adds meet in an array, or one goes to the same place each time: what LLVM makes no vectors of."""
    for number, add in enumerate(adds):
        if add.place.step == 0:
            return True
        for other in adds[:number]:
            apart = abs(other.place.number - add.place.number)
            if other.place.key == add.place.key and apart >= abs(add.place.step):
                return True
    return False


def _grouped(adds: Sequence[Add]) -> list[Group]:
    groups = list[list[Add]]()
    for add in adds:
        step = abs(add.place.step)
        for group in groups:
            first = group[0].place
            apart = [one.place.number - add.place.number for one in group]
            if (
                step
                and (first.key, first.step, group[0].kind) == (add.place.key, add.place.step, add.kind)
                and all(one % step == 0 and abs(one) <= step * MOST_SPREAD for one in apart)
            ):
                group.append(add)
                break
        else:
            groups.append([add])
    found = list[Group]()
    for group in groups:
        low, step = min(one.place.number for one in group), abs(group[0].place.step) or 1
        found.append(Group(group, [(one.place.number - low) // step for one in group]))
    return found


def _constant_factors(choice: Select, loop: Loop) -> list[Value] | None:
    """Return by what an adjoint is multiplied that is chosen away where it is zero; None where that changes in the loop.

    Where all are finite there is nothing to choose: the product is zero as well.
    """
    condition, nothing, value = choice.operands
    if not isinstance(condition, Compare) or (condition.opcode, condition.predicate) != ("fcmp", "oeq"):
        return None
    tested, zero = condition.operands
    if not is_zero(zero) or not is_zero(nothing):
        return None
    factors = list[Value]()
    while value is not tested:
        if not isinstance(value, Arithmetic):
            return None
        one, other = value.operands[0], value.operands[-1]
        if value.opcode == "fmul" and loop.is_invariant(other):
            factors.append(other)
        elif value.opcode == "fmul" and loop.is_invariant(one):
            factors.append(one)
            one = other
        elif value.opcode == "fsub" and is_zero(one):
            one = other
        elif value.opcode != "fneg" and not (value.opcode == "fadd" and one is other):
            return None
        value = one
    return factors
