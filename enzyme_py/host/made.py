"""What is looked for in, and taken out of, what Enzyme made: no body is read that cannot be concerned."""

from __future__ import annotations

from enzyme_py.llvm import Constant, GetElementPtr, Module

# Enzyme says of what it reads again in the reverse sweep, and of what it caches, that all reads give the same. LLVM believes
# it of more than was meant. Its GVN, which runs on what Enzyme made, hands the note on to reads before a write, and
# takes them for the one behind it (measured: `return v[0]` behind a loop that writes v). Where it unrolls a loop whose
# memory grows from iteration to iteration, it writes to what was freed (`if j == 1 or j == 4: break`). Of caches of
# caches it fails an assertion, in the user's process ("ClobberMA", MemorySSA).
_SAME_VALUES = "invariant.group"


def without_same_values(code: Module) -> None:
    """Take the notes away that say that all reads of a place give the same."""
    for function in code.functions:
        function.drop_metadata(_SAME_VALUES)


def reads_nowhere(code: Module) -> bool:
    """Tell whether an element is addressed by an index that has no value.

    Of a number that two nested loops leave (`q = f(u); u = x[j]`, then q) Enzyme forgets the iteration of the outer one: it
    reads what it cached of loops at such an index, from memory that nobody wrote.
    """
    return any(
        isinstance(one, GetElementPtr) and any(map(_has_no_value, one.indices))
        for function in code.functions
        if function.mentions("i64 undef") or function.mentions("i64 poison")
        for one in function.instructions
    )


def _has_no_value(index: object) -> bool:
    return isinstance(index, Constant) and index.type == "i64" and index.is_undefined
