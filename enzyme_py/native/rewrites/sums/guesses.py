"""What is usual of arrays that a loop goes through, and is known while running only.

* an index is the loop's counter, or zero where the array has length one and is broadcast;
* an array that is assigned to a slice has a step of any number of bytes: usually that of its numbers;
* rows of two or three numbers, `a[i, 0]`, `a[i, 1]`, `a[i, 2]`, are as far apart as the array is wide: usually as many as are used;
* `u[2:]` begins at the end of an array that is shorter.

What is taken for true by these guesses is asked in front of a loop.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from enzyme_py.llvm import (
    Arithmetic,
    Builder,
    Call,
    Constant,
    GetElementPtr,
    Instruction,
    Load,
    Phi,
    Select,
    Store,
    Value,
)
from enzyme_py.llvm.analyses.loops import Loop, Loops
from enzyme_py.llvm.types import size_of


@dataclass(frozen=True)
class Usual:
    """What an instruction of a loop gives for usual arrays: `times` an operand. `condition` is `wanted` then."""

    one: Instruction
    operand: Value
    times: int
    condition: Value
    wanted: int

    def put_in(self, copies: dict[Value, Value]) -> None:
        """Put it in the place of a copy of the instruction."""
        copy, operand = copies[self.one], copies.get(self.operand, self.operand)
        assert isinstance(copy, Instruction)
        copies[self.one] = operand if self.times == 1 else Builder(copy).mul(operand, self.times)
        copy.replace_with(copies[self.one])


def usual_in(loop: Loop) -> Iterator[Usual]:
    """Yield all that is usual in a loop of one block."""
    for one in loop.header.instructions:
        found = usual_of(one, loop)
        if found is not None:
            yield found


def usual_of(one: Value, loop: Loop) -> Usual | None:
    """Return what is usual of a choice between an index and zero, or of a product of an index and a step."""
    if isinstance(one, Select) and one.type == "i64":
        return _choice(one, loop)
    if isinstance(one, Arithmetic) and one.opcode == "mul" and one.type == "i64":
        steps = [each for each in one.operands if loop.is_invariant(each)]
        moving = [each for each in one.operands if not loop.is_invariant(each)]
        if len(steps) == 1 and not isinstance(steps[0], Constant) and (step := _usual_step(one)):
            return Usual(one, moving[0], step, steps[0], step)
    return None


def _choice(one: Select, loop: Loop) -> Usual | None:
    condition, *arms = one.operands
    zeros = [isinstance(arm, Constant) and arm.integer == 0 for arm in arms]
    if zeros.count(True) != 1 or isinstance(condition, Constant) or not loop.is_invariant(condition):
        return None
    taken = arms[zeros.index(False)]
    return None if loop.is_invariant(taken) else Usual(one, taken, 1, condition, int(zeros[1]))


def _usual_step(offset: Instruction) -> int | None:
    """Return by how much an offset moves if what is read or written there lies side by side; None where it is used otherwise.

    In bytes, or in numbers: then there are rows of a few, `a[i, 0]`, `a[i, 1]`, `a[i, 2]`, of an array that is as wide.
    """
    pointers = [one for one in offset.users if isinstance(one, GetElementPtr) and list(one.indices) == [offset]]
    units = {size_of(one.source_type) for one in pointers}
    if len(pointers) != len(offset.users) or len(units) != 1:
        return None
    touched, unit = set[tuple[int, int]]().union(*map(_touched, pointers)), units.pop()
    reach = max((begin + size for begin, size in touched), default=0)
    if not unit or reach % unit:
        return None
    is_row = sum(size for _, size in touched) == reach > unit
    return reach // unit if unit == 1 or is_row else None


def _touched(pointer: GetElementPtr) -> set[tuple[int, int]]:
    """Return what is read or written behind a pointer: where it begins, and how many bytes it has."""
    found = set[tuple[int, int]]()
    for user in pointer.users:
        if isinstance(user, GetElementPtr):
            (index, *more) = user.indices
            at = index.integer if isinstance(index, Constant) and not more and user.source_type == "i8" else None
            found |= {(at + begin, size) for begin, size in _touched(user)} if at is not None and at > 0 else {(-1, 0)}
        elif isinstance(user, Load):
            found.add((0, size_of(user.type) or 0))
        elif isinstance(user, Store) and user.pointer is pointer:
            found.add((0, size_of(user.value.type) or 0))
    return found


def usual_number(value: Value) -> int | None:
    """Return the number that a value usually is: one that is chosen unless an array is too short for it."""
    if isinstance(value, Select):
        arms: Sequence[Value] = value.arms
    elif isinstance(value, Phi) and value.function.analysis(Loops).headed_by(value.home) is None:
        arms = value.values
    elif isinstance(value, Call) and value.callee.startswith(("llvm.smin.", "llvm.umin.")):
        arms = value.arguments
    else:
        return None
    numbers = {one.integer for one in arms if isinstance(one, Constant)}
    return numbers.pop() if len(numbers) == 1 and not all(isinstance(one, Constant) for one in arms) else None
