"""Memory that a loop makes anew in each iteration, made once in front of it.

Two patterns of array code cost Enzyme, in reverse mode, all memory of all iterations with all shadows, because it may
not make them again (allocations.py says why):

    h = np.tanh(W @ h + U @ x[t])       the array is carried into the next iteration
    y = W @ h                           BLAS writes it, and such memory is never made again

Where the size is known in front of the loop, the first becomes a copy into one buffer and the second is that buffer.
What is left for Enzyme is what it does well: values that are overwritten are cached, one array for each iteration,
and everything else is computed again. Measured on a recurrent network with 64 states (512 bytes each): 1.1 kB a step
in place of 4.7 kB, and the memory of forward mode no longer grows at all.

The program's meaning stays: the memory of an iteration has no other owner (its pointer is not stored, not handed on,
in no other phi), nobody looks at its address, and nothing holds the state of an iteration once the next one is written
over it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from enzyme_py.llvm import (
    Block,
    Builder,
    Call,
    Function,
    GetElementPtr,
    Instruction,
    Load,
    Module,
    Phi,
    Store,
    Value,
)
from enzyme_py.llvm.analyses.allocations import allocated_bytes, may_allocate
from enzyme_py.llvm.analyses.dominators import Dominators
from enzyme_py.llvm.analyses.loops import Loop, Loops
from enzyme_py.llvm.analyses.points_to import derived
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.memory.merged_pointers import allocations
from enzyme_py.rules import copies
from enzyme_py.rules.blas import SUFFIX
from enzyme_py.symbols import HINT, INTO_BUFFER

_HARMLESS = (HINT, "llvm.memset.", "llvm.memcpy.", "llvm.memmove.", "llvm.lifetime.")
_LETTERS = {"double": "d", "float": "s"}
_SHIFTS = {"d": 3, "s": 2}
_MOST = 8  # allocations of one function that move, those of loops in loops counted again


class HoistedBuffers(Pass):
    """One buffer in front of a loop for what every iteration would allocate."""

    name = "hoisted buffers"

    def applies(self, draft: Draft) -> bool:
        """Tell whether the module can allocate."""
        return may_allocate(draft.code)

    def run(self, draft: Draft) -> None:
        """Move the allocations of all functions."""
        for function in draft.code.functions:
            for _ in range(_MOST):
                found = next(_movable(function), None)
                if found is None:
                    break
                found.move(draft.code)


def _movable(function: Function) -> Iterator[_Looped]:
    """Yield the allocations of loops that can move in front of theirs."""
    made = allocations(function)
    loops = function.analysis(Loops).loops if made else []
    for call in made if loops else ():
        size, loop = (
            allocated_bytes(call),
            next((one for one in loops if _is_simple(one) and call in one), None),
        )
        if size is not None and loop is not None:
            looped = _Looped(call, size, loop)
            if looped.can_move():
                yield looped


def _is_simple(loop: Loop) -> bool:
    """Tell whether a loop is entered from one block, and has one latch."""
    return loop.predecessor is not None and loop.latch is not None


@dataclass
class _Looped:
    """What happens to one allocation of a loop."""

    call: Call
    size: Value
    loop: Loop
    letter: str = ""  # of its elements, if it is carried into the next iteration
    _types: set[str] = field(default_factory=set)
    _carriers: list[Phi] = field(default_factory=list)  # those of the header
    _is_multiplied: bool = False

    @property
    def _latch(self) -> Block:
        assert self.loop.latch is not None
        return self.loop.latch

    @property
    def _before(self) -> Block:
        assert self.loop.predecessor is not None
        return self.loop.predecessor

    def can_move(self) -> bool:
        """Tell whether the allocation can move, and should."""
        dominators = self.call.function.analysis(Dominators)
        if not dominators.is_available(self.size, self._before):
            return False
        if not dominators.dominates(self.call.home, self._latch):
            return False
        if not self._is_owned() or not self._leaves_no_older_state():
            return False
        if not self._carriers:
            # A product's result only: what loops have filled is better computed again.
            is_left = any(one not in self.loop for one in self.call.users)
            return self._is_multiplied and self.call.callee == "malloc" and not is_left
        self.letter = _LETTERS.get(self._types.pop(), "") if len(self._types) == 1 else ""
        return bool(self.letter)

    # -- who uses it ---------------------------------------------------------------------------------

    def _is_owned(self) -> bool:
        """Tell whether each use of the pointer, and of those derived from it, is harmless."""
        known = derived(self.call)
        return all(self._is_harmless(user, one, known) for one in known for user in one.users)

    def _is_harmless(self, user: Instruction, pointer: Value, known: Collection[Value]) -> bool:
        if isinstance(user, Phi):
            return self._is_handed_on(user, known)
        if user not in self.loop and not self._is_behind(user.home, pointer):
            return False
        if isinstance(user, GetElementPtr):
            return True
        if isinstance(user, Load):
            self._types.add(user.type)
            return True
        if isinstance(user, Store):
            self._types.add(user.value.type)
            return user.value not in known
        return self._is_harmless_call(user)

    def _is_behind(self, block: Block, pointer: Value) -> bool:
        """Tell whether what leaves a block has the array of the last iteration, or a pointer made of it behind the loop.

        A loop whose count is known is left without a phi that says so.
        """
        if pointer is not self.call:
            return isinstance(pointer, Instruction) and pointer not in self.loop
        if block is self._latch:
            return True
        dominators = self.call.function.analysis(Dominators)
        left = [one for leaving, one in self.loop.exiting_edges if leaving is self._latch]
        return any(
            one.predecessors == [self._latch] and dominators.dominates(one, block) for one in left
        )

    def _is_harmless_call(self, user: Instruction) -> bool:
        if not isinstance(user, Call):
            return False
        if copies.is_copy(user.callee):
            self._types |= {copies.FLOATS[letter] for letter in user.callee.rpartition("_")[2]}
            return True
        is_product = user.callee.endswith(SUFFIX)
        self._is_multiplied |= is_product
        return is_product or user.callee.startswith(_HARMLESS)

    def _is_handed_on(self, phi: Phi, known: Collection[Value]) -> bool:
        """Tell whether a phi is the one that carries the array on, or takes it out of the loop."""
        given = [(value, block) for value, block in phi.incoming if value in known]
        if phi not in self.loop:
            return all(self._is_behind(block, value) for value, block in given)
        if any(value is not self.call or block is not self._latch for value, block in given):
            return False
        if phi.block is not self.loop.header or self._carriers:
            return False  # two names for one array, in this iteration or in the next one
        self._carriers.append(phi)
        return True

    def _leaves_no_older_state(self) -> bool:
        """Tell whether nothing holds the state of an iteration once the next one is written over it.

        `old = h; h = np.sin(h)` with `old` used in the next iteration or behind the loop, or kept in a list.
        """
        known = derived(*self._carriers)
        return all(self._only_reads(user, known) for user in _users(known))

    def _only_reads(self, user: Instruction, known: Collection[Value]) -> bool:
        if isinstance(user, Phi):
            # Behind an exit in the loop's middle it is the state of the last whole iteration.
            left_from = [block for value, block in user.incoming if value in known]
            return user in self._carriers or (
                user not in self.loop and self._latch not in left_from
            )
        if user not in self.loop:
            return False
        if isinstance(user, GetElementPtr):
            return True
        if isinstance(user, Load):
            self._types.add(user.type)
            return True
        if isinstance(user, Store):
            return user.value not in known
        return self._is_harmless_call(user)

    # -- the move ------------------------------------------------------------------------------------

    def move(self, code: Module) -> None:
        """Allocate in front of the loop."""
        call, header = self.call, self.loop.header
        # The block in front may lead elsewhere: to a `raise`, where the size of the array is asked.
        ahead = self.loop.preheader or self._before.split_edge(header, f"{header.name}.before")
        before, name = Builder(ahead.terminator), call.name
        # A new call: what is said of the one in the loop, such as scopes of aliases, is true there only.
        made = before.call(code.declare("malloc", "noalias ptr", ["i64"]), [self.size])
        made.set_flags(["noalias"])
        if not self.letter:
            call.replace_with(made)
            made.rename(name)
            return
        made.rename(f"{name}.buffer")
        shift, width = _SHIFTS[self.letter], code.constant("i64", str(copies.SIZES[self.letter]))
        count = before.arithmetic("lshr", self.size, shift, f"{name}.count")
        at_end = Builder(self._latch.terminator)
        copied = at_end.call(copier(code, self.letter), [made, call, count, width, width])
        if call.location is not None:
            copied.set_metadata("dbg", call.location)
        at_end.call(code.declare("free", "void", ["ptr"]), [call])
        for user in [*self._carriers, *(one for one in call.users if one not in self.loop)]:
            user.replace_operand(call, made)


def _users(pointers: Collection[Value]) -> Iterator[Instruction]:
    for pointer in pointers:
        yield from pointer.users


def copier(code: Module, letter: str) -> Function:
    """Return the function that copies numbers into a buffer, one by one."""
    name = f"{INTO_BUFFER}{letter}"
    if code.get(name) is None:
        walk = copies.walk(name, 1, letter * 2)
        code.add_text(walk.replace("define linkonce_odr", "define internal"))
    return code.function(name)
