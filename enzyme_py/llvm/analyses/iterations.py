"""In which iterations of its loops an instruction runs, as inequalities; and its values, by the iteration's numbers.

    for i in range(n):            (i, j, k): 0 <= i <= n - 1, 0 <= j <= i, 0 <= k <= j - 1
        for j in range(i + 1):
            for k in range(j):
                low[i, k]         its address: low + 8 (n i + k)

A variable is the number of an iteration of one loop, or a value of which nothing is known. Two instructions are compared in
two spaces: `shared` are loops that are in the same iteration for both; other loops have variables of their own in each.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass, field

from enzyme_py.llvm.analyses.addresses import Addresses, wrapped
from enzyme_py.llvm.analyses.dominators import Dominators
from enzyme_py.llvm.analyses.inequalities import Linear, is_empty
from enzyme_py.llvm.analyses.loops import OPPOSITE, Loop, Loops, TripCount
from enzyme_py.llvm.blocks import Block
from enzyme_py.llvm.instructions import (
    Arithmetic,
    Branch,
    Call,
    Compare,
    Instruction,
    Phi,
    Select,
)
from enzyme_py.llvm.values import Constant, Value

_WORD = 64
_DEEPEST = 30
_MOST_CHOICES = 8
_SATURATED = "llvm.usub.sat."
_LARGEST_FACTOR = 1 << 24  # with a larger one a count may leave 64 bits, as a hash does: `i * 2862933555777941757 < 0`

# So many times a value that no loop changes, times a variable; either may be missing.
Polynomial = dict[tuple[Value | None, Hashable | None], int]


class Space:
    """The iterations in which one instruction runs. `side` names the variables that are not shared."""

    def __init__(self, where: Instruction, side: str, shared: Collection[Loop] = ()) -> None:
        self.loops = loops_around(where)
        self._home, self._side, self._shared = where.home, side, list(shared)
        self._function = where.function
        self._chosen = dict[Phi | Select | Call, None]()

    # -- values --------------------------------------------------------------------------------------

    def polynomial(self, value: Value, depth: int = 0) -> Polynomial:
        """Return an integer of 64 bits by the iterations' numbers, what no loop changes, and unknown values."""
        if isinstance(value, Constant) and value.integer is not None:
            return {(None, None): value.integer} if value.integer else {}
        found = self._known(value, depth) if value.type == "i64" and depth < _DEEPEST else None
        return {(None, self._variable(value)): 1} if found is None or _may_wrap(found) else found

    def linear(self, value: Value) -> Linear | None:
        """Return an integer of 64 bits without products of unknown values; None where there are some."""
        return linear_of(self.polynomial(value))

    def offset(self, pointer: Value) -> Polynomial | None:
        """Return how many bytes an address lies behind the beginning of its memory; None where that is not known."""
        found = self._function.analysis(Addresses).of(pointer).offset
        if found is None or any(part.type != "i64" for part in found.parts):
            return None
        total: Polynomial = {(None, None): found.number} if found.number else {}
        for part, bytes_ in found.parts.items():
            total = added(total, self.polynomial(part), bytes_)
        return total

    def _known(self, value: Value, depth: int) -> Polynomial | None:
        if isinstance(value, Phi) and (counted := self._counted(value, depth)) is not None:
            return counted
        if isinstance(value, (Phi, Select, Call)) and _is_chosen(value) and self._is_around(value.home):
            self._chosen[value] = None
        if not isinstance(value, Arithmetic):
            return None
        code = value.opcode
        if code in ("add", "sub") or (code == "or" and "disjoint" in value.flags):
            one, other = (self.polynomial(operand, depth + 1) for operand in value.operands)
            return added(one, other, -1 if code == "sub" else 1)
        if code == "mul":
            return _product(*(self.polynomial(operand, depth + 1) for operand in value.operands))
        if code == "xor":  # with -1: all bits turned round
            one, other = (self.polynomial(operand, depth + 1) for operand in value.operands)
            return added({(None, None): -1}, one, -1) if other == {(None, None): -1} else None
        if code == "shl":
            one, other = (self.polynomial(operand, depth + 1) for operand in value.operands)
            places = other.get((None, None), 0)
            if not other.keys() - {(None, None)} and 0 <= places < _WORD:
                return added({}, one, 1 << places)
        return None

    def _counted(self, phi: Phi, depth: int) -> Polynomial | None:
        loop = next((one for one in self.loops if one.header is phi.block), None)
        counter = None if loop is None else loop.counter(phi)
        if loop is None or counter is None:
            return None
        start = self.polynomial(counter.start, depth + 1)
        return added(start, {(None, self._number(loop)): counter.step})

    def _number(self, loop: Loop) -> Hashable:
        return loop, None if loop in self._shared else self._side

    def _variable(self, value: Value) -> Hashable:
        """Return the variable of a value of which nothing is known: one for both sides, where it is the same for both."""
        around = loops_around(value) if isinstance(value, Instruction) else []
        return value, None if all(one in self._shared for one in around) else self._side

    # -- iterations ----------------------------------------------------------------------------------

    def facts(self) -> Facts:
        """Return what holds wherever the instruction runs, and of all values that were asked for before."""
        facts = Facts()
        for loop in self.loops:
            facts.rows.append(Linear({self._number(loop): 1}))
            self._tell_last(loop, facts)
        self._tell_conditions(self._home, facts)
        told = 0
        while told < len(self._chosen):
            for value in list(self._chosen)[told:]:
                self._tell_choice(value, facts)
                told += 1
        return facts

    def _tell_last(self, loop: Loop, facts: Facts) -> None:
        """Tell that a loop's counter stays before what ends the loop.

        A loop that ends where its counter is equal to a bound counts towards it, in steps that meet it. Other comparisons
        have held at the end of the iteration before, but for the first one. (At the start of this one: see conditions.)
        """
        count = usual_end(loop)
        if count is None or count.counter.phi.type != "i64":
            return
        step, bound = count.counter.step, self.linear(count.bound)
        if count.predicate == "ne":
            # A step further it is at most the bound.
            step = step if self._is_before_last(loop, count) else 0
            counted = self.linear(count.counter.phi)
            if counted is not None and bound is not None:
                left = bound.plus(counted, -1).more(-step)
                facts.rows.append(left if count.counter.step > 0 else left.negated())
        elif count.block is loop.latch:
            value = self.linear(count.value)
            told = [] if value is None or bound is None else _told(count.predicate, value.more(-step), bound)
            if told:
                first = Linear({self._number(loop): -1})
                facts.add([[first], *told])

    def _is_before_last(self, loop: Loop, count: TripCount) -> bool:
        """Tell whether the counter cannot be the bound itself where the instruction runs."""
        is_tested_first = count.block is loop.header and loop.latch is not loop.header
        return count.value is count.counter.moved or (is_tested_first and self._home is not loop.header)

    def _tell_conditions(self, where: Block, facts: Facts) -> None:
        """Tell what comparisons have decided on the way to a block."""
        dominators = self._function.analysis(Dominators)
        below, above = where, dominators.immediate(where)
        while above is not None:
            end = above.terminator
            if isinstance(end, Branch) and isinstance(end.condition, Compare) and self._is_around(above):
                ways = [one for one in end.successors if dominators.dominates(one, below)]
                if len(ways) == 1 and len(set(end.successors)) == 2 and self._entered(ways[0]) == [above]:
                    facts.add(self._compared(end.condition, ways[0] is end.successors[0]))
            below, above = above, dominators.immediate(above)

    def _entered(self, block: Block) -> list[Block]:
        """Return where a block is come to from, but for the ends of a loop that it heads."""
        dominators = self._function.analysis(Dominators)
        return [one for one in block.predecessors if not dominators.dominates(block, one)]

    def _is_around(self, block: Block) -> bool:
        """Tell whether a block in front of the instruction ran in the same iteration of all loops around that block."""
        return all(one in self.loops for one in loops_around(block.terminator))

    def _compared(self, compared: Value, is_true: bool) -> list[list[Linear]]:
        """Return what a comparison tells that came out so: options."""
        if isinstance(compared, Compare) and compared.opcode == "icmp" and compared.operands[0].type == "i64":
            one, other = (self.linear(operand) for operand in compared.operands)
            if one is not None and other is not None:
                predicate = compared.ordering if is_true else OPPOSITE[compared.ordering]
                return _told(predicate, one, other)
        return []

    def _tell_choice(self, value: Phi | Select | Call, facts: Facts) -> None:
        """Tell of a value that is one of some that it is, each with what holds where it is chosen."""
        own = self.linear(value)
        options = list[list[Linear]]()
        if isinstance(value, Call) and value.callee.startswith(_SATURATED):
            one, other = value.arguments
            _tell_difference(own, self.linear(one), self.linear(other), facts)
            return
        for one, rows in self._arms(value):
            arm = self.linear(one)
            if own is None or arm is None:
                return
            away = own.plus(arm, -1)
            options.append([away, away.negated(), *rows])
            if isinstance(value, Call):
                facts.rows.append(away if ".smax." in value.callee else away.negated())
        facts.add(options)

    def _arms(self, value: Phi | Select | Call) -> Iterator[tuple[Value, list[Linear]]]:
        if isinstance(value, Call):
            for one in value.arguments:
                yield one, []
        elif isinstance(value, Select):
            condition, *arms = value.operands
            for number, one in enumerate(arms):
                found = Facts()
                found.add(self._compared(condition, number == 0))
                yield one, found.rows
        else:
            for one, block in value.incoming:
                found, end = Facts(), block.terminator
                self._tell_conditions(block, found)
                if isinstance(end, Branch) and end.condition is not None and len(set(end.successors)) == 2:
                    found.add(self._compared(end.condition, end.successors[0] is value.block))
                yield one, found.rows


