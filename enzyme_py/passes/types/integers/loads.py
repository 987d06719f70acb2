"""Loads of integers that only count and index say that they are integers.

    order = np.argpartition(x, 2);  y[order[2]]         y is a column: the index is multiplied by a step in bytes

Symptom: Enzyme refuses the module, since it will not differentiate arithmetic on what could be a float's bits.

Cause: it concludes what memory holds from what is done with it. A number that is multiplied, shifted or added on
its way to an index tells it nothing.

Cure: each load of an integer gets a tag, if all that ever becomes of the number is an index, a size of memory, a comparison, or a float by
its value: bits that could come to be a float again never go there. Arrays of integers that the function makes itself are looked
into as well (blocks.py), the integers of records (memory_contents.py), and what becomes of the number in functions that
are called with it, or that get it in a result (fields_of_results.py). What the language names an integer (frontend/codegen/named_integers.py)
gets one too, loads and stores, if the kernel looks at no float's bits. Taken only where Enzyme has refused.
"""

from __future__ import annotations

from collections.abc import Sequence

from enzyme_py.llvm import Call, Function, Instruction, Load, Return, Store, Value
from enzyme_py.llvm import types as kinds
from enzyme_py.llvm.analyses.allocations import ALLOCATORS
from enzyme_py.llvm.analyses.callers import all_calls_of
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.types.element_accesses import mark_element_accesses
from enzyme_py.passes.types.fields_of_results import reads_of_field
from enzyme_py.passes.types.integers.blocks import reads_of_block
from enzyme_py.passes.types.memory_contents import reads_of_records
from enzyme_py.passes.types.tags import KIND, Tags, accessed_type, is_told, is_whole
from enzyme_py.symbols import BIT_VIEWS, OF_INTEGER, TABLE_OPERATION

_MAKES_INTEGERS = frozenset(
    "phi select freeze extractvalue sext zext trunc add sub mul shl ashr lshr and or xor udiv sdiv urem srem".split()
)
_INTRINSICS = ("llvm.smin.", "llvm.smax.", "llvm.umin.", "llvm.umax.", "llvm.abs.")
_CHECKED = tuple(f"llvm.{sign}{name}.with.overflow." for sign in "su" for name in ("add", "sub", "mul"))  # a number, and whether it is right
_OF_SIZES = ("llvm.memset.", "llvm.memcpy.", "llvm.memmove.")
_ENDS = frozenset(("getelementptr", "icmp", "switch", "br", "sitofp", "uitofp"))


class IntegerLoads(Pass):
    """A tag for each load of an integer that comes to be counts and indices, and nothing else."""

    name = "integer loads"

    def run(self, draft: Draft) -> None:
        """Tag the loads of all functions."""
        tags = Tags(draft.code)
        if draft.code.get(BIT_VIEWS) is None:
            _tell_named_integers(draft, tags)
        for function in draft.code.functions:
            if function.mentions("getelementptr"):
                mark_element_accesses(function)
            for one in function.instructions if function.mentions("load i") else ():
                if is_untagged_integer(one) and only_counts(one, everywhere=True):
                    tags.put(one, "long")


def _tell_named_integers(draft: Draft, tags: Tags) -> None:
    """Tag what reads and writes integers in the language's own words, where nobody looks at the bits of floats."""
    for function in draft.code.functions:
        for one in function.instructions if function.mentions(KIND) else ():
            if kinds.is_integer(accessed_type(one)) and is_whole(one):
                tags.put(one, "long")


def is_untagged_integer(one: Instruction) -> bool:
    """Tell whether an instruction loads an integer and does not say what that is."""
    return isinstance(one, Load) and kinds.is_integer(one.type) and not is_told(one)


def only_counts(value: Instruction, *, everywhere: bool = False) -> bool:
    """Tell whether all that becomes of a value are indices, comparisons, and floats of its size.

    If asked, also what is read from where it is written to, and what becomes of it in functions that are called with it.
    """
    seen, pending = set[Value]({value}), list[Value]([value])
    while pending:
        one = pending.pop()
        for user in one.users:
            if _makes_integer(user):
                made: Sequence[Value] | None = [user]
            elif user.opcode in _ENDS or _is_size(user, one):
                continue
            else:
                made = _made_elsewhere(user, one) if everywhere else None
            if made is None:
                return False
            pending += [new for new in made if new not in seen]
            seen.update(made)
    return True


def _made_elsewhere(user: Instruction, value: Value) -> Sequence[Value] | None:
    """Return what a value becomes that is stored, handed to a function, or returned; None if that is not known."""
    if isinstance(user, Store):
        for reads_of in (reads_of_block, reads_of_field, reads_of_records):
            if (reads := reads_of(user)) is not None:
                return reads
        return None
    if isinstance(user, Return):
        return all_calls_of(user.function)
    if isinstance(user, Call) and user.callee.startswith(TABLE_OPERATION):
        return ()  # of texts and tables, which hold no floats
    if isinstance(user, Call) and _is_declared_integer(user, value):
        return [user]
    if isinstance(user, Call) and isinstance(user.target, Function) and user.target.linkage == "internal":
        return [parameter for parameter, one in zip(user.target.arguments, user.arguments, strict=True) if one is value]
    return None


def _is_declared_integer(user: Call, value: Value) -> bool:
    """Tell whether a function that is called says of all that a value is handed over as that it is an integer."""
    target = user.target
    given = [place for place, one in enumerate(user.arguments) if one is value]
    return isinstance(target, Function) and all(OF_INTEGER in target.parameter_attributes(place) for place in given)


def _is_size(user: Instruction, value: Value) -> bool:
    """Tell whether a number says how much memory is made, cleared or copied."""
    if not isinstance(user, Call):
        return False
    if user.callee in ALLOCATORS:
        return True
    return user.callee.startswith(_OF_SIZES) and [one is value for one in user.arguments].index(True) == 2


def _makes_integer(user: Instruction) -> bool:
    if user.opcode == "call":
        return user.operands[0].name.startswith((*_INTRINSICS, *_CHECKED))
    return user.opcode in _MAKES_INTEGERS
