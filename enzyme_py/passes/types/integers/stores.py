"""Stores of integers that the function itself counted or chose say that they are integers.

    status = 2                         %status = select i1 %is_large, i64 1, i64 2
    if cur > 2.1: status = 1           store i64 %status, ptr %field
    out[i]["status"] = status

Symptom: forward mode and second orders refuse a structured array with a column of integers, as constant memory without a shadow.

Cause: the memory is active, for its columns of floats. What is chosen among constants could be anything to Enzyme, and it takes it for
a pointer then: one whose shadow is not known.

Cure: the store gets a tag, if constants are all that the number is made of, and one of them is as small as no float's bits or pointer
is. Taken only where Enzyme has refused.
"""

from __future__ import annotations

from enzyme_py.llvm import Constant, Instruction, Phi, Store, Value
from enzyme_py.llvm import types as kinds
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.types.tags import Tags, is_told

_MADE = frozenset("select freeze sext zext add sub mul and or xor".split())
_SMALL = 4096  # below it there are no pointers, and as bits of a float it is nothing that anybody computes with


class IntegerStores(Pass):
    """A tag for each store of an integer that is made of constants alone."""

    name = "integer stores"

    def run(self, draft: Draft) -> None:
        """Tag the stores of all functions."""
        tags = Tags(draft.code)
        for function in draft.code.functions:
            for one in function.instructions if function.mentions("store i") else ():
                if isinstance(one, Store) and not is_told(one) and is_counted(one.value):
                    tags.put(one, "long")


def is_counted(value: Value) -> bool:
    """Tell whether a value is an integer that is computed, and from constants alone, of which one is small and not zero."""
    if not isinstance(value, Instruction) or not kinds.is_integer(value.type):
        return False
    seen, pending, has_small = set[Value](), list[Value]([value]), False
    while pending:
        one = pending.pop()
        if one in seen:
            continue
        seen.add(one)
        if isinstance(one, Constant):
            if one.integer is None:
                return False
            has_small |= 0 < abs(one.integer) < _SMALL
        elif isinstance(one, Phi):
            pending += one.values
        elif isinstance(one, Instruction) and one.opcode in _MADE:
            pending += one.operands[1:] if one.opcode == "select" else one.operands
        elif not (isinstance(one, Instruction) and one.opcode == "icmp"):
            return False
    return has_small
