"""Loops over the parts of a parallel loop become forks, behind Enzyme.

    for k in 0..n: ... call chunk(..., k, ...) ...        ->        call enzyme_py_fork(task, pack, n)

Enzyme has made functions of the driver and the chunk (frontend/parallel/drivers.py) in any mode and nesting. What is left
of the driver's loop is a block that goes on to itself: it calls one function made of the chunk, and moves the tape of
part k to and from place k. That block becomes a function, the task, whose values from outside lie in a pack.

Only loops of exactly that form are touched. What else there is, two calls, a number carried from one part to the next, a
store that is not into the part's own place, a call that may ask for Python's lock, stays a loop: right, only slower.
`looked_at` tells each of them.
"""

from __future__ import annotations

from dataclasses import dataclass

from enzyme_py.llvm import (
    Block,
    Branch,
    Builder,
    Call,
    Compare,
    Constant,
    Function,
    GetElementPtr,
    Instruction,
    Load,
    Module,
    Phi,
    Store,
    Value,
)
from enzyme_py.llvm.values import Argument
from enzyme_py.native.threads.bodies import why_not_on_threads
from enzyme_py.symbols import CHUNK, DRIVER, FORK

_SIMPLE = frozenset(
    "add sub mul shl or and xor getelementptr load store icmp phi br extractvalue insertvalue zext sext "
    "trunc freeze select bitcast call".split()
)


@dataclass(frozen=True)
class Looked:
    """One loop of a derivative over the parts of a parallel loop."""

    function: str
    why_serial: str = ""  # nothing: it is a fork now

    @property
    def line(self) -> int:
        """The line of the user's loop, which stands in the driver's name."""
        digits = self.function.rpartition(f"{DRIVER}_")[2].split(".", 1)[0]
        return int(digits) if digits.isdecimal() else 0


class _SerialError(Exception):
    """Why a loop stays one."""


def fork_loops(code: Module) -> list[Looked]:
    """Make forks of all loops that can be one; tell of every loop that was looked at."""
    looked = list[Looked]()
    for function in list(code.functions):
        if DRIVER not in function.name:
            continue
        for block in list(function.blocks):
            if any(CHUNK in call.callee for call in block.instructions if isinstance(call, Call)):
                try:
                    _fork(code, function, block)
                except _SerialError as reason:
                    looked.append(Looked(function.name, str(reason)))
                else:
                    looked.append(Looked(function.name))
    return looked


@dataclass(frozen=True)
class _Range:
    """The parts that a loop runs over: the value of its phi is the part's number plus an offset."""

    phi: Phi
    count: Value | int  # the number of parts, less `more`
    more: int
    offset: int
    exit: Block
    before: Block


def _fork(code: Module, function: Function, block: Block) -> None:
    found = _range(block)
    calls = [one for one in block.body if isinstance(one, Call)]
    _check_body(code, block, calls)
    _check_memory(found, block)
    _check_outside(found, block)
    for one in (*block.instructions, *_from_outside(block)):
        if one.is_numbered and one.ref.startswith("%"):
            function.rename(one, function.unique_name("part"))
    outside = _from_outside(block)
    pack = "{ " + ", ".join(one.type for one in outside) + " }" if outside else "{ i8 }"
    task = _task(code, found, block, outside, pack)
    _call(code, function, found, block, outside, pack, task)
    for attribute in ("nosync", "nofree", "memory"):
        function.remove_attribute(attribute)


# -- what is a loop over parts


