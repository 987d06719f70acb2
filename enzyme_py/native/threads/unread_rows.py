"""What the parts of a loop add up, and nobody reads: it is not added up.

Symptom: a gradient whose value nobody asks for took twice the time of plain loops. Of those LLVM drops the forward sweep, where the
reverse one needs nothing of it; of parts it dropped nothing.

Cause: each part puts its sum into a row, memory that is handed from function to function and at last to threads. LLVM does not
look through that.

Cure: in front of the forks, where all calls are plain ones still. Memory is *unread* if it is made in one function, and if nobody who
is given a pointer into it does more than write there: or read what goes back there alone, as in `row[k] += v`. The stores into unread
memory go; what was computed for them, LLVM drops.

Only functions of one module are looked at, called by their names with a pointer that leads nowhere else. In doubt memory is read.
"""

from __future__ import annotations

from collections.abc import Iterator

from enzyme_py.llvm import (
    Argument,
    Call,
    Function,
    GetElementPtr,
    Instruction,
    Load,
    Module,
    Store,
    Value,
)
from enzyme_py.llvm.analyses.allocations import ALLOCATORS
from enzyme_py.symbols import DRIVER

_NOTHING = ("llvm.lifetime.", "llvm.memset.")
_PURE = frozenset(
    "phi fadd fsub fmul fdiv frem fneg fcmp icmp select freeze add sub mul and or xor shl lshr ashr "
    "zext sext trunc fpext fptrunc sitofp uitofp extractvalue insertvalue".split()
)


def drop_unread_rows(code: Module) -> None:
    """Leave out the stores into memory of parallel loops that nobody reads."""
    drivers = [one for one in code.functions if DRIVER in one.name]
    if drivers:
        _Unread(code, drivers).drop()


class _Unread:
    """The pointers of a module into memory of which nobody reads: parameters, and what allocators give."""

    def __init__(self, code: Module, drivers: list[Function]) -> None:
        self._code = code
        self._calls = _calls_by_name(code)
        self._stores: dict[Value, list[Store]] = {}  # into the memory of each
        self._handed: dict[Value, list[Argument]] = {}  # the parameters to which each is handed on
        self._given: dict[Argument, list[Value]] = {}  # the pointers that each may be
        pending: list[Value] = [one for driver in drivers for one in driver.arguments if one.type == "ptr"]
        while pending:
            one = pending.pop()
            if one not in self._stores and self._looks_unread(one):
                pending += self._handed[one]
                if isinstance(one, Argument):
                    self._given[one] = list(self._pointers_for(one))
                    pending += self._given[one]

    def drop(self) -> None:
        """Erase the stores into what is unread."""
        while bad := [one for one in self._stores if not self._is_unread(one)]:
            for one in bad:
                del self._stores[one]
        for stores in self._stores.values():
            for store in stores:
                store.erase()

    def _is_unread(self, one: Value) -> bool:
        given = self._given.get(one, []) if isinstance(one, Argument) else []
        if isinstance(one, Argument) and not given:
            return False
        return all(other in self._stores for other in (*self._handed[one], *given))

    def _looks_unread(self, root: Value) -> bool:
        """Tell whether a pointer is one to memory made here, or a parameter, that its function reads nothing of."""
        if not isinstance(root, Argument) and not _is_made(root):
            return False
        pointers, stores, loads, handed = [root], list[Store](), list[Load](), list[Argument]()
        for pointer in pointers:
            for user in pointer.users:
                if isinstance(user, GetElementPtr) and user.pointer is pointer:
                    pointers.append(user)
                elif isinstance(user, Store) and user.value is not pointer and user.opcode == "store":
                    stores.append(user)
                elif isinstance(user, Load):
                    loads.append(user)
                elif isinstance(user, Call) and (given := self._taken(user, pointer)) is not None:
                    handed += given
                else:
                    return False
        if not all(_goes_back(load, stores) for load in loads):
            return False
        self._stores[root], self._handed[root] = stores, handed
        return True

    def _taken(self, call: Call, pointer: Value) -> list[Argument] | None:
        """Return the parameters that a call hands a pointer to; None if it may do more with it than that."""
        if call.callee == "free" or call.callee.startswith(_NOTHING):
            return []
        target = self._code.get(call.callee) if call.callee else None
        if not isinstance(target, Function) or target.is_declaration or len(target.arguments) != len(call.arguments):
            return None
        if sum(one is pointer for one in call.operands) != sum(one is pointer for one in call.arguments):
            return None
        return [to for to, one in zip(target.arguments, call.arguments, strict=True) if one is pointer]

    def _pointers_for(self, parameter: Argument) -> Iterator[Value]:
        """Yield what a parameter may be; nothing if somebody else may call its function."""
        function = next(one for one in self._code.functions if parameter in one.arguments)
        calls = self._calls.get(function.name)
        if calls is None or "internal" not in function.head.split("@", 1)[0].split():
            return
        place = function.arguments.index(parameter)
        for call in calls:
            value = call.arguments[place]
            while isinstance(value, GetElementPtr):
                value = value.pointer
            yield value


def _calls_by_name(code: Module) -> dict[str, list[Call]]:
    """Return the calls of each function that is only called."""
    calls, named = dict[str, list[Call]](), set[str]()
    for function in code.functions:
        for one in function.instructions:
            target = one.target if isinstance(one, Call) else None
            if isinstance(one, Call) and one.callee:
                calls.setdefault(one.callee, []).append(one)
            named |= {each.name for each in one.operands if isinstance(each, Function) and each is not target}
    return {name: found for name, found in calls.items() if name not in named}


def _is_made(value: Value) -> bool:
    return isinstance(value, Call) and value.callee in ALLOCATORS


def _goes_back(load: Load, stores: list[Store]) -> bool:
    """Tell whether a number that is read serves for nothing but what is written to the same memory."""
    seen = set[Instruction]()
    pending: list[Instruction] = [load]
    while pending:
        one = pending.pop()
        if one in seen:
            continue
        seen.add(one)
        for user in one.users:
            if isinstance(user, Store) and user in stores and user.value is one:
                continue
            if user.opcode not in _PURE and not _is_arithmetic(user):
                return False
            pending.append(user)
    return True


def _is_arithmetic(one: Instruction) -> bool:
    return isinstance(one, Call) and one.callee.startswith(("llvm.maxnum.", "llvm.minnum.", "llvm.fma", "llvm.fabs"))