def _is_chosen(value: Phi | Select | Call) -> bool:
    """Tell whether a value is one of a few others: of two ways that meet, a choice, or the larger or smaller one."""
    if isinstance(value, Phi):
        here = value.home
        return len(value.incoming) == 2 and value.function.analysis(Loops).headed_by(here) is None
    return isinstance(value, Select) or value.callee.startswith(("llvm.smax.", "llvm.smin.", _SATURATED))


def _tell_difference(own: Linear | None, one: Linear | None, other: Linear | None, facts: Facts) -> None:
    """Tell of a difference that is zero where it would be negative: `range(1, n - 1)` has so many turns."""
    if own is None or one is None or other is None:
        return
    away = own.plus(one, -1).plus(other)
    zero = [own, own.negated()]
    if not other.parts and other.number >= 0:  # else, without a sign, it may be larger than it is with one
        zero.append(other.plus(one, -1))
    facts.add([[away, away.negated()], zero])


@dataclass
class Facts:
    """What is at least zero; and choices, of each of which one option holds."""

    rows: list[Linear] = field(default_factory=list)
    choices: list[list[list[Linear]]] = field(default_factory=list)

    def add(self, options: list[list[Linear]]) -> None:
        """Add that one of some options holds; none at all tell nothing."""
        if len(options) == 1:
            self.rows += options[0]
        elif options:
            self.choices.append(options)

    def exclude(self, *more: Linear, effort: Effort) -> bool:
        """Tell whether it is shown that some numbers are not all at least zero."""
        return _is_excluded([*self.rows, *more], self.choices[:_MOST_CHOICES], effort)

    def with_those_of(self, other: Facts) -> Facts:
        """Return these and others."""
        return Facts([*self.rows, *other.rows], [*self.choices, *other.choices])


