"""What a call may write though it was not given the address: it loads that from memory which it was given.

    store ptr %data, ptr %record
    call void @f(ptr readonly captures(none) %record)          f loads %data, and writes there

What is said of a parameter is said of the memory right behind it: a function that only reads a record may write whatever the
record leads to. All addresses that some memory is ever given are taken together, those too that the copy of a block moves.
What one call has come to know, the next one may know without being told.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from enzyme_py.llvm.analyses.call_effects import KNOWN, Access, CallEffects, Known
from enzyme_py.llvm.analyses.points_to import origins
from enzyme_py.llvm.functions import Function
from enzyme_py.llvm.instructions import Alloca, Call, Instruction, Load, Store
from enzyme_py.llvm.types import is_pointer
from enzyme_py.llvm.values import Argument, Value

_ELSEWHERE = Value("ptr", "?")  # memory of others, which whoever runs may come to
_MOVES = ("llvm.memcpy.", "llvm.memmove.")
_WORD = "i64"
_HIDES = frozenset(("ptrtoint", "insertvalue", "insertelement"))  # an address goes on as something else


class HeldMemory:
    """The addresses that memory holds, in one function. With `known`, more is known of callees than their attributes say."""

    def __init__(self, function: Function, known: Mapping[str, Known] = KNOWN) -> None:
        self._known = known
        self._held = defaultdict[Value, set[Value]](set)
        shown = set[Value]()  # to calls, which may load what it holds
        for one in function.instructions:
            if isinstance(one, Store):
                self._store(one)
            elif isinstance(one, Call):
                shown |= self._call(one)
            elif one.opcode in _HIDES:
                self._keep([_ELSEWHERE], _led_from(one.operands))
        self._all = set[Value]().union(*self._held.values())
        self._held[_ELSEWHERE] |= self._found_in(shown)

    def written(self, call: Call) -> set[Value]:
        """Return where the memory begins that a call may write by addresses which it finds in memory."""
        if Access.WRITE not in CallEffects(call, self._known).other:
            return set()
        return self._found_in([_ELSEWHERE, *_led_from(call.arguments)])

    def _found_in(self, places: Iterable[Value]) -> set[Value]:
        """Return where addresses lead that are held in some memory, or in what those lead to."""
        found, pending = set[Value](), list(places)
        while pending:
            one = pending.pop()
            new = (self._held[one] if self._is_known(one) else self._all) - found
            found |= new
            pending += new
        return found

    def _keep(self, places: Iterable[Value], addresses: Iterable[Value]) -> None:
        local = {one for one in addresses if isinstance(one, (Instruction, Argument))}
        for one in places:
            self._held[one] |= local

    def _store(self, store: Store) -> None:
        """Keep an address, or the memory from which a word was read that may be one: LLVM moves small blocks so."""
        values = origins(store.value)
        if not is_pointer(store.value.type):
            words = (one for one in values if isinstance(one, Load) and one.type == _WORD)
            values = set[Value]().union(*(origins(one.pointer) for one in words))
        self._keep(origins(store.pointer), values)

    def _call(self, call: Call) -> set[Value]:
        """Keep what a call may keep, and return the memory whose contents it may see."""
        if call.callee.startswith(_MOVES):
            self._keep(origins(call.arguments[0]), origins(call.arguments[1]))
            return set()
        effects, shown = CallEffects(call, self._known), set[Value]()
        done = effects.other
        for index in range(len(call.arguments)):
            done |= effects.through(index)
        for index, one in enumerate(call.arguments):
            if is_pointer(one.type) and done is not Access.NONE:
                if Access.WRITE in done and effects.may_capture(index):
                    self._keep([_ELSEWHERE], origins(one))
                if Access.READ in effects.through(index) | effects.other:
                    shown |= origins(one)
        return shown

    def _is_known(self, memory: Value) -> bool:
        """Tell whether all addresses in some memory are those that were seen to go there."""
        if isinstance(memory, Call):
            return CallEffects(memory, self._known).is_allocation
        return memory is _ELSEWHERE or isinstance(memory, (Alloca, Argument))


def _led_from(values: Iterable[Value]) -> set[Value]:
    """Return where the memory begins that pointers among some values lead to."""
    return set[Value]().union(*(origins(one) for one in values if is_pointer(one.type)))
