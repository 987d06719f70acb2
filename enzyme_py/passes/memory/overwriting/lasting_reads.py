"""Reads of what is not written again before the reverse sweep: they are read once more there, and kept nowhere.

    for i in range(n):
        for j in range(i + 1):
            total = a[i, j]
            for k in range(j):
                total -= low[i, k] * low[j, k]
            low[i, j] = total / low[j, j]                  (the root of it for i == j)

Symptom: factorisations and solves by loops kept a number for each product: 129 MB for a Cholesky factor of 250 x 250 (0.5 MB),
and took 11 times the primal, where an adjoint by hand takes twice.

Cause: whether memory that was read is written before the reverse sweep, Enzyme asks LLVM's alias analysis, which knows nothing
of the order in which loops go through an array. The same array is written in the same loops, so all is cached.

Cure: such reads are found, and marked so that Enzyme does not cache them (`enzyme_nocache`). That no later iteration writes
where one has read is shown by inequalities (llvm/analyses/iterations.py, inequalities.py): there are no numbers of iterations,
that of the write later than that of the read, for which both are at one address. For a matrix the address is 8 (n i + k); where
it is shown that two k differ by less than n, two addresses are the same only if both i and both k are. What is not shown is left
to Enzyme.

Done for functions that are differentiated in one piece, and whose code is not differentiated in reverse again: there is nothing
between the end of the function and its reverse sweep. Not for memory that is made in a loop.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from enzyme_py.llvm import Call, Function, Instruction, Load, Store, Value
from enzyme_py.llvm.analyses.addresses import Addresses
from enzyme_py.llvm.analyses.control_flow import ControlFlow
from enzyme_py.llvm.analyses.cycles import Cycles
from enzyme_py.llvm.analyses.inequalities import Linear
from enzyme_py.llvm.analyses.iterations import (
    Effort,
    Facts,
    Polynomial,
    Space,
    added,
    linear_of,
    loops_around,
)
from enzyme_py.llvm.analyses.loops import Loop
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.memory.blocks.fills import FILLS, is_local
from enzyme_py.passes.memory.overwriting.written_behind import WrittenBehind, alone
from enzyme_py.passes.module.requests import has_reverse

LASTS = "enzyme_nocache"  # metadata of a load
_BYTES = {"double": 8, "float": 4, "i64": 8, "i32": 4}
_READS = (" load ", *(f"@{name}" for name in FILLS))
_MOST_PAIRS = 120  # of reads and stores that are compared, in a function


class LastingReads(Pass):
    """Mark reads of what is not written again."""

    name = "lasting reads"

    def applies(self, draft: Draft) -> bool:
        """Tell whether the module asks for reverse mode."""
        return has_reverse(draft.code)

    def run(self, draft: Draft) -> None:
        """Mark them in all functions that are differentiated in one piece."""
        single = cache(lambda: alone(draft.code))
        for function in draft.code.functions:
            if _may_matter(function) and function.name in (single() or ()):
                found = list(Reads(function, single() or ()).lasting())
                if found:
                    node = draft.code.node("!{}")
                    for load in found:
                        load.set_metadata(LASTS, node)


def _may_matter(function: Function) -> bool:
    return (function.is_edited or " store " in function.body_text) and reads_in_loops(function)


def reads_in_loops(function: Function) -> bool:
    """Tell whether a function reads memory and has cycles, and is one whose cycles can be understood."""
    if not function.is_edited and not any(word in function.body_text for word in _READS):
        return False
    flow = function.analysis(ControlFlow)
    return bool(function.analysis(Cycles).cycles) and flow.is_plain and flow.is_all_reachable


class Reads:
    """The reads of one function that has loops, and what writes behind them."""

    def __init__(self, function: Function, single: set[str] | tuple[()]) -> None:
        self._function = function
        self._addresses = function.analysis(Addresses)
        self._flow = function.analysis(ControlFlow)
        self._cycles = function.analysis(Cycles)
        self._behind = WrittenBehind(function, single)
        self._left = _MOST_PAIRS
        self._effort = Effort()

    def lasting(self) -> Iterator[Load]:
        """Yield the reads of numbers that some store in the function could meet, and none does later."""
        loads, stores = list[Load](), dict[Value, list[Store]]()
        for one in self._function.instructions:
            if isinstance(one, Load) and one.type in _BYTES and is_local(one.pointer) and not one.is_atomic:
                loads.append(one)
            elif isinstance(one, Store) and is_local(one.pointer):
                stores.setdefault(self._addresses.of(one.pointer).base, []).append(one)
        for load in loads:
            base = self._addresses.of(load.pointer).base
            others = stores.get(base, [])
            if others and self._lies_still(base) and self._is_plain(load):
                behind = self._stores_behind(load, others)
                if self._behind.may(load, base, others) or len(behind) > self._left:
                    continue
                self._left -= len(behind)
                if all(self.never_meets(load, one) for one in behind):
                    yield load

    def _stores_behind(self, load: Load, stores: Sequence[Store]) -> list[Store]:
        """Return the stores that may run behind a read."""
        reached = self._flow.reached_again(load.home)
        return [
            one
            for one in stores
            if one.home in reached or (one.home is load.home and load.comes_before(one))
        ]

    def _lies_still(self, base: Value) -> bool:
        """Tell whether memory is there for the whole of the function."""
        return not isinstance(base, Instruction) or (isinstance(base, Call) and not loops_around(base))

    def _is_plain(self, one: Instruction) -> bool:
        """Tell whether all cycles around an instruction are loops with one entry."""
        return len(loops_around(one)) == len(self._cycles.all_around(one.home))

    def never_meets(self, read: Load, write: Store) -> bool:
        """Tell whether a store goes nowhere that a read has read before."""
        if write.value.type not in _BYTES or not self._is_plain(write):
            return False
        one, other = loops_around(read), loops_around(write)
        common = [loop for loop in one if loop in other]
        for number, loop in enumerate(common):
            if not self._is_apart(read, write, common[:number], loop):
                return False
        return not self._comes_behind(read, write, common) or self._is_apart(read, write, common, None)

    def _comes_behind(self, read: Load, write: Store, common: Sequence[Loop]) -> bool:
        """Tell whether a write may follow a read without another iteration of the loops around both."""
        turns = [common[-1].header] if common else []
        if read.home is write.home and read.comes_before(write):
            return True
        starts = [one for one in self._flow.successors[read.home] if one not in turns]
        return any(write.home in self._flow.reached(one, turns) for one in starts)

    def _is_apart(self, read: Load, write: Store, shared: Sequence[Loop], later: Loop | None) -> bool:
        """Tell whether addresses differ if some loops are in the same iteration, and `later` in a later one for the write."""
        spaces = Space(read, "read", shared), Space(write, "write", shared)
        where, whereto = spaces[0].offset(read.pointer), spaces[1].offset(write.pointer)
        if where is None or whereto is None:
            return False
        facts = spaces[0].facts().with_those_of(spaces[1].facts())
        if later is not None:
            facts.rows.append(Linear({(later, "write"): 1, (later, "read"): -1}, -1))
        return _differ(where, whereto, facts, max(_BYTES[write.value.type], _BYTES[read.type]), self._effort)


def _differ(one: Polynomial, other: Polynomial, facts: Facts, size: int, effort: Effort) -> bool:
    """Tell whether two offsets are at least so many bytes apart in all iterations."""
    factors = {factor for factor, _ in (*one, *other) if factor is not None}
    apart = added(one, other, -1)
    if not factors:
        distance = linear_of(apart)
        assert distance is not None
        return facts.exclude(distance.more(size - 1), distance.negated().more(size - 1), effort=effort)
    if len(factors) > 1 or any(count % size for polynomial in (one, other) for count in polynomial.values()):
        return False
    (length,) = factors
    across: Polynomial = {(None, name): count // size for (factor, name), count in apart.items() if factor is length}
    along: Polynomial = {(None, name): count // size for (factor, name), count in apart.items() if factor is None}
    row, column = linear_of(across), linear_of(along)
    assert row is not None
    assert column is not None
    row_length = Linear({(length, None): 1})
    for way in (column, column.negated()):
        if not facts.exclude(way.plus(row_length, -1), effort=effort):
            return False  # they may differ by a row's length
    return facts.exclude(row, row.negated(), column, column.negated(), effort=effort)