def _range(block: Block) -> _Range:
    phis = block.phis
    ends = block.terminator
    if len(phis) != 1 or phis[0].type != "i64":
        raise _SerialError("a value is carried from one part to the next")
    if not isinstance(ends, Branch) or ends.condition is None or block not in block.successors:
        raise _SerialError("the loop has several blocks")
    (phi,) = phis
    incoming = {id(source): (value, source) for value, source in phi.incoming}
    following, _ = incoming.pop(id(block))
    if len(incoming) != 1:
        raise _SerialError("the loop has several entries")
    ((first, before),) = incoming.values()
    step = _step(following, phi)
    bound, compared, is_left_when_equal = _end(block, ends, phi, following)
    exit_ = next(one for one in block.successors if one is not block)
    if (block.successors[0] is exit_) is not is_left_when_equal:
        raise _SerialError("the loop goes on in another way")
    if step == 1:
        if _integer(first) != 0:
            raise _SerialError("the parts are not counted from 0")
        return _Range(phi, bound, 0 if compared is following else 1, 0, exit_, before)
    if _integer(bound) is None:
        raise _SerialError("the parts are not counted down to 0")
    low = (_integer(bound) or 0) + (compared is following)
    # The phi's values are low, ..., first.
    return _Range(phi, first, 1 - low, low, exit_, before)


def _integer(value: Value) -> int | None:
    return value.integer if isinstance(value, Constant) else None


def _step(following: Value, phi: Phi) -> int:
    if isinstance(following, Instruction) and following.opcode == "add":
        one, other = following.operands[:2]
        step = _integer(other) if one is phi else None
        if step in (1, -1):
            return step
    raise _SerialError("the parts are not counted one by one")


def _end(block: Block, ends: Branch, phi: Phi, following: Value) -> tuple[Value, Value, bool]:
    """Return the bound, what is compared with it, and whether the loop is left when they are equal."""
    condition = ends.condition
    if (
        not isinstance(condition, Compare)
        or condition.opcode != "icmp"
        or condition.block is not block
    ):
        raise _SerialError("the loop ends in another way")
    compared, bound = condition.operands[:2]
    if compared is not phi and compared is not following:
        raise _SerialError("the loop ends by another number")
    if isinstance(bound, Instruction) and bound.block is block:
        raise _SerialError("the number of parts changes")
    if condition.predicate not in ("eq", "ne"):
        raise _SerialError(f"the loop ends by {condition.predicate}")
    return bound, compared, condition.predicate == "eq"


def _check_body(code: Module, block: Block, calls: list[Call]) -> None:
    chunks = [one for one in calls if CHUNK in one.callee]
    if len(chunks) != 1 or len(calls) != 1:
        others = sorted({one.callee or "a pointer" for one in calls if one not in chunks})
        raise _SerialError(f"each part calls {', '.join(others) or 'its body twice'} as well")
    for one in block.instructions:
        if one.opcode not in _SIMPLE:
            raise _SerialError(f"each part has a {one.opcode}")
    reason = why_not_on_threads(code, chunks[0].callee)
    if reason:
        raise _SerialError(reason)


@dataclass(frozen=True)
class _Place:
    """An array in which each part has a place of its own: by what index, and of what type."""

    array: Value
    is_counted_down: bool
    terms: tuple[tuple[str, bool], ...]  # what is added to the part's number, and what taken off
    kind: str


def _check_memory(found: _Range, block: Block) -> None:
    """Let each part write only into a place of its own, which no other reads."""
    stored = [_place(found, one.pointer) for one in block.body if isinstance(one, Store)]
    for one in block.body:
        if not isinstance(one, Load | Store) or not stored:
            continue
        place = _place(found, one.pointer)
        if any(place.array is known.array and place != known for known in stored):
            raise _SerialError("parts use places of one array in several ways")


def _place(found: _Range, pointer: Value) -> _Place:
    """Return the place of a part in which a pointer points."""
    place = pointer
    while isinstance(place, GetElementPtr) and all(
        _integer(one) is not None for one in place.indices
    ):
        place = place.pointer  # a field of the place
    if not isinstance(place, GetElementPtr) or len(place.indices) != 1:
        raise _SerialError("a part uses a place that is not its own")
    terms = list[tuple[str, bool]]()
    counted = _counted(found, place.indices[0], terms, is_taken_off=False)
    if len(counted) != 1 or _is_inside(found, place.pointer):
        raise _SerialError("a part uses a place that is not its own")
    return _Place(place.pointer, counted[0], tuple(sorted(terms)), place.source_type)


