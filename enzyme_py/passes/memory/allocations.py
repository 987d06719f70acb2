"""Allocations that Enzyme must cache, since making them again in the reverse sweep would be wrong.

Enzyme rematerialises allocations: instead of caching a temporary for the reverse sweep it allocates and computes it
again there, which is most of the speed of loops with array temporaries (a factor of three, measured). It does so too
where that is wrong. All of this was measured on v0.0.238, most of it in plain first-order reverse mode and without a
word: wrong gradients, endless loops, crashes of the interpreter.

* **The pointer is carried into the next iteration**, `v = np.sin(v) * x`, or leaves the loop through a phi or select.
  The adjoint of one iteration never reaches the one before.
* **The allocation is used behind its loop**, where O2 has left no phi (`y = np.sin(v); y[:] = w`, then `np.sum(y)`).
* **Buffers change places**, `old, new = new, old`. Within one iteration LLVM proves the two apart, and Enzyme
  concludes that what was read through `old` is never overwritten, though a later iteration writes it through `new`.
  Loads through such pointers are cached. What a call reads of them Enzyme keeps by itself: to it a phi that is handed
  to a call may be any memory.
* **An inner loop fills it with temporaries of its own** (`C = np.empty(n)`, `for i: r = x[i] * y; C[i] = r * r`). To
  make C again Enzyme runs the inner loop again, but with the memory that r had in the last iteration, or had nowhere:
  of sixteen such kernels five had wrong gradients and seven crashed. np.kron is one. Caching C costs its size for each
  iteration of the loop around it; r is made again as before.
* **A pointer walks through an array by nested loops**, as in np.sum of a matrix. Where Enzyme cannot count such a
  pointer, it caches the pointers of the shadow in the forward sweep, before there is a shadow.
* **A block copy takes a known number of elements out of it** (`v[1:] = v[:-1] * v[1:]`, v of four elements). In Enzyme's run the
  copy is inlined and unrolled, and LLVM takes what it copied for what it filled: numbers that go into the next iteration
  are read from the temporary of the iteration at hand (tests/metamorphic found it). So it is of a number that a branch has asked for
  (`np.take(a, ORDER) * a` is right for the length of ORDER alone): then O2 has written the elements one by one. Where LLVM knows no
  number, the copy stays a loop, and nothing of the kind happens. Such temporaries are small.
* **A search stands beside it**: an inner loop with several exits that carries an integer which is no counter (`ax = 1 if ax == 2
  else 0`: Numba's question whether an array of four dimensions is contiguous). To make the memory again Enzyme goes through
  that loop again, and asks its exits with the integer of one iteration: it never ends (`t += np.ascontiguousarray(x[...,
  np.newaxis])[0, 0, 0, 0]; y[y > c] = 0.0` in a loop; only behind two_way_merges.py, without which Enzyme keeps the answers).
* **It decides when a loop of a called function ends**, `while e > 1: e = h * h * np.max(s * h)`. Such a function has a tape of its own, on
  which Enzyme does not write how often the loop ran: it goes through the conditions once more, and reads memory there that it makes again only later.
  Nor does it matter whether the condition is computed from the memory, or chosen by it: a loop counts where it is positive, another one runs so often.
  Wrong gradients, crashes of the interpreter, no end (found in other people's code).
* **Some iterations do without it, under reverse mode of another derivative.** The inner one keeps the pointer of
  memory made again, or of its shadow, through the iterations that have none, and the outer one finds no shadow for
  that: jumps to wild addresses, memory that was never written.
* **It holds integers only, under reverse mode of another derivative.** Of the masks of `x[x > 0]`, made again by the
  inner reverse sweep, the outer one reads some that nobody has filled.

Such allocations get a mark (cache_marks.py) and `enzyme_active_val`: zeros that are never written look constant, but
where they merge with active memory (`t = zeros if n == 0 else A @ B`) they need a shadow as that has. Where all is
forward mode, blocks of integers get neither: nothing is made again, and where they merge with an argument that is constant
(`order = i if n == 0 else np.sort(i)`, written to) Enzyme refuses what is active beside it.

**Shadows that are never zeroed** are another trap: for an allocation that the reverse sweep needs Enzyme may cache the
memory after all, or just the pointer of its shadow, and forget that it meant to clear the shadow there (operands of
products, blocks that loops copy, a concatenation of a concatenation). The shadow of what calloc made is made by
calloc too; so everything is. That takes no time that could be measured.

All this can be seen only in the code that Enzyme really reads, after O2.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cached_property

from enzyme_py.llvm import (
    Block,
    Call,
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
from enzyme_py.llvm.analyses.control_flow import ControlFlow
from enzyme_py.llvm.analyses.dominators import Dominators
from enzyme_py.llvm.analyses.loops import Loop, Loops
from enzyme_py.llvm.analyses.points_to import derived
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.control_flow.exits import branch_condition, is_called
from enzyme_py.passes.memory.cache_marks import keep
from enzyme_py.passes.memory.loop_carried_loads import loop_carried_loads
from enzyme_py.passes.memory.merged_pointers import ALLOCATORS, MergedPointers
from enzyme_py.passes.module.requests import Requests, under_reverse
from enzyme_py.passes.types.integers.blocks import is_of_integers
from enzyme_py.rules.copies import is_body
from enzyme_py.symbols import HINT, INACTIVE_VALUE, MUST_CACHE, RAISE

_SILENT = (HINT, RAISE)  # calls that touch no memory of numbers
_ABOUT_CALLOC = ('allockind("alloc,zeroed")', "allocsize(0,1)", '"alloc-family"="malloc"')
_ABOUT_MALLOC = ("allockind", "allocsize", "alloc-family")


class CachedAllocations(Pass):
    """Mark allocations and loads that must be cached, and let all memory begin as zeros."""

    name = "cached allocations"

    def applies(self, draft: Draft) -> bool:
        """Tell whether the module can allocate."""
        return any(draft.code.get(name) is not None for name in ALLOCATORS)

    def run(self, draft: Draft) -> None:
        """Mark what every function of the module makes, or refuse what cannot be marked."""
        nested = under_reverse(draft.code)
        is_forward = not any(one.is_reverse for one in Requests(draft.code).all())
        for function in draft.code.functions:
            pointers = function.analysis(MergedPointers)
            if pointers.allocations:
                _Marks(draft, function, pointers, is_nested=function.name in nested, is_forward=is_forward).set()


class _Marks:
    """What is marked in one function; all of it is found before anything is changed."""

    def __init__(
        self, draft: Draft, function: Function, pointers: MergedPointers, *, is_nested: bool, is_forward: bool
    ) -> None:
        self._draft, self._made = draft, pointers.allocations
        made = _Made(function, pointers.allocations)
        self._cached = {*pointers.outliving(), *made.used_behind(), *made.filled_by_inner_loops()}
        self._cached |= {*made.beside_searches(), *made.copied_in_pieces()}
        if is_called(function):
            self._cached |= set(made.deciding())
        if is_nested:
            self._cached |= {*made.conditional(), *made.of_integers()}
        if is_forward:  # nothing is made again there
            self._cached -= {one for one in self._made if one.has_attribute(INACTIVE_VALUE) or is_of_integers(one)}
        self._loads = loop_carried_loads(function, pointers.allocations)
        for pointer in pointers.exchanged():
            self._loads |= {one for one in pointer.users if isinstance(one, Load)}

    def set(self) -> None:
        """Write the marks."""
        if self._loads:
            node = self._draft.code.node("!{}")
            for load in self._loads:
                load.set_metadata(MUST_CACHE, node)
        for call in self._made:
            if call.callee == "malloc":
                _zero(call, self._draft.code)
            if call in self._cached:
                keep(call, self._draft)


def _zero(call: Call, code: Module) -> None:
    """Let calloc make what malloc did.

    Calls that clang writes say themselves that the first argument is the size: of calloc that would be one byte.
    """
    said = [call.argument_attributes(index) for index in range(len(call.arguments))]
    for word in _ABOUT_MALLOC:
        call.remove_attribute(word)
    call.set_callee(code.declare("calloc", "noalias ptr", ["i64", "i64"], _ABOUT_CALLOC))
    call.set_arguments([code.constant("i64", "1"), *call.arguments], [[], *said])


class _Made:
    """What one function allocates in loops, and how it uses that."""

    def __init__(self, function: Function, allocations: list[Call]) -> None:
        self._function = function
        self._loops = function.analysis(Loops)
        self._allocations = allocations

    @cached_property
    def _looped(self) -> list[tuple[Call, Loop]]:
        """What a loop allocates, with the innermost loop around it."""
        found = ((one, self._loops.around(one)) for one in self._allocations)
        return [(one, loop) for one, loop in found if loop is not None]

    def used_behind(self) -> Iterator[Call]:
        """Yield the allocations of a loop that are used behind it, where no phi hands them out."""
        for call, loop in self._looped:
            if any(user not in loop for pointer in derived(call) for user in pointer.users):
                yield call

    def filled_by_inner_loops(self) -> Iterator[Call]:
        """Yield the allocations of a loop that are written in a loop inside of it that allocates, too."""
        for call, loop in self._looped:
            inner = [one for _, one in self._looped if one.blocks < loop.blocks]
            if not inner:
                continue
            known = derived(call)
            users = {user for pointer in known for user in pointer.users}
            written = {user.home for user in users if not _only_reads(user, known)}
            if any(not one.blocks.isdisjoint(written) for one in inner):
                yield call

    def copied_in_pieces(self) -> Iterator[Call]:
        """Yield the allocations of a loop from which a block copy takes a number of elements that LLVM knows, or will know.

        It does where elements are written one by one, in no loop of their own: a length that a branch has asked for.
        """
        for call, loop in self._looped:
            pointers = derived(call)
            users = {user for pointer in pointers for user in pointer.users}
            copies = [one for one in users if isinstance(one, Call) and _copies_from(one, pointers)]
            stores = (one for one in users if isinstance(one, Store)) if copies else ()
            if any(map(_is_unrolled, copies)) or any(self._loops.around(one) is loop for one in stores):
                yield call

    def beside_searches(self) -> Iterator[Call]:
        """Yield the allocations of a loop that holds a search."""
        searches = [one for one in self._loops.loops if _searches(one)]
        for call, loop in self._looped:
            if any(one.blocks < loop.blocks and call not in one for one in searches):
                yield call

    def deciding(self) -> Iterator[Call]:
        """Yield the allocations of a loop that its exits, or those of loops in it or around it, are decided by."""
        made = [(call, around, derived(call)) for call, around in self._looped]
        for loop in self._loops.loops if made else ():
            asked = [one for one in map(branch_condition, loop.exiting) if one is not None and not loop.is_invariant(one)]
            behind = _decided_by(asked, self._function)
            yield from (call for call, around, pointers in made if around.blocks & loop.blocks and not behind.isdisjoint(pointers))

    def conditional(self) -> Iterator[Call]:
        """Yield the allocations that some iteration of the innermost loop around them does without."""
        for one in self._allocations:
            if not self._loops.runs_in_each_iteration(one):
                yield one

    def of_integers(self) -> Iterator[Call]:
        """Yield the allocations of a loop into which the function itself stores, and only integers."""
        for call, _ in self._looped:
            users = (user for pointer in derived(call) for user in pointer.users)
            kinds = {user.value.type for user in users if isinstance(user, Store)}
            if kinds and all(kind.startswith("i") for kind in kinds):
                yield call


def _decided_by(values: Collection[Value], function: Function) -> set[Value]:
    """Return all that values depend on in their function: what they are computed from, pointers included, and what phis are chosen by."""
    found, pending = set[Value](), list(values)
    asked = set[Block]()
    while pending:
        one = pending.pop()
        if one in found or not isinstance(one, Instruction):
            continue
        found.add(one)
        pending += one.operands
        if isinstance(one, Phi) and one.home not in asked:
            asked.add(one.home)
            pending += _choosing(one.home, function)
    return found


def _choosing(block: Block, function: Function) -> Iterator[Value]:
    """Yield the conditions that decide from where a block is come to, since the last block that all paths lead through."""
    above = function.analysis(Dominators).immediate(block)
    if above is not None:
        between = function.analysis(ControlFlow).leading_to(block.predecessors, without=[above])
        conditions = map(branch_condition, (above, *between))
        yield from (one for one in conditions if one is not None)


def _searches(loop: Loop) -> bool:
    """Tell whether a loop has several exits and carries an integer that is no counter."""
    odd = (one for one in loop.phis if one.type == "i64" and loop.counter(one) is None)
    return next(odd, None) is not None and len(loop.exiting_edges) > 1


def _only_reads(user: Instruction, known: Collection[Value]) -> bool:
    """Tell whether an instruction that uses pointers does not write where they lead."""
    if isinstance(user, (Load, GetElementPtr)) or user.opcode == "icmp":
        return True
    if not isinstance(user, Call) or not user.callee:
        return False
    if user.callee == "free" or user.callee.startswith((*_SILENT, "llvm.lifetime.")):
        return True
    return is_body(user.callee) and user.arguments[0] not in known


def _copies_from(copy: Call, source: Collection[Value]) -> bool:
    """Tell whether a call copies elements out of the memory that some pointers lead to."""
    if not is_body(copy.callee) or len(copy.arguments) < 5:
        return False
    to, start, *_ = copy.arguments
    return start in source and to not in source


def _is_unrolled(copy: Call) -> bool:
    """Tell whether a copy takes a known number of elements, of one axis at least."""
    integers = copy.arguments[2:]
    return any(isinstance(one, Constant) for one in integers[: len(integers) // 3])