@dataclass
class Effort:
    """How many systems may still be looked at. Each choice may double what is asked."""

    left: int = 2000


def _is_excluded(rows: Sequence[Linear], choices: Sequence[Sequence[Sequence[Linear]]], effort: Effort) -> bool:
    effort.left -= 1
    if effort.left < 0:
        return False
    if is_empty(rows):
        return True
    if not choices:
        return False
    options, *rest = choices
    return all(_is_excluded([*rows, *option], rest, effort) for option in options)


def _may_wrap(found: Polynomial) -> bool:
    """Tell whether a sum may be no number that its parts add up to, but what is left of that in 64 bits."""
    return any(abs(count) > _LARGEST_FACTOR for what, count in found.items() if what != (None, None))


def _told(predicate: str, one: Linear, other: Linear) -> list[list[Linear]]:
    """Return what a comparison that holds tells: options, each of numbers that are at least zero; none if nothing."""
    more = other.plus(one, -1)  # than the first
    less = more.negated()
    return {
        "eq": [[more, less]],
        "ne": [[more.more(-1)], [less.more(-1)]],
        "slt": [[more.more(-1)]],
        "sle": [[more]],
        "sgt": [[less.more(-1)]],
        "sge": [[less]],
    }.get(predicate, [])


def usual_end(loop: Loop) -> TripCount | None:
    """Return by which comparison a loop ends, if nothing else ends it but exceptions."""
    leaving = {block for block, target in loop.exiting_edges if not _raises(target)}
    return loop.trip_count(next(iter(leaving))) if len(leaving) == 1 else None


def loops_around(where: Instruction) -> list[Loop]:
    """Return the loops around an instruction, outer ones first."""
    return where.function.analysis(Loops).all_around(where)[::-1]


def added(one: Polynomial, other: Polynomial, times: int = 1) -> Polynomial:
    """Return a polynomial with a multiple of another one added."""
    total = dict(one)
    for name, count in other.items():
        total[name] = total.get(name, 0) + count * times
    return {name: count for name, one in total.items() if (count := wrapped(one))}


def linear_of(polynomial: Polynomial) -> Linear | None:
    """Return a polynomial that has no product of unknown values; None of others."""
    if any(factor is not None for factor, _ in polynomial):
        return None
    parts = {variable: count for (_, variable), count in polynomial.items() if variable is not None}
    return Linear(parts, polynomial.get((None, None), 0))


def _product(one: Polynomial, other: Polynomial) -> Polynomial | None:
    for factor, value in ((one, other), (other, one)):
        if not factor.keys() - {(None, None)}:
            return added({}, value, factor.get((None, None), 0))
    for factor, value in ((one, other), (other, one)):
        if len(factor) == 1 and all(inner is None for inner, _ in value):
            (((of, variable), times),) = factor.items()
            match of, variable:
                case None, (Value() as length, None):  # the same in all iterations
                    return {(length, inner): count * times for (_, inner), count in value.items()}
    return None


def _raises(block: Block) -> bool:
    """Tell whether a block is left by an exception: what comes behind it is not differentiated."""
    return block.terminator.opcode == "unreachable"
