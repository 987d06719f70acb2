"""Arrays that a nest of loops reads again and again are copied in front of it, if they are written over later.

    for _ in range(steps):
        for i in range(n):
            for j in range(n):
                force[i] += pull(place[i], place[j])
        place += dt * force

Symptom: gradients of bodies that attract each other keep numbers for each pair and each step, 22 MB for 300 bodies and 10 steps, where
a step has 7 kB of places. A million steps more of a program that works, and memory is gone.

Cause: the reverse sweep needs the places as they were, and the next step has written over them. Enzyme caches what each read
has read, or what was made of it: each place n times.

Cure: one copy in front of the nest, from which the nest reads. It is kept, and is never written again, so its reads are marked as
lasting (lasting_reads.py), and nothing is cached for any of them. The derivative of the copy adds the adjoints up.

Done where it can only help: some loop of the nest goes without moving the address that is read, so that a number is read
several times; the derivative needs what was read, by something that is not linear in it; and it is written later. What the nest can
reach is copied, and no more (extents.py): of a large array of which a few numbers are read, a copy of the whole would be far more than
what Enzyme caches. For memory that the function itself has made in front of all loops, in functions that are
differentiated in one piece, whose code is not differentiated in reverse again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from enzyme_py.llvm import (
    Argument,
    Builder,
    Call,
    Constant,
    Function,
    GetElementPtr,
    Instruction,
    Load,
    Module,
    Value,
)
from enzyme_py.llvm.analyses.addresses import Addresses
from enzyme_py.llvm.analyses.allocations import allocated_bytes, may_allocate
from enzyme_py.llvm.analyses.control_flow import ControlFlow
from enzyme_py.llvm.analyses.iterations import Effort, loops_around
from enzyme_py.llvm.analyses.loops import Loop
from enzyme_py.llvm.analyses.points_to import base_of
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.memory.cache_marks import keep
from enzyme_py.passes.memory.overwriting.extents import Extent, bytes_of, extent
from enzyme_py.passes.memory.overwriting.lasting_reads import LASTS, reads_in_loops
from enzyme_py.passes.memory.overwriting.written_behind import WrittenBehind, alone
from enzyme_py.passes.module.request_arguments import CONST, given_by
from enzyme_py.passes.module.requests import has_reverse, request_in
from enzyme_py.symbols import HINT

_NUMBERS = ("double", "float")
_LINEAR = frozenset("fadd fsub fneg phi select fpext fptrunc freeze".split())
_COPY = "llvm.memcpy.p0.p0.i64"


class Snapshots(Pass):
    """Let nests of loops read from copies of what is written over behind them."""

    name = "snapshots"

    def applies(self, draft: Draft) -> bool:
        """Tell whether the module asks for reverse mode, and makes memory."""
        return has_reverse(draft.code) and may_allocate(draft.code)

    def run(self, draft: Draft) -> None:
        """Make the copies, in all functions that are differentiated in one piece."""
        single = alone(draft.code) or set()
        for function in draft.code.functions if single else ():
            if function.name in single and reads_in_loops(function):
                for found in _Nests(function, single, _constant(draft, function)).found():
                    found.copy(draft)


def _constant(draft: Draft, function: Function) -> set[Value]:
    """Return the parameters of a function by which nobody differentiates."""
    constant = set[Value](function.arguments)
    for caller in draft.code.functions:
        for call in caller.calls if caller.mentions("__enzyme_") else ():
            request = request_in(call)
            if request is not None and request.target == function.name:
                given = zip(function.arguments, given_by(call), strict=False)
                constant -= {one for one, said in given if said.marker != CONST}
    return constant


@dataclass
class _Nest:
    """A nest of loops, an array that it only reads, and the reads."""

    loop: Loop
    array: Call
    reads: dict[Load, Extent]

    def copy(self, draft: Draft) -> None:
        """Copy the array in front of the nest, and read from there."""
        code = draft.code
        (before,) = self.loop.entering
        at = Builder(before.terminator)
        size = bytes_of(dict.fromkeys(self.reads.values()), self.array.arguments[-1], at)
        make = code.declare("calloc", "noalias ptr", ["i64", "i64"])
        made = at.call(make, [at.constant("i64", 1), size], "enzyme_py.snapshot")
        move = code.declare(_COPY, "void", ["ptr", "ptr", "i64", "i1"])
        at.call(move, [made, self.array, size, at.constant("i1", 0)])
        keep(made, draft)
        self._tell_type(made, at, code)
        node = code.node("!{}")
        for read in self.reads:
            read.set_operand(0, _moved(read, self.array, made))
            read.set_metadata(LASTS, node)

    def _tell_type(self, made: Value, at: Builder, code: Module) -> None:
        """Say what the copy holds: Enzyme cannot tell where all that reads it is read at places that are not known."""
        kinds = {read.type for read in self.reads}
        hint = code.get(f"{HINT}.Float.{kinds.pop()}")
        if hint is not None and not kinds:
            at.call(hint, [made], type_="void")


def _moved(read: Load, array: Value, made: Value) -> Value:
    """Return the address of a read in the copy."""
    steps, pointer = list[GetElementPtr](), read.pointer
    while isinstance(pointer, GetElementPtr):
        steps.append(pointer)
        pointer = pointer.pointer
    assert pointer is array
    at, there = Builder(read), made
    for step in reversed(steps):
        there = at.gep(step.source_type, there, step.indices)
    return there


class _Nests:
    """The nests of one function."""

    def __init__(self, function: Function, single: set[str], constant: set[Value]) -> None:
        self._function, self._constant = function, constant
        self._addresses = function.analysis(Addresses)
        self._flow = function.analysis(ControlFlow)
        self._behind = WrittenBehind(function, single)

    def found(self) -> list[_Nest]:
        """Return the nests that are worth a copy; nothing is changed yet."""
        effort, found = Effort(), list[_Nest]()
        for (loop, array), reads in self._reads().items():
            if self._pays(reads, loop):
                known = {one: far for one in reads if (far := extent(one, loop, effort)) is not None}
                if self._pays(list(known), loop):
                    found.append(_Nest(loop, array, known))
        return found

    def _reads(self) -> dict[tuple[Loop, Call], list[Load]]:
        """Return what is read of arrays, by the largest loop around it that does not write to them, but is followed by who does."""
        reads = defaultdict[tuple[Loop, Call], list[Load]](list)
        for one in self._function.instructions:
            if isinstance(one, Load) and one.type in _NUMBERS and not one.is_atomic and loops_around(one):
                array = base_of(one.pointer)
                if isinstance(array, Call) and not loops_around(array) and allocated_bytes(array) is not None:
                    loop = self._nest(one, array)
                    if loop is not None:
                        reads[loop, array].append(one)
        return reads

    def _nest(self, read: Load, array: Call) -> Loop | None:
        writes = self._behind.writes_to(array)
        reached = self._flow.reached_again(read.home)
        nest = None
        for loop in reversed(loops_around(read)):  # the innermost first
            if any(one in loop for one in writes):
                break
            nest = loop
        if nest is None or len(nest.entering) != 1:
            return None
        return nest if any(one.home in reached for one in writes) else None

    def _pays(self, reads: Sequence[Load], nest: Loop) -> bool:
        """Tell whether numbers are read several times, and needed."""
        return any(self._is_read_again(one, nest) and self._is_needed(one) for one in reads)

    def _is_read_again(self, read: Load, nest: Loop) -> bool:
        """Tell whether a loop of the nest goes on without moving the address."""
        offset = self._addresses.of(read.pointer).offset
        if offset is None:
            return False
        moving = {loop for part in offset.parts for loop in self._mover(part)}
        around = loops_around(read)
        return any(loop not in moving for loop in around[around.index(nest) :])

    def _mover(self, part: Value) -> Iterator[Loop]:
        """Yield the innermost loop in which a value changes."""
        if isinstance(part, Instruction) and (around := loops_around(part)):
            yield around[-1]

    def _is_needed(self, read: Load) -> bool:
        """Tell whether anything that is not linear in it takes a number."""
        seen, pending = set[Instruction](), list[Instruction]([read])
        while pending:
            value = pending.pop()
            for user in value.users:
                if user in seen:
                    continue
                seen.add(user)
                if user.opcode in _LINEAR:
                    pending.append(user)
                elif user.opcode in ("fmul", "fdiv"):
                    one, other = user.operands
                    is_scaled = self._is_constant(other if one is value else one)
                    if not is_scaled or (user.opcode == "fdiv" and one is not value):
                        return True
                    pending.append(user)
                elif isinstance(user, Call):
                    return True
        return False

    def _is_constant(self, value: Value) -> bool:
        """Tell whether a factor surely has no derivative."""
        if isinstance(value, Load):
            value = self._addresses.of(value.pointer).base
        if isinstance(value, Instruction):
            return value.opcode in ("sitofp", "uitofp")
        return isinstance(value, Constant) or (isinstance(value, Argument) and value in self._constant)
