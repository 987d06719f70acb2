"""In which iterations of its loops an instruction runs, as inequalities; and its values, by the iteration's numbers.

    for i in range(n):            (i, j, k): 0 <= i <= n - 1, 0 <= j <= i, 0 <= k <= j - 1
        for j in range(i + 1):
            for k in range(j):
                low[i, k]         its address: low + 8 (n i + k)

A variable is the number of an iteration of one loop, or a value of which nothing is known. Two instructions are compared in
two spaces: `shared` are loops that are in the same iteration for both; other loops have variables of their own in each.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, field

from enzyme_py.llvm.analyses.dominators import Dominators
from enzyme_py.llvm.analyses.inequalities import Linear, is_empty
from enzyme_py.llvm.analyses.loops import Loop, Loops, TripCount
from enzyme_py.llvm.blocks import Block
from enzyme_py.llvm.instructions import Arithmetic, Branch, Call, Compare, Instruction, Phi
from enzyme_py.llvm.values import Constant, Value

_WORD = 64
_DEEPEST = 30
_OPPOSITE = {
    "eq": "ne", "ne": "eq", "slt": "sge", "sge": "slt", "sgt": "sle", "sle": "sgt",
    "ult": "uge", "uge": "ult", "ugt": "ule", "ule": "ugt",
}  # fmt: skip

# So many times a value that no loop changes, times a variable; either may be missing.
Polynomial = dict[tuple[Value | None, Hashable | None], int]


class Space:
    """The iterations in which one instruction runs. `side` names the variables that are not shared."""

    def __init__(self, where: Instruction, side: str, shared: Collection[Loop] = ()) -> None:
        self.loops = loops_around(where)
        self._home, self._side, self._shared = where.home, side, list(shared)
        self._function = where.function
        self._extremes = dict[Value, str]()

    # -- values --------------------------------------------------------------------------------------

    def polynomial(self, value: Value, depth: int = 0) -> Polynomial:
        """Return an integer of 64 bits by the iterations' numbers, what no loop changes, and unknown values."""
        if isinstance(value, Constant) and value.integer is not None:
            return {(None, None): value.integer} if value.integer else {}
        found = self._known(value, depth) if value.type == "i64" and depth < _DEEPEST else None
        return {(None, self._variable(value)): 1} if found is None else found

    def linear(self, value: Value) -> Linear | None:
        """Return an integer of 64 bits without products of unknown values; None where there are some."""
        return linear_of(self.polynomial(value))

    def _known(self, value: Value, depth: int) -> Polynomial | None:
        if isinstance(value, Phi):
            return self._counted(value, depth)
        if isinstance(value, Call):
            kind = next((one for one in ("smax", "smin") if value.callee.startswith(f"llvm.{one}.")), None)
            if kind is not None:
                self._extremes[value] = kind
        if not isinstance(value, Arithmetic):
            return None
        code = value.opcode
        if code in ("add", "sub") or (code == "or" and "disjoint" in value.flags):
            one, other = (self.polynomial(operand, depth + 1) for operand in value.operands)
            return added(one, other, -1 if code == "sub" else 1)
        if code == "mul":
            return _product(*(self.polynomial(operand, depth + 1) for operand in value.operands))
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
        self._tell_conditions(facts)
        told = set[Value]()
        while told < self._extremes.keys():
            for value, kind in list(self._extremes.items()):
                if value not in told:
                    told.add(value)
                    self._tell_extreme(value, kind, facts)
        return facts

    def _tell_last(self, loop: Loop, facts: Facts) -> None:
        """Tell that a loop's counter stays before what ends the loop.

        A loop that ends where its counter is equal to a bound counts towards it, in steps that meet it. Other comparisons
        have held at the end of the iteration before, but for the first one. (At the start of this one: see conditions.)
        """
        leaving = {block for block, target in loop.exiting_edges if not _raises(target)}
        count = loop.trip_count(next(iter(leaving))) if len(leaving) == 1 else None
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

    def _tell_conditions(self, facts: Facts) -> None:
        """Tell what comparisons have decided on the way to the instruction."""
        dominators = self._function.analysis(Dominators)
        below, above = self._home, dominators.immediate(self._home)
        while above is not None:
            end = above.terminator
            if isinstance(end, Branch) and isinstance(end.condition, Compare) and self._is_around(above):
                ways = [one for one in end.successors if dominators.dominates(one, below)]
                if len(ways) == 1 and len(set(end.successors)) == 2 and ways[0].predecessors == [above]:
                    self._tell_compared(end.condition, ways[0] is end.successors[0], facts)
            below, above = above, dominators.immediate(above)

    def _is_around(self, block: Block) -> bool:
        """Tell whether a block in front of the instruction ran in the same iteration of all loops around that block."""
        return all(one in self.loops for one in loops_around(block.terminator))

    def _tell_compared(self, compared: Compare, is_true: bool, facts: Facts) -> None:
        if compared.opcode == "icmp" and compared.operands[0].type == "i64":
            one, other = (self.linear(operand) for operand in compared.operands)
            if one is not None and other is not None:
                predicate = compared.predicate if is_true else _OPPOSITE[compared.predicate]
                facts.add(_told(predicate, one, other))

    def _tell_extreme(self, value: Value, kind: str, facts: Facts) -> None:
        """Tell of the larger, or smaller, one of two numbers that it is one of them."""
        assert isinstance(value, Call)
        both = [self.linear(one) for one in value.arguments]
        own = self.linear(value)
        options = list[list[Linear]]()
        for one in both:
            if one is None or own is None:
                return
            away = own.plus(one, -1)
            facts.rows.append(away if kind == "smax" else away.negated())
            options.append([away, away.negated()])
        facts.choices.append(options)


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

    def exclude(self, *more: Linear, most: int = 7) -> bool:
        """Tell whether it is shown that some numbers are not all at least zero. Each choice may double what is asked."""
        return _is_excluded([*self.rows, *more], self.choices[:most])

    def with_those_of(self, other: Facts) -> Facts:
        """Return these and others."""
        return Facts([*self.rows, *other.rows], [*self.choices, *other.choices])


def _is_excluded(rows: Sequence[Linear], choices: Sequence[Sequence[Sequence[Linear]]]) -> bool:
    if is_empty(rows):
        return True
    if not choices:
        return False
    options, *rest = choices
    return all(_is_excluded([*rows, *option], rest) for option in options)


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


def loops_around(where: Instruction) -> list[Loop]:
    """Return the loops around an instruction, outer ones first."""
    return where.function.analysis(Loops).all_around(where)[::-1]


def added(one: Polynomial, other: Polynomial, times: int = 1) -> Polynomial:
    """Return a polynomial with a multiple of another one added."""
    total = dict(one)
    for name, count in other.items():
        total[name] = total.get(name, 0) + count * times
    return {name: count for name, count in total.items() if count}


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
            ((_, variable), times), *_ = factor.items()
            if (
                next(iter(factor))[0] is None
                and isinstance(variable, tuple)
                and isinstance(variable[0], Value)
                and variable[1] is None
            ):
                return {(variable[0], inner): count * times for (_, inner), count in value.items()}
    return None


def _raises(block: Block) -> bool:
    """Tell whether a block is left by an exception: what comes behind it is not differentiated."""
    return block.terminator.opcode == "unreachable"
