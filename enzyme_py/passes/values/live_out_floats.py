"""Floats that leave an inner loop do so under a name of their own, in reverse mode.

    for i in range(n):
        t += q * s
        for j in range(i, n):
            q = c[j] * s

Symptom: a wrong gradient without a word, or a read out of bounds (the fuzzer found it; only where the read of c[j] sinks
out of the inner loop, so something else must keep that loop alive).

Cause: the adjoint of an iteration needs q as the iteration before left it. Enzyme rematerialises that number, from the
last j of the inner loop; but how often the inner loop runs it asks of the iteration at hand, not of the one before.

Cure: behind its loop the float becomes

    %cached = call double @enzyme_py_inactive.left_double(double %q)
    %q.live_out = call double @enzyme_py_slope.pick.double(double %q, double %cached)

The first Enzyme cannot run twice, so it caches that number; the second is it, and has the derivative of %q
(rules/slopes.py). What an inner loop sums up or carries is never rematerialised, and goes without.

In the parts of parallel loops sums have names of their own too. A part is a function that Enzyme splits in two: of a sum that the
reverse half needs, the forward half would keep each step, and not the last one alone, as within one function.
"""

from __future__ import annotations

from collections.abc import Iterator

from enzyme_py.llvm import Block, Function, Instruction, Phi, Value
from enzyme_py.llvm.analyses.loops import Loop
from enzyme_py.passes.module.opaque import cached_copy, is_cached_copy
from enzyme_py.passes.values.live_outs import LiveOuts, NamedLiveOuts, Starts
from enzyme_py.passes.values.picks import is_pick, pick
from enzyme_py.symbols import CHUNK

_MAKERS = frozenset(
    "load fadd fsub fmul fdiv frem fneg select call sitofp uitofp fpext fptrunc".split()
)
_FLOATS = ("double", "float")


class LiveOutFloats(NamedLiveOuts):
    """Pass floats that leave an inner loop through a call that Enzyme cannot run twice."""

    name = "live-out floats"

    def name_all(self, function: Function, live_outs: LiveOuts) -> None:
        """Name floats behind the inner loops that make them."""
        starts = Starts()
        made = [one for one in function.instructions if one.type in _FLOATS and one.opcode in _MAKERS]
        for value in made:
            loop = live_outs.loop_of(value)
            # What is in no loop around this one is not asked for by another iteration.
            if loop is None or loop.parent is None or is_pick(value):
                continue
            named: dict[Block, Instruction] = {}
            for user, where in list(_needed(value, loop)):
                exit_ = live_outs.exit_between(value, loop, where)
                if exit_ is None or live_outs.loop_of(exit_) is None:
                    continue
                if not named and not (_is_within_a_part(function, loop) or _is_rematerialised(value, loop)):
                    break
                if exit_ not in named:
                    cached = cached_copy(starts[exit_], value, f"{value.name}.cached")
                    named[exit_] = pick(starts[exit_], value, cached, f"{value.name}.live_out")
                if isinstance(user, Phi):
                    user.set_value_from(where, named[exit_])
                else:
                    user.replace_operand(value, named[exit_])


def _is_within_a_part(function: Function, loop: Loop) -> bool:
    """Tell whether a loop stands in the body of a parallel one: below the loop over the part's range, and that around it."""
    return CHUNK in function.name and loop.parent is not None and loop.parent.parent is not None


def _needed(value: Instruction, loop: Loop) -> Iterator[tuple[Instruction, Block]]:
    """Yield who needs a value outside of its loop under a new name: with the block in which, or at whose end."""
    for user in value.users:
        if isinstance(user, Phi):
            ways = dict.fromkeys(block for given, block in user.incoming if given is value)
            yield from ((user, block) for block in ways if block not in loop)
        elif user not in loop and not is_cached_copy(user) and not is_pick(user):
            yield user, user.home


def _is_rematerialised(value: Instruction, loop: Loop) -> bool:
    """Tell whether a float is made anew in each iteration, from reads and integers."""
    seen, pending = set[Value](), [value]
    while pending:
        one = pending.pop()
        if one in seen:
            continue
        seen.add(one)
        if one.opcode == "phi" and one.type in _FLOATS:
            return False
        given = one.values if isinstance(one, Phi) else one.operands
        pending += [each for each in given if isinstance(each, Instruction) and each in loop]
    return True
