"""Integers that leave a loop do so under a name of their own, in reverse mode.

Symptom: where an integer that a loop computes is used behind that loop, within a loop around it (`m` counted by an inner
loop, then `np.sin(x[:m] * s)`), the gradient was wrong without a word. In split modes there were zeros, or code that
never ended (measured; found by the fuzzer).

Cause: Enzyme's reverse sweep takes the integer's value in the first iteration of the inner loop for that in the last one.
In split modes it looks for it in memory that nobody wrote. A phi behind the loop would be cached by itself, but O2
takes it away.

Cure: the value passes there through a function that Enzyme cannot run twice (opaque.py):

    %m.live_out = call i64 @enzyme_py_inactive.left_i64(i64 %m)

What is cached then is one number for each run of the loop.

Eight bytes that may be a float do not pass through it: Enzyme is told there that they are an integer, and their
derivative would be lost without a word.
"""

from __future__ import annotations

from collections.abc import Sequence

from enzyme_py.llvm import Block, Function, Instruction, Phi, Select, Value, types
from enzyme_py.passes.module.opaque import cached_copy, is_cached_copy
from enzyme_py.passes.types.integers.loads import only_counts
from enzyme_py.passes.values.live_outs import LiveOuts, NamedLiveOuts, Starts

_MAKERS = frozenset(
    "phi add sub mul udiv sdiv urem srem shl lshr ashr and or xor freeze zext sext trunc ptrtoint "
    "fptoui fptosi load select call icmp fcmp".split()
)
# What is done with the bits of a float too, which LLVM moves as integers.
_ALSO_WITH_FLOATS = frozenset("store select freeze bitcast insertvalue inttoptr ret icmp".split())
_MERGES = frozenset(("phi", "select", "freeze"))
_OF_ANY_BITS = frozenset(("load", "bitcast", "and", "or", "xor"))


class LiveOutIntegers(NamedLiveOuts):
    """Pass integers that leave a loop through a call that Enzyme cannot run twice."""

    name = "live-out integers"

    def name_all(self, function: Function, live_outs: LiveOuts) -> None:
        """Name what leaves each loop, from the inside to the outside: a name may leave the next loop, too."""
        made = [one for one in function.instructions if _is_integer_here(one)]
        while made:
            made = _with_names(made, live_outs)


def _with_names(values: list[Instruction], live_outs: LiveOuts) -> list[Instruction]:
    """Name values behind the loops that make them, and return the names in the order of the code."""
    named: dict[tuple[Value, Block], Instruction] = {}
    starts = Starts()
    for value in values:
        loop = live_outs.loop_of(value)
        if loop is None:
            continue
        is_number = None
        for user in value.users:
            if user.opcode == "phi" or user.block in loop.blocks or is_cached_copy(user):
                continue
            if user.opcode in _ALSO_WITH_FLOATS:
                if is_number is None:
                    is_number = _is_computed(value, set()) or only_counts(value)
                if not is_number:
                    continue
            exit_ = live_outs.exit_between(value, loop, user.home)
            if exit_ is None:
                continue
            if (value, exit_) not in named:
                copy = cached_copy(starts[exit_], value, f"{value.name}.live_out")
                named[value, exit_] = copy
            user.replace_operand(value, named[value, exit_])
    return list(named.values())


def _is_integer_here(one: Instruction) -> bool:
    return one.opcode in _MAKERS and types.is_integer(one.type)


def _is_computed(value: Value, seen: set[Value]) -> bool:
    """Tell whether a value is a number that was computed, not eight bytes of whatever."""
    if not isinstance(value, Instruction) or value in seen:
        return False
    seen.add(value)
    if value.opcode in _MERGES:
        return any(_is_computed(one, seen) for one in _merged(value))
    return value.opcode not in _OF_ANY_BITS


def _merged(value: Instruction) -> Sequence[Value]:
    """Return what a phi, a select or a freeze may be: a condition is none of it."""
    if isinstance(value, Phi):
        return value.values
    return value.operands[1:] if isinstance(value, Select) else value.operands
