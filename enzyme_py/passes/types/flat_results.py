"""Tapes with numbers and pointers are returned through memory, not by value.

    define internal fastcc { ptr, ptr, double } @augmented_f(ptr %x)

Symptom: reverse over reverse of `product(x, i)`, a function that calls itself, in a loop lost some of its mixed second derivatives,
without a word (measured; where LLVM does not inline the first of its calls).

Cause: a struct with a pointer among its fields is returned with a shadow, and that by value: the slope of its double, which the
caller has cached, has no way back. That of a parameter is the same (flat_parameters.py).

Cure: the fields are stored where the caller says, and read there. Memory has a shadow that both see.

    define internal fastcc void @augmented_f(ptr %result, ptr %x)
"""

from __future__ import annotations

from enzyme_py.llvm import Builder, Call, Function, Return, Value
from enzyme_py.llvm import types as kinds
from enzyme_py.llvm.analyses.callers import all_calls_of
from enzyme_py.passes.base import Draft, Pass


class FlatResults(Pass):
    """Results through memory, for all functions that nobody outside of the module calls."""

    name = "flat results"

    def run(self, draft: Draft) -> None:
        """Change all such functions whose result has pointers and numbers, and their calls."""
        for function in draft.code.functions:
            if function.linkage == "internal" and _is_mixed(function.return_type):
                calls = all_calls_of(function)
                if calls is not None:
                    _change(function, calls)


def _is_mixed(type_: str) -> bool:
    found = {leaf for leaf, _ in kinds.leaves(type_)} if kinds.is_struct(type_) else set()
    return "ptr" in found and any(map(kinds.is_float, found))


def _change(function: Function, calls: list[Call]) -> None:
    kind = function.return_type
    result, *_ = function.set_arguments([("ptr", "result"), *function.arguments])
    for one in list(function.instructions):
        if isinstance(one, Return):
            at = Builder(one, keeps_location=True)
            for _, path in kinds.leaves(kind):
                field = ", ".join(map(str, path))
                value = at.parse(f"%field = extractvalue {kind} {one.operands[0].ref}, {field}")
                at.store(value, _place(at, kind, result, path))
            at.ret()
            one.erase()
    function.set_return_type("void")
    function.remove_attribute("memory")
    for call in calls:
        _change_call(function, kind, call)


def _change_call(function: Function, kind: str, call: Call) -> None:
    """Read what a call leaves in memory of its caller, and put it together."""
    assert call.function is not None
    memory = Builder.at_start(call.function.entry).alloca(kind, "result")
    at = Builder(call, keeps_location=True)
    words = [one for one in call.attributes if not one.startswith("memory(")]
    made = at.call(function, [memory, *call.arguments], attributes=words)
    made.set_flags(call.flags)
    for index in range(len(call.arguments)):
        made.set_argument_attributes(index + 1, call.argument_attributes(index))
    whole: Value = at.constant(kind, "poison")
    for leaf, path in kinds.leaves(kind):
        one = at.load(leaf, _place(at, kind, memory, path), "field")
        field = ", ".join(map(str, path))
        whole = at.parse(f"%whole = insertvalue {kind} {whole.ref}, {leaf} {one.ref}, {field}")
    call.replace_all_uses_with(whole)
    call.erase()


def _place(at: Builder, kind: str, memory: Value, path: tuple[int, ...]) -> Value:
    steps = "".join(f", i32 {one}" for one in path)
    return at.parse(f"%place = getelementptr inbounds {kind}, ptr {memory.ref}, i32 0{steps}")
