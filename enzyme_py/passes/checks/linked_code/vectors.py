"""Vector code that the pass cannot read is refused.

    call void @llvm.masked.store.v4f64.p0(<4 x double> %square, ptr %y, i32 8, <4 x i1> %is.positive)
    %one = extractelement <4 x double> %four, i32 %which

Symptom: the pass crashed ("cast<Ty>() argument of incompatible type", "pair.first.size() != 0"), or refused the kernel without a word.

Cause: Enzyme reads the alignment of a masked access where LLVM 22 has none any more; of a vector it knows single elements, no variable
one; it has no rule for the smallest element of a vector. clang writes the first and the last when it vectorises loops itself (`-O3 -mavx2`).

Cure: a refusal that says how to compile. The code of the derivative is vectorised later, as any other.
"""

from __future__ import annotations

from enzyme_py.errors import NoDerivativeError
from enzyme_py.llvm import Call, Constant, Instruction, types
from enzyme_py.passes.base import Draft, Pass

_WITHOUT_RULE = (
    "llvm.masked.",
    "llvm.vector.reduce.fmin",
    "llvm.vector.reduce.fmaximum",
)
_OF_ONE_ELEMENT = ("extractelement", "insertelement")


class CheckVectors(Pass):
    """A refusal of masked accesses, of minima, and of elements by a variable index."""

    name = "check vectors"

    def applies(self, draft: Draft) -> bool:
        """Tell whether a module has such code at all."""
        names = (one.name for one in draft.code.declarations)
        return any(map(_is_without_rule, names)) or any(
            function.mentions(word) for function in draft.code.functions for word in _OF_ONE_ELEMENT
        )

    def run(self, draft: Draft) -> None:
        """Raise at the first piece of it."""
        for what in (found for function in draft.code.functions for found in map(_told, function.instructions)):
            if what:
                remedy = "compile the code with `-fno-vectorize -fno-slp-vectorize`, and write an array in place of a vector type"
                raise NoDerivativeError(f"{what}, in linked code", where=draft.where, remedy=remedy)


def _is_without_rule(name: str) -> bool:
    return name.startswith(_WITHOUT_RULE)


def _told(one: Instruction) -> str:
    if isinstance(one, Call) and _is_without_rule(one.callee):
        return f"vector code of clang's (`{one.callee}`)"
    if one.opcode in _OF_ONE_ELEMENT and not isinstance(one.operands[-1], Constant):
        kind = one.operands[0].type
        return "an element of a vector by a variable index" if types.is_vector(kind) and types.counted(kind)[1] in types.FLOATS else ""
    return ""
