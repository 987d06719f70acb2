"""Loops over arrays get a version for usual arrays: as long as the loop, number beside number.

    for i in range(n):                            if is_long and step == 8:
        j = i if is_long else 0                       for i in range(n): to[i] = a[i] + b[i]
        to[i] = a[j] + b at (step * i)            else:
                                                      the loop as it was

Symptom: kernels on slices, `u[1:-1] = 0.5 * (u[2:] + u[:-2])`, took up to twice the time.

Cause: an array of length one is broadcast, which is known while running only. So each index of an array expression is chosen,
and what is assigned has a step of any number of bytes. LLVM takes such loops apart by one condition after the other, and gives up
at three; where steps are not known, it makes no vectors.

Cure: in front of the loop it is asked once whether all arrays are the usual ones. Done for innermost loops of one block that call
nothing that touches memory, and whose adds were not taken apart (sums/scattered_adds.py does the same for those). The numbers
are the same in both versions, to the last bit.
"""

from __future__ import annotations

from enzyme_py.llvm import (
    Block,
    Builder,
    Call,
    GetElementPtr,
    Instruction,
    Module,
    Select,
    Store,
    Value,
    clone_blocks,
    own_exit,
)
from enzyme_py.llvm.analyses.loops import Loop, Loops
from enzyme_py.native.rewrites.sums.blocks import CHECK
from enzyme_py.native.rewrites.sums.conditions import Conditions
from enzyme_py.native.rewrites.sums.guesses import Usual, usual_in
from enzyme_py.native.rewrites.sums.loop_hints import tell_parallel, tell_seldom
from enzyme_py.native.rewrites.sums.plans import NO_MEMORY, parallel
from enzyme_py.native.rewrites.sums.reverse_sums import is_reverse

_LARGEST = 400  # instructions of a loop
_MANY = 3  # conditions of choices: LLVM makes loops for all ways that fewer can come out, if nothing is written there


def add_usual_loops(code: Module) -> None:
    """Give such versions to all loops that may have them."""
    for function in code.functions:
        if not function.is_edited and not any(word in function.body_text for word in (" select i1 ", " = mul ")):
            continue
        for block in [one for one in function.blocks if one in one.successors and len(set(one.successors)) == 2]:
            loop = function.analysis(Loops).headed_by(block)
            usual = _worth_it(loop) if loop is not None and _may_gain(loop) else []
            if loop is not None and usual:
                _add_version(loop, usual)


def _may_gain(loop: Loop) -> bool:
    """Tell whether LLVM may make vectors of a loop, and its adds were left where they are."""
    instructions, before = loop.header.instructions, loop.predecessor
    if len(loop.blocks) != 1 or before is None or before.name.startswith(CHECK) or len(instructions) > _LARGEST:
        return False
    return not any(isinstance(one, Call) and not one.callee.startswith(NO_MEMORY) for one in instructions)


def _worth_it(loop: Loop) -> list[Usual]:
    """Return what is usual in a loop; of choices nothing, if there are few conditions and nothing is written by what is chosen."""
    found = list(usual_in(loop))
    choices = [one for one in found if isinstance(one.one, Select)]
    is_written = any(_leads_to_store(one.one) for one in choices)
    if is_written or len({one.condition for one in choices}) >= _MANY:
        return found
    return [one for one in found if one not in choices]


def _leads_to_store(index: Instruction) -> bool:
    pointers = [one for one in index.users if isinstance(one, GetElementPtr)]
    return any(isinstance(user, Store) and user.pointer is one for one in pointers for user in one.users)


def _add_version(loop: Loop, usual: list[Usual]) -> None:
    """Put a copy of a loop beside it, for usual arrays."""
    block, before, function = loop.header, loop.predecessor, loop.header.function
    assert before is not None
    assert function is not None
    # Who looks at the addresses of an array keeps it alive: what a primal loop writes may be needed by nobody.
    plan = parallel(function, loop) if is_reverse(block) else None
    (target,) = (one for one in block.successors if one is not block)
    own_exit(block, target, f"{block.name}.exit")
    ahead = before.split_edge(block, f"{block.name}.check")
    holds = _hold(usual, Builder(ahead.terminator)) if plan is None else Conditions(plan, ahead).all_hold()
    copies = clone_blocks([block], "usual")
    for each in usual if plan is None else plan.usual:
        each.put_in(copies)
    copy = copies[block]
    assert isinstance(copy, Block)
    if plan is not None:
        tell_parallel(copy)
    tell_seldom(block)
    Builder(ahead.terminator).branch_if(holds, copy, block)
    ahead.terminator.erase()


def _hold(usual: list[Usual], at: Builder) -> Value:
    """Ask whether all conditions are as usual."""
    holds: Value | None = None
    for condition, wanted in dict.fromkeys((one.condition, one.wanted) for one in usual):
        one = at.compare("eq", condition, wanted)
        holds = one if holds is None else at.arithmetic("and", holds, one)
    assert holds is not None
    return holds
