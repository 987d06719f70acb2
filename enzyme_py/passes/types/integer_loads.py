"""Loads of integers that only count and index say that they are integers.

    order = np.argpartition(x, 2);  y[order[2]]         y is a column: the index is multiplied by a step in bytes

Symptom: Enzyme refuses the module, since it will not differentiate arithmetic on what could be a float's bits.

Cause: it concludes what memory holds from what is done with it. A number that is multiplied, shifted or added on
its way to an index tells it nothing.

Cure: each load of an integer gets a tag, if all that ever becomes of the number is an index, a comparison, or a float by
its value: bits that could come to be a float again never go there. Arrays of integers that the function makes itself are looked
into as well (integer_blocks.py). Taken only where Enzyme has refused.
"""

from __future__ import annotations

from enzyme_py.llvm import Instruction, Load, Store
from enzyme_py.llvm import types as kinds
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.types.integer_blocks import reads_of_block
from enzyme_py.passes.types.tags import KIND, Tags

_MAKES_INTEGERS = frozenset(
    "phi select freeze sext zext trunc add sub mul shl ashr lshr and or xor udiv sdiv urem srem".split()
)
_INTRINSICS = ("llvm.smin.", "llvm.smax.", "llvm.umin.", "llvm.umax.", "llvm.abs.")
_ENDS = frozenset(("getelementptr", "icmp", "switch", "br", "sitofp", "uitofp"))


class IntegerLoads(Pass):
    """A tag for each load of an integer that comes to be counts and indices, and nothing else."""

    name = "integer loads"

    def run(self, draft: Draft) -> None:
        """Tag the loads of all functions."""
        tags = Tags(draft.code)
        for function in draft.code.functions:
            for one in function.instructions if function.mentions("load i") else ():
                if is_untagged_integer(one) and only_counts(one, in_blocks=True):
                    tags.put(one, "long")


def is_untagged_integer(one: Instruction) -> bool:
    """Tell whether an instruction loads an integer and does not say what that is."""
    return isinstance(one, Load) and kinds.is_integer(one.type) and not one.has_metadata(KIND)


def only_counts(value: Instruction, *, in_blocks: bool = False) -> bool:
    """Tell whether all that becomes of a value are indices, comparisons, and floats of its size.

    If asked, also what is read from blocks of integers that it is written to.
    """
    seen, pending = {value}, [value]
    while pending:
        for user in pending.pop().users:
            if _makes_integer(user):
                made: list[Instruction] = [user]
            elif in_blocks and isinstance(user, Store):
                reads = reads_of_block(user)
                if reads is None:
                    return False
                made = [*reads]
            elif user.opcode in _ENDS:
                continue
            else:
                return False
            pending += [one for one in made if one not in seen]
            seen.update(made)
    return True


def _makes_integer(user: Instruction) -> bool:
    if user.opcode == "call":
        return user.operands[0].name.startswith(_INTRINSICS)
    return user.opcode in _MAKES_INTEGERS
