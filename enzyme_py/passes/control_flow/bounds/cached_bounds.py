"""Bounds of loops that are cached, for a module on which Enzyme crashes.

Symptom: a branch in the middle of a block ("function failed verification"), or a null pointer in `unwrapM` (measured; found
by the fuzzer), where an array changes its length from iteration to iteration: `for e in y: y = ...`, or an array made in a loop
before.

Cause: the bound of an inner loop is a phi of lengths there. To find the iterations again in the reverse sweep, Enzyme computes
the bound from the phi, along the path that the primal went, and crashes on some of these. A loop that counts down, as Numba's do,
begins at what is computed so.

Cure: a phi that has gone through a function that Enzyme cannot run twice (opaque.py) is cached instead. That is one number for
each time it is passed, so it is done only for a module that failed.

Where that is not enough, lengths that are read from memory are cached too (`reads`). Enzyme made room in front of all loops
for as many numbers as a list has that the loop fills (`np.extract` of a column in a loop), and took the length from where it is
not yet read.

Such a module makes no memory again either: the marks of memory/allocations.py were set on the code before.
"""

from __future__ import annotations

from collections.abc import Iterator

from enzyme_py.llvm import Compare, Function, Instruction, Load, Phi, Value
from enzyme_py.llvm.analyses.cycles import Cycle, Cycles
from enzyme_py.llvm.analyses.dominators import Dominators
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.control_flow.exits import is_plain
from enzyme_py.passes.control_flow.places import Places
from enzyme_py.passes.memory.cache_marks import without_recomputing
from enzyme_py.passes.module.opaque import cached_copy
from enzyme_py.passes.module.requests import has_reverse

_COMPUTED = frozenset("add sub mul shl select freeze sext zext call phi".split())


class CachedBounds(Pass):
    """Cache the lengths that loops end at: those of phis, and if `reads` those that are read from memory too.

    With `reads` a module is left alone in which no bound is read from memory: without, it is the same.
    """

    name = "cached bounds"

    def __init__(self, *, reads: bool) -> None:
        self._reads = reads

    def applies(self, draft: Draft) -> bool:
        """Tell whether the module asks for reverse mode."""
        return has_reverse(draft.code)

    def run(self, draft: Draft) -> None:
        """Cache what the bounds of every function are computed from."""
        plain = (one for one in draft.code.functions if len(one.blocks) > 1 and is_plain(one))
        found = [(function, _behind_bounds(function, reads=self._reads)) for function in plain]
        values = [value for _, lengths in found for value in lengths]
        if not values or (self._reads and not any(isinstance(one, Load) for one in values)):
            return
        for function, lengths in found:
            _cache(function, lengths)
        without_recomputing(draft)


def _cache(function: Function, values: set[Instruction]) -> None:
    places = Places(function)
    for value in sorted(values, key=lambda one: one.ref):
        users = [one for one in value.users if one.opcode != "phi"]
        copy = cached_copy(places.behind(value), value, f"{value.name}.cached")
        for user in users:
            user.replace_operand(value, copy)


def _behind_bounds(function: Function, *, reads: bool) -> set[Instruction]:
    """Return the phis, and if wanted the loads, that loops' bounds are computed from, but for counters."""
    found = set[Instruction]()
    for cycle in function.analysis(Cycles).cycles:
        for bound in _bounds(cycle):
            _search(bound, found, set(), reads=reads)
    return found


def _bounds(cycle: Cycle) -> Iterator[Instruction]:
    """Yield what the exits of a loop compare with and what is the same in all its iterations, and where its counters begin."""
    for block in cycle.blocks:
        condition = block.terminator.operands[0] if block.terminator.operands else None
        if not isinstance(condition, Compare) or condition.opcode != "icmp":
            continue
        if cycle.blocks >= set(block.successors):
            continue
        for value in condition.operands:
            for one in _starts(cycle, value):
                if isinstance(one, Instruction) and one.block not in cycle.blocks:
                    yield one


def _starts(cycle: Cycle, value: Value) -> Iterator[Value]:
    """Yield a value, or if it is a counter of a loop or the counter's next value, where that begins."""
    counter = value
    if isinstance(value, Instruction) and value.opcode in ("add", "sub"):
        counter = next((one for one in value.operands if isinstance(one, Phi)), value)
    if isinstance(counter, Phi) and counter.block in cycle.blocks:
        yield from counter.values
    else:
        yield value


def _search(value: Value, found: set[Instruction], seen: set[Value], *, reads: bool) -> None:
    if not isinstance(value, Instruction) or value in seen:
        return
    seen.add(value)
    is_wanted = (isinstance(value, Phi) and not _counts(value)) or (
        reads and isinstance(value, Load) and not (value.is_volatile or value.is_atomic)
    )
    if is_wanted and value.type == "i64":
        found.add(value)
    elif value.opcode in _COMPUTED:
        for one in value.operands:
            _search(one, found, seen, reads=reads)


def _counts(phi: Phi) -> bool:
    """Tell whether a phi is a loop's own counter."""
    dominates = phi.function.analysis(Dominators).dominates
    return any(
        isinstance(value, Instruction)
        and value.opcode in ("add", "sub")
        and phi in value.operands
        and dominates(phi.home, way)
        for value, way in phi.incoming
    )
