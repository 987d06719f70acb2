"""Telling Enzyme that a kernel's arguments are not written, where that is so.

Symptom: memory of the tape. A recurrent network of 64 states whose outputs are joined by np.concatenate took 49 kB a
step, 32 of them copies of one matrix; 46 kB where they go into a list. With the arguments marked: 2.1 and 3.0 kB.

Cause: memory that may be overwritten before the reverse sweep reads it is cached, iteration by iteration. Whether it
may be, LLVM's alias analysis says, and that gives up where a pointer walks through several phis, as that of an array
that a loop grows: then every operand of every product is cached in every iteration, matrices too.

Cure: where every write of the kernel goes to memory that it made itself, its parameters are marked `noalias readonly`,
which is just what that means: nobody writes what they point to while it runs. Shadows do not inherit the marks (Enzyme
drops them). Forward mode of the gradient does not write to them either: a product of a sparse matrix kept three numbers an entry
in its second order, where the gradient keeps one. It is done for modules that differentiate one kernel with one shadow, and not
where reverse mode differentiates a derivative, or where activity is decided while running, since that compares pointers.
"""

from __future__ import annotations

from collections.abc import Iterator

from enzyme_py.llvm import (
    Alloca,
    Argument,
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
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.memory.merged_pointers import MergedPointers
from enzyme_py.passes.module.requests import Requests
from enzyme_py.rules import copies
from enzyme_py.rules.blas import SUFFIX
from enzyme_py.symbols import DRIVER, HINT, INTO_BUFFER, RAISE

_UNKNOWN = frozenset("atomicrmw cmpxchg fence invoke callbr va_arg".split())
_NOWHERE = frozenset(("null", "undef", "poison"))
_READS = (HINT, RAISE, "llvm.lifetime.", "llvm.experimental.noalias.scope.decl")
_WRITES_FIRST = ("llvm.memset.", "llvm.memcpy.", "llvm.memmove.", INTO_BUFFER)
_MARKS = ("noalias", "readonly")
_SAID = (*_MARKS, "writeonly", "readnone")


class UntouchedArguments(Pass):
    """Mark the parameters of the one kernel that is differentiated, if it writes none of their memory."""

    name = "untouched arguments"

    def applies(self, draft: Draft) -> bool:
        """Tell whether activity is decided when the code is compiled."""
        return draft.code.get("enzyme_runtime_activity") is None

    def run(self, draft: Draft) -> None:
        """Mark the parameters, but for the first, where the result goes."""
        requests = Requests(draft.code)
        if requests.under_reverse() or any(one.width != 1 for one in requests.all()):
            return
        kernels = {one.target for one in requests.all() if not requests.inside(one)}
        function = draft.code.get(kernels.pop()) if len(kernels) == 1 else None
        if not isinstance(function, Function) or not writes_its_own_only(function):
            return
        for argument in function.arguments[1:]:
            if argument.type == "ptr" and not any(map(argument.has_attribute, _SAID)):
                for mark in _MARKS:
                    argument.add_attribute(mark)


def writes_its_own_only(function: Function) -> bool:
    """Tell whether a function is defined here and writes nothing but what it allocated, and its result."""
    if function.is_declaration:
        return False
    memory, result = _OwnMemory(function), function.arguments[:1]
    for one in function.instructions:
        for pointer in _written(one, memory):
            if pointer is None or not memory.holds(pointer, but_for=result):
                return False
    return True


class _OwnMemory:
    """The memory that a function made, and what leads there.

    As long as no other pointer is stored there, what is loaded from there leads there, too.
    """

    def __init__(self, function: Function) -> None:
        self._pointers = function.analysis(MergedPointers)
        self._known: dict[Value, set[Value]] = {}

    def _origins(self, pointer: Value) -> set[Value]:
        """Return what a pointer can come from, and where it can have been loaded from."""
        if pointer in self._known:
            return self._known[pointer]
        found, seen, pending = set[Value](), {pointer}, [pointer]
        while pending:
            for origin in self._pointers.origins(pending.pop()):
                place = _read_from(origin)
                if place is None:
                    found.add(origin)
                elif place not in seen:
                    seen.add(place)
                    pending.append(place)
        self._known[pointer] = found
        return found

    def _is_own(self, origin: Value) -> bool:
        if isinstance(origin, Constant):
            return origin.ref in _NOWHERE
        return isinstance(origin, Alloca) or origin in self._pointers.roots

    def holds(self, *pointers: Value, but_for: list[Argument] | None = None) -> bool:
        """Tell whether all of some pointers lead into the function's own memory, nowhere, or to what is excepted."""
        return all(
            self._is_own(origin) or origin in (but_for or ())
            for pointer in pointers
            for origin in self._origins(pointer)
        )


def _read_from(origin: Value) -> Value | None:
    """Return where a pointer was loaded from, or of which record it is a field."""
    if isinstance(origin, Load) and not (origin.is_volatile or origin.is_atomic):
        place: Value | None = origin.pointer if origin.type == "ptr" else None
    elif isinstance(origin, GetElementPtr) and types.is_struct(origin.source_type):
        place = origin.pointer
    else:
        return None
    is_local = isinstance(place, (Instruction, Argument))
    return place if is_local or (isinstance(place, Constant) and place.ref == "null") else None


def _written(one: Instruction, memory: _OwnMemory) -> Iterator[Value | None]:
    """Yield through what an instruction writes; None for what is not known."""
    if one.opcode in _UNKNOWN:
        yield None
    elif isinstance(one, Store):
        yield from _stored(one, memory)
    elif isinstance(one, Call):
        yield from _written_by(one, memory) if one.callee else (None,)


def _stored(one: Store, memory: _OwnMemory) -> Iterator[Value | None]:
    kind = one.value.type
    is_foreign = not memory.holds(one.value) if kind == "ptr" else "ptr" in kind
    yield None if is_foreign or one.is_volatile or one.is_atomic else one.pointer


def _is_only_read(parameter: Argument) -> bool:
    return parameter.has_attribute("readonly") and "captures(none)" in parameter.attributes


def _of_parts(call: Call) -> Function | None:
    """Return the driver that is called, if it touches no memory but what its arguments point to."""
    target = call.target
    if not isinstance(target, Function) or target.is_declaration or DRIVER not in target.name:
        return None
    said = target.attribute("memory") or ""
    is_by_arguments = said.startswith("memory(") and all(
        one.partition(":")[0] in ("argmem", "inaccessiblemem") for one in said[7:-1].split(", ")
    )
    return target if is_by_arguments else None


def _written_by(call: Call, memory: _OwnMemory) -> Iterator[Value | None]:
    given = [one for one in call.arguments if one.type == "ptr"]
    if (target := _of_parts(call)) is not None:
        # LLVM knows what such a function writes: frontend/parallel/drivers.py, memory_of_parts.py.
        parameters = zip(call.arguments, target.arguments, strict=True)
        yield from (one for one, known in parameters if one.type == "ptr" and not _is_only_read(known))
        return
    if call.callee.startswith(_READS):
        return
    if copies.is_body(call.callee) or call.callee.startswith(_WRITES_FIRST):
        yield given[0]
    elif call.callee.endswith(SUFFIX):
        yield given[-1]
    elif not memory.holds(*given):
        yield None
