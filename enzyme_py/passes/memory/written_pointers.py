"""Pointers that were loaded from memory, or chosen among others, are marked where they are written through.

    rows = [x * x, x * s]
    rows[i][0] = 0.5

Symptom: a wrong gradient without a word (measured: lists, dicts, tuples, nested lists, `u if n == 3 else w`; in first
orders where LLVM does not see which array it is, in second orders more often).

Cause: an array in a list is a pointer in the list's memory. Where it is only written through, by what has no derivative,
Enzyme finds nothing active in the list: it takes the pointer for constant, and does not clear the adjoint of what was
overwritten.

Cure: in front of such a write stands a mark, a call that seems to use the address:

    call void @enzyme_py_hint.written(ptr %q)
    store double 5.000000e-01, ptr %q

To Enzyme that is a function of active memory, so the pointer has a shadow, and what holds it has one. Its rule makes marks
of the shadow, in both sweeps, so that a derivative of the derivative finds those marked too. They stand beside the write,
and not where the pointer is made, since the reverse sweep makes it again for each block that needs it.
A pointer that is only chosen among known ones, of one array (`v, u = u, v` of views that overlap) or of several, needs that in
derivatives of derivatives alone, where the inner reverse sweep finds its shadow in a cache; else it has no mark, which would cost
the memory of a pointer in each iteration.
Rules know one shadow; in modules with requests of several the mark has a body instead, which Enzyme differentiates
itself. The native stage drops the marks.
"""

from __future__ import annotations

from collections.abc import Iterator

from enzyme_py.llvm import (
    Builder,
    Call,
    Constant,
    Function,
    GetElementPtr,
    Instruction,
    Load,
    Store,
    Value,
    types,
)
from enzyme_py.llvm.analyses.allocations import ALLOCATORS
from enzyme_py.llvm.analyses.points_to import all_sources, origins
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.memory.blocks.fills import filled, is_local
from enzyme_py.passes.memory.cache_marks import ruled
from enzyme_py.passes.memory.merged_pointers import MergedPointers, may_allocate
from enzyme_py.passes.module.requests import Requests
from enzyme_py.symbols import HINT_ATTRIBUTES, WRITTEN

_RULED = ruled(WRITTEN, in_reverse=f"  call void @{WRITTEN}(ptr %shadow)\n")
_DEFINED = f"""declare void @{WRITTEN}_to(ptr) {HINT_ATTRIBUTES}
define internal void @{WRITTEN}(ptr %pointer) noinline nounwind willreturn nofree nosync {{
  call void @{WRITTEN}_to(ptr %pointer)
  ret void
}}
"""
_INDIRECT = (" = load ptr,", " = phi ptr ", " = select i1 ", " = extractvalue ")
_FLOATS = ("double", "float", "half")
_NOTHING = ("null", "undef", "poison")
CONSTANT_MEMORY = "constant memory is used where"  # words of the refusal (host/refusals.py)


class WrittenPointers(Pass):
    """Mark writes through pointers that come from memory."""

    name = "written pointers"

    def applies(self, draft: Draft) -> bool:
        """Tell whether the module has no marks yet."""
        return draft.code.get(WRITTEN) is None

    def run(self, draft: Draft) -> None:
        """Mark the writes of all functions: what rules are made of is called by none, but differentiated, too."""
        requests = Requests(draft.code)
        is_nested = any(requests.inside(one) for one in requests.all())
        writes = [
            found
            for function in draft.code.functions
            for found in self._marked(function, is_nested=is_nested)
        ]
        if not writes:
            return
        is_single = all(one.width == 1 for one in requests.all())
        draft.code.add_text(_RULED if is_single else _DEFINED)
        mark = draft.code.function(WRITTEN)
        for write, pointer in writes:
            Builder(write).call(mark, [pointer], type_="void")

    def _marked(
        self, function: Function, *, is_nested: bool
    ) -> Iterator[tuple[Instruction, Value]]:
        """Yield pointers, and the instructions in front of which they are marked."""
        if _may_be_indirect(function):
            yield from _indirect_writes(function, is_nested=is_nested)


class WrittenAllocations(WrittenPointers):
    """Mark memory that merges with other memory, too.

        h = np.ones(n)
        for t in range(x.shape[0]):
            h = np.tanh(x[t] + h)
            y[t] = h

    Symptom: "constant memory is used where the derivative needs memory with a shadow".

    Cause: a phi of memory with a shadow and of memory in which only constants are. Enzyme's own way, activity that is
    decided while running, is wrong in nested derivatives.

    Cure: a mark behind the allocation. It gets a shadow, which begins as zeros and stays so.
    """

    name = "written allocations"

    def _marked(
        self, function: Function, *, is_nested: bool
    ) -> Iterator[tuple[Instruction, Value]]:
        yield from super()._marked(function, is_nested=is_nested)
        if may_allocate(function):
            pointers = function.analysis(MergedPointers)
            merged = pointers.outliving()
            for one in pointers.allocations:
                behind = one.next
                if one in merged and one.callee != "realloc" and behind is not None:
                    yield behind, one


def _may_be_indirect(function: Function) -> bool:
    return function.is_edited or any(one in function.body_text for one in _INDIRECT)


def _indirect_writes(function: Function, *, is_nested: bool) -> Iterator[tuple[Instruction, Value]]:
    """Yield the writes of floats through pointers that need a mark, and the pointers."""
    known = dict[Value, bool]()
    for one in function.instructions:
        pointer = _target(one)
        if pointer is None:
            continue
        if pointer not in known:
            known[pointer] = any(map(_is_found, origins(pointer))) or (is_nested and _is_chosen(pointer))
        if known[pointer]:
            yield one, pointer


def _is_chosen(pointer: Value) -> bool:
    """Tell whether a pointer is one of several on its way, and no counter that steps by so many bytes in each iteration."""
    return any(len({one for one in steps or () if _is_choice(one, at)}) > 1 for at, steps in all_sources(pointer))


def _is_choice(one: Value, at: Value) -> bool:
    """Tell whether a pointer is neither nothing nor that of the iteration before, moved by a constant."""
    is_step = (
        isinstance(one, GetElementPtr)
        and one.pointer is at
        and all(isinstance(index, Constant) for index in one.indices)
    )
    return one.ref not in _NOTHING and not is_step


def _target(one: Instruction) -> Value | None:
    """Return where an instruction writes floats, or a block of whatever it may be."""
    if isinstance(one, Store):
        kind = one.value.type
        element = types.counted(kind)[1] if types.is_vector(kind) else kind
        return one.pointer if element in _FLOATS and is_local(one.pointer) else None
    return filled(one)


def _is_found(start: Value) -> bool:
    """Tell whether a pointer comes from memory, or is a result."""
    if isinstance(start, Constant):
        return False
    if isinstance(start, Call):
        return start.callee not in ALLOCATORS
    return isinstance(start, Load) or getattr(start, "opcode", "") == "extractvalue"
