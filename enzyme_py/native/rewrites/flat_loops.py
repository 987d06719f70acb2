"""Innermost loops whose branches only choose between numbers become loops of one block.

    inside = x > 0.0                                      one = sqrt(max(x, tiny))
    if inside: root = sqrt(max(x, tiny))        -->       other = x * steepness * steepness
    else: root = x * steepness * steepness                root = select inside, one, other

Symptom: gradients of whatever takes roots in loops, of distances above all, took 4 to 6 times the primal.

Cause: the rules of functions with an edge (rules/numbers/elementary.py) have a branch: Enzyme would take zero times infinity for the
derivative of the arm that is not taken. The derivative has the branch too. LLVM does not compute a root and a quotient for nothing,
so there are two blocks, and it makes no vectors.

Cure: behind Enzyme both arms are computed, and one is chosen. Floating-point arithmetic has no effect but its result. Done where all of the
loop becomes one block, and for few instructions. And roots are told to be LLVM's own, which set no `errno`; and pointers that such a
loop reads from one place, where Enzyme has kept them, are read in front of it: it stores numbers, and numbers are not where pointers are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from enzyme_py.llvm import (
    Block,
    Branch,
    Builder,
    Call,
    Function,
    GetElementPtr,
    Instruction,
    Load,
    Module,
    Store,
    Value,
)
from enzyme_py.llvm.analyses.loops import Loop, Loops
from enzyme_py.native.rewrites.sums.plans import NO_MEMORY

_ROOTS = {"sqrt": ("llvm.sqrt.f64", "double"), "sqrtf": ("llvm.sqrt.f32", "float")}
_MOST = 60  # instructions of the arms of one choice
_CHEAP = frozenset(
    "fadd fsub fmul fdiv fneg fcmp icmp select add sub mul shl lshr ashr and or xor sext zext trunc sitofp uitofp fpext "
    "fptrunc bitcast freeze getelementptr".split()
)


@dataclass(frozen=True)
class _Choice:
    """A block that ends with a branch to one arm or two, and where they meet."""

    block: Block
    arms: tuple[Block | None, Block | None]  # for true, and for false; None: at once to `meet`
    meet: Block


def flatten_loops(code: Module) -> None:
    """Let roots be LLVM's own, and flatten the loops of all functions."""
    _tell_roots(code)
    for function in code.functions:
        if function.is_edited or " br i1 " in function.body_text:
            for loop in list(function.analysis(Loops).loops):
                if not loop.children and len(loop.blocks) > 1:
                    chain = _chain(loop)
                    if chain is not None:
                        _flatten(function, chain)
                        _hoist_pointers(function, loop.header)


def _tell_roots(code: Module) -> None:
    for name, (own, kind) in _ROOTS.items():
        for call in list(code.calls_of(name)) if code.get(name) is not None else ():
            call.set_callee(code.declare(own, kind, [kind]))


def _chain(loop: Loop) -> list[Block | _Choice] | None:
    """Return a loop's blocks and choices in order, None if it is made of anything else."""
    found, block, seen = list[Block | _Choice](), loop.header, set[Block]()
    may_change = any(_may_write_pointers(one) for each in loop.blocks for one in each.instructions)
    read = None if may_change else list[Load]()  # in each iteration: it is there in the iteration's arms as well
    while block not in seen:
        seen.add(block)
        if read is not None:
            read += _loads(block)
        end = block.terminator
        if loop.header in end.successors:
            found.append(block)
            is_all = len(seen) == len(loop.blocks) and loop.latches == [block]
            return found if is_all and len(set(end.successors)) == 2 else None
        if not isinstance(end, Branch):
            return None
        if not end.is_conditional:
            following = end.successors[0]
            if following not in loop or following.predecessors != [block]:
                return None
            found.append(block)
        else:
            choice = _choice(block, loop, read)
            if choice is None:
                return None
            seen |= {one for one in choice.arms if one is not None}
            found.append(choice)
            following = choice.meet
        block = following
    return None


def _choice(block: Block, loop: Loop, read: Sequence[Load] | None) -> _Choice | None:
    one, other = block.terminator.successors
    if one is other or one not in loop or other not in loop:
        return None
    for meet in (one, other, *one.successors):
        arms = tuple(None if each is meet else each for each in (one, other))
        if meet is not loop.header and all(each is None or _is_arm(each, block, meet, read) for each in arms):
            ways = {block if each is None else each for each in arms}
            if set(meet.predecessors) == ways and sum(len(each.body) for each in arms if each is not None) <= _MOST:
                return _Choice(block, arms, meet)  # type: ignore[arg-type]
    return None