def _counted(
    found: _Range, value: Value, terms: list[tuple[str, bool]], *, is_taken_off: bool
) -> list[bool]:
    """Take a sum apart; return how often the part's number is in it: False for each plus, True for each minus."""
    if value is found.phi:
        return [is_taken_off]
    if not isinstance(value, Instruction) or not _is_inside(found, value):
        terms.append((value.ref, is_taken_off))
        return []
    one, other = value.operands[0], value.operands[-1]
    if value.opcode in ("add", "sub"):
        last = is_taken_off != (value.opcode == "sub")
        return [
            *_counted(found, one, terms, is_taken_off=is_taken_off),
            *_counted(found, other, terms, is_taken_off=last),
        ]
    if value.opcode == "xor" and _integer(other) == -1:  # -1 - x
        terms.append(("-1", is_taken_off))
        return _counted(found, one, terms, is_taken_off=not is_taken_off)
    raise _SerialError("a part uses a place that is not its own")


def _is_inside(found: _Range, value: Value) -> bool:
    return isinstance(value, Instruction) and value.block is found.phi.block


def _check_outside(found: _Range, block: Block) -> None:
    for one in block.instructions:
        if any(user.block is not block for user in one.users):
            raise _SerialError("a value of the last part is used behind the loop")


def _from_outside(block: Block) -> list[Value]:
    """Return the values that the block's own instructions name, in their order."""
    found = dict[int, Value]()
    kept = _needed(block)
    for one in (each for each in block.body if id(each) in kept):
        for operand in one.operands:
            is_local = isinstance(operand, Instruction | Argument)
            if is_local and getattr(operand, "block", None) is not block:
                found.setdefault(id(operand), operand)
    return list(found.values())


# -- the task


def _task(code: Module, found: _Range, block: Block, outside: list[Value], pack: str) -> str:
    name = code.unique_name("threads_task")
    lines = [f"define internal void @{name}(ptr %own.pack, i64 %own.part) {{", "entry:"]
    for place, one in enumerate(outside):
        lines.append(
            f"  %own.place{place} = getelementptr {pack}, ptr %own.pack, i32 0, i32 {place}"
        )
        lines.append(f"  {one.ref} = load {one.type}, ptr %own.place{place}")
    lines.append(f"  {found.phi.ref} = add i64 %own.part, {found.offset}")
    kept = _needed(block)
    lines += [f"  {one.text}" for one in block.body if id(one) in kept]
    lines += ["  ret void", "}", ""]
    code.add_function(f"@{name}", "\n".join(lines))
    return name


def _needed(block: Block) -> set[int]:
    """Return what stores, calls, or is used by what does."""
    kept = set[int]()
    pending: list[Instruction] = [one for one in block.body if isinstance(one, Store | Call)]
    while pending:
        one = pending.pop()
        if id(one) in kept:
            continue
        kept.add(id(one))
        inside = (each for each in one.operands if isinstance(each, Instruction))
        pending += [each for each in inside if each.block is block and each.opcode != "phi"]
    return kept


def _call(
    code: Module,
    function: Function,
    found: _Range,
    block: Block,
    outside: list[Value],
    pack: str,
    task: str,
) -> None:
    """Put the fork in the place of the loop."""
    place = Builder(function.entry.instructions[0]).alloca(pack, "pack")
    fork = code.get(FORK) or code.declare(FORK, "void", ["ptr", "ptr", "i64"])
    _leave_once(found, block)
    build = Builder(block.terminator)
    for number, one in enumerate(outside):
        field = build.gep(pack, place, [0, build.constant("i32", number)], "own")
        build.store(one, field)
    count = found.count if isinstance(found.count, Value) else build.constant("i64", found.count)
    if found.more:
        count = build.parse(f"%own.count = add i64 {count.ref}, {found.more}")
    build.parse(f"call void {fork.ref}(ptr @{task}, ptr {place.ref}, i64 {count.ref})")


def _leave_once(found: _Range, block: Block) -> None:
    """Leave an empty block that goes on behind the loop."""
    found.phi.remove_incoming(block)
    for one in reversed(list(block.instructions)):
        one.erase()
    build = Builder.at_end(block)
    build.parse(f"br label {found.exit.ref}")
