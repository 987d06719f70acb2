"""Functions that return arrays which their callers write to are inlined.

Symptom: the gradient of `d[0][1] = 1.0` keeps the adjoint of what was there, without a word (measured).

Cause: where LLVM leaves a function alone (a dict's lookup, called twice), its result comes back in a variable of the caller,
and the pointer to the numbers is loaded from there. If only constants are written through that pointer, Enzyme takes the
variable for constant: the adjoint of what was there is not cleared.

Cure: inlined, the pointer is the array's own. What calls itself cannot be, and is refused.
Functions that return arrays of their own making are left alone: what is in such an array goes through the same
variable as what is written to it.
"""

from __future__ import annotations

from collections.abc import Iterator

from enzyme_py.errors import DerivativeError, Where
from enzyme_py.llvm import Alloca, Call, Function, Instruction, Load, Module, Store, Value
from enzyme_py.llvm.analyses.allocations import ALLOCATORS
from enzyme_py.llvm.analyses.points_to import origins
from enzyme_py.llvm.values import attribute_name
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.memory.blocks.fills import is_local
from enzyme_py.symbols import HINT, readable

_KEEPS_NOTHING = ("llvm.", "enzyme_py_copy", "enzyme_py_clear", "enzyme_py_walk")
_SILENT = (HINT, "llvm.lifetime")
_MOVED = frozenset(("getelementptr", "phi", "select", "freeze"))
_KEPT = ("noinline", "optnone")


class WrittenResults(Pass):
    """Ask for functions to be inlined that return arrays to which callers write."""

    name = "written results"

    def run(self, draft: Draft) -> None:
        """Mark such functions, or refuse those that call themselves."""
        names = {name for one in draft.code.functions for name in _written_by(one)}
        found = [one for one in draft.code.functions if one.name in names]
        own = {one.name for one in found if _returns_its_own(one)}
        names -= own
        if not names:
            return
        endless = calling_themselves(draft.code)
        for name in sorted(names & endless):
            raise _refusal(name, draft.where)
        for function in found:
            if function.name in names and function.linkage == "internal" and may_inline(function):
                function.add_attribute("alwaysinline")


def _written_by(function: Function) -> Iterator[str]:
    """Yield what leaves a result in a variable of a function, through whose pointers that writes."""
    text = function.body_text
    if not function.is_edited and not (" alloca " in text and " load ptr, " in text):
        return
    for variable in function.instructions:
        if isinstance(variable, Alloca):
            called = [one.callee for one in variable.users if _leaves_result(one, variable)]  # type: ignore[attr-defined]
            if called and _is_written_through(variable):
                yield from called


def _leaves_result(one: Instruction, variable: Value) -> bool:
    """Tell whether a call may leave its result in a variable: a result's place is handed over first."""
    is_call = isinstance(one, Call) and one.opcode == "call" and bool(one.callee)
    return is_call and one.arguments[:1] == (variable,)  # type: ignore[attr-defined]


def _is_written_through(variable: Value) -> bool:
    """Tell whether anything is written through the pointers in a variable."""
    loaded = {
        user
        for address in _moved({variable})
        for user in address.users
        if isinstance(user, Load) and user.type == "ptr"
    }
    return any(_writes(pointer) for pointer in _moved(set(loaded)))


def _moved(values: set[Value]) -> set[Value]:
    """Return pointers and all that is made from them by moving or choosing."""
    found, pending = set[Value](), list(values)
    while pending:
        value = pending.pop()
        if value not in found:
            found.add(value)
            pending.extend(one for one in value.users if one.opcode in _MOVED)
    return found


def _writes(pointer: Value) -> bool:
    """Tell whether anybody writes through a pointer, or is given it and may."""
    for user in pointer.users:
        if isinstance(user, Store) and user.pointer is pointer:
            return True
        if not isinstance(user, Call) or user.callee.startswith(_SILENT):
            continue
        if not user.callee:
            return True
        for index, value in enumerate(user.arguments):
            if value is pointer and not _only_reads(user, index):
                return True
    return False


def _only_reads(call: Call, index: int) -> bool:
    target = call.target
    said = target.parameter_attributes(index) if isinstance(target, Function) else []
    return any(attribute_name(one) == "readonly" for one in said)


def _returns_its_own(function: Function) -> bool:
    """Tell whether all pointers in a function's result lead to memory that it made and told nobody else of."""
    own = {
        one for one in function.instructions if isinstance(one, Call) and one.callee in ALLOCATORS
    }
    result = function.arguments[0]
    for one in function.instructions:
        if isinstance(one, Store) and one.value.type == "ptr":
            made = {start for start in origins(one.value) if start.ref != "null"}
            into = origins(one.pointer)
            if (result in into and not made <= own) or (made & own and not into <= own | {result}):
                return False
        if isinstance(one, Call) and not one.callee.startswith(_SILENT):
            given = {
                start for value in one.arguments if is_local(value) for start in origins(value)
            }
            keeps = not one.callee.startswith(_KEEPS_NOTHING)
            if result in given or (given & own and keeps):
                return False
    return True


def may_inline(function: Function) -> bool:
    """Tell whether nothing is said of a function that LLVM would take amiss."""
    said = [attribute_name(one) for one in function.attributes]
    is_told = any("inline" in one for one in said)
    return not is_told and not any(map(function.has_attribute, _KEPT))


def calling_themselves(code: Module) -> set[str]:
    """Return the functions that call themselves, directly or not."""
    calls = {one.name: {call.callee for call in one.calls} for one in code.functions}
    found = set[str]()
    for name, own in calls.items():
        seen, pending = set[str](), set(own)
        while pending:
            current = pending.pop()
            if current not in seen:
                seen.add(current)
                pending |= calls.get(current, set())
        if name in seen:
            found.add(name)
    return found


def _refusal(name: str, where: Where) -> DerivativeError:
    shown = readable(name.split(".", 1)[-1])
    message = f"writing to an array that `{shown}` returns, which calls itself"
    remedy = (
        "Enzyme would differentiate this wrongly: write to a copy of what it returns, or write the "
        "function as a loop"
    )
    return DerivativeError(message, where=where, remedy=remedy)