def _is_arm(arm: Block, block: Block, meet: Block, read: Sequence[Load] | None) -> bool:
    """Tell whether a block lies between two others, and may be computed for nothing."""
    if arm.predecessors != [block] or arm.successors != [meet] or arm.phis:
        return False
    there = () if read is None else (*read, *_loads(meet))
    return all(_is_free(one, there) for one in arm.body)


def _loads(block: Block) -> list[Load]:
    return [one for one in block.instructions if isinstance(one, Load)]


def _is_free(one: Instruction, there: Sequence[Load]) -> bool:
    """Tell whether an instruction has no effect but its result, where some loads are made in any case."""
    if isinstance(one, Call):
        return one.callee.startswith(NO_MEMORY)
    if isinstance(one, Load):
        return not one.is_volatile and not one.is_atomic and any(_reads_the_same(one, other) for other in there)
    return one.opcode in _CHEAP


def _reads_the_same(one: Load, other: Load) -> bool:
    """Tell whether two loads read one place as one type."""
    return one.type == other.type and _is_same(one.pointer, other.pointer)


def _is_same(one: Value, other: Value) -> bool:
    """Tell whether two addresses are one, in an iteration that writes no pointers."""
    if one is other:
        return True
    if isinstance(one, Load) and isinstance(other, Load):
        return one.type == "ptr" and _reads_the_same(one, other)
    if not isinstance(one, GetElementPtr) or not isinstance(other, GetElementPtr):
        return False
    if one.source_type != other.source_type or len(one.operands) != len(other.operands):
        return False
    return all(map(_is_same, one.operands, other.operands))


def _flatten(function: Function, chain: list[Block | _Choice]) -> None:
    """Move all instructions to the first block."""
    first = chain[0].block if isinstance(chain[0], _Choice) else chain[0]
    for one in chain:
        block = one.block if isinstance(one, _Choice) else one
        if block is not first:
            for phi in list(block.phis):
                phi.replace_with(phi.values[0])  # one way leads here now
            _take(block, first)
        if isinstance(one, _Choice):
            _choose(one, first)
    last = chain[-1]
    assert isinstance(last, Block)
    for target in dict.fromkeys(first.successors):
        for phi in target.phis:
            phi.replace_incoming_block(last, first)
    for one in chain:
        for emptied in (one.block, *one.arms) if isinstance(one, _Choice) else (one,):
            if emptied is not None and emptied is not first:
                function.remove_block(emptied)


def _choose(choice: _Choice, first: Block) -> None:
    """Compute both arms of a choice, and put what is chosen in the place of the phis where they meet."""
    end = first.terminator
    assert isinstance(end, Branch)
    condition = end.condition
    assert condition is not None
    for arm in choice.arms:
        if arm is not None:
            arm.terminator.erase()
            for moved in list(arm.instructions):
                moved.move_before(end)
    sources = [choice.block if arm is None else arm for arm in choice.arms]
    for phi in list(choice.meet.phis):
        one, other = (phi.value_from(source) for source in sources)
        phi.replace_with(one if one is other else Builder(end).select(condition, one, other))
    end.erase()


def _take(block: Block, first: Block) -> None:
    """Move a block's instructions behind those of the first one, which has lost its terminator or goes only there."""
    if first.instructions and first.instructions[-1].is_terminator:
        first.terminator.erase()
    for one in list(block.instructions):
        one.detach()
        first.append(one)


def _hoist_pointers(function: Function, block: Block) -> None:
    """Read pointers in front of a loop of one block that reads the same ones in each iteration."""
    loop = function.analysis(Loops).headed_by(block)
    if loop is None or loop.predecessor is None or any(_may_write_pointers(one) for one in block.instructions):
        return
    read = dict[Value, Load]()
    for one in [each for each in _loads(block) if each.type == "ptr"]:
        if one.pointer in read:
            one.replace_with(read[one.pointer])
        elif loop.is_invariant(one.pointer):
            read[one.pointer] = one
    if read:
        ahead = loop.predecessor.split_edge(block, f"{block.name}.pointers")
        for one in read.values():
            one.move_before(ahead.terminator)


def _may_write_pointers(one: Instruction) -> bool:
    if isinstance(one, Call):
        return not one.callee.startswith(NO_MEMORY)
    return one.may_write and not (isinstance(one, Store) and one.value.type in ("double", "float"))
