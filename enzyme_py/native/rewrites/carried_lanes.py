"""A number that goes round a loop beside the vector whose first lane it is becomes a read of that lane.

    vector = phi <2 x double> [a, entry], [b, loop]          vector = phi <2 x double> [a, entry], [b, loop]
    number = phi double [a[0], entry], [b[0], loop]   -->    number = vector[0]

Symptom: derivatives of some loops were wrong, without a word: the other lanes of a vector were zero. Found in a third derivative of
two numbers that change places; LLVM's vectors of straight-line code leave such phis in second derivatives as well.

Cause: x86 code of LLVM 22.1, in its register coalescer. A vector and its first lane have one register, so reading the lane is a copy
to a narrower class of registers, and both phis are copies at the loop's end. The coalescer sees that both have one value, keeps one
register for both, and drops the second copy: the vector's, if the number's came first. What is left went through the narrow class;
if it is kept in memory, as across a call, that is eight bytes, and the other lanes are gone.

Cure: behind LLVM's pipeline the number is read from the vector, which has one copy. A phi of both is looked through. Reproducer:
tests/native/test_carried_lanes.py.
"""

from __future__ import annotations

from enzyme_py.llvm import Builder, Constant, Function, Instruction, Module, Phi, Value

_Pairs = dict[Phi, list[Phi]]  # a number's phi, and phis of vectors in its block whose first lane it may be
_NUMBERS = ("double", "float")


def may_carry_lanes(text: str) -> bool:
    """Tell at once whether code has phis of vectors and reads lanes."""
    return " = phi <" in text and " = extractelement <" in text


def read_carried_lanes(code: Module) -> bool:
    """Read from vectors what is carried beside them; tell whether there was anything."""
    changed = [one for one in code.functions if may_carry_lanes(one.body_text) and _read_lanes(one)]
    return bool(changed)


def _read_lanes(function: Function) -> bool:
    found = _carried(function)
    for number, vectors in found.items():
        text = f"%{function.unique_name('lane')} = extractelement {vectors[0].type} {vectors[0]}, i64 0"
        number.replace_under_its_name(Builder.at_start(number.home).parse(text))
    return bool(found)


def _carried(function: Function) -> _Pairs:
    pairs = _Pairs()
    for block in function.blocks:
        vectors = [one for one in block.phis if one.type.startswith("<")]
        for number in block.phis if vectors else ():
            if number.type in _NUMBERS:
                pairs[number] = [one for one in vectors if one.type.endswith(f" x {number.type}>")]
    while True:  # a pair may rest on another one, round a loop as well: go on until none rests on what is none
        kept = {number: [one for one in vectors if _is_lane(number, one, pairs)] for number, vectors in pairs.items()}
        if kept == pairs:
            return {number: vectors for number, vectors in pairs.items() if vectors}
        pairs = kept


def _is_lane(number: Phi, vector: Phi, pairs: _Pairs) -> bool:
    return all(_is_first(one, vector.value_from(block), pairs) for one, block in number.incoming)


def _is_first(number: Value, vector: Value, pairs: _Pairs) -> bool:
    if isinstance(number, Constant):
        return number.is_undefined
    if isinstance(number, Phi):
        return any(one is vector for one in pairs.get(number, ()))
    if not isinstance(number, Instruction) or number.opcode != "extractelement":
        return False
    one, lane = number.operands
    return one is vector and isinstance(lane, Constant) and lane.integer == 0
