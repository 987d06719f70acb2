"""Reads with a mark that Enzyme must cache them are not one with others, in reverse mode.

    src = a; a, b = b, a                       %a.2 = load double, ptr %q, !enzyme_mustcache
    r = np.take(src, P) * src                  %again = load double, ptr %q, !enzyme_mustcache

Symptom: wrong gradients without a word (measured): a number was read again that a later iteration had written over.

Cause: Enzyme lets LLVM simplify the code before it looks for marks. LLVM makes one of two reads of the same number, and leaves out
metadata that it does not know, also where both have it.

Cure: each such read has a pointer of its own, moved by zero bytes of which LLVM does not know that they are none (as in
later_iterations.py): a number for each, in each function. So no other read is the same, whichever addresses LLVM may find equal.
"""

from __future__ import annotations

from itertools import count

from enzyme_py.llvm import Function, GetElementPtr, Load
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.memory.overwriting.later_iterations import hide
from enzyme_py.passes.module.opaque import is_cached_copy
from enzyme_py.passes.module.requests import has_reverse
from enzyme_py.symbols import MUST_CACHE

_OFFSET = "enzyme_py.apart"


class MarkedReads(Pass):
    """Keep reads apart that must be cached."""

    name = "marked reads"

    def applies(self, draft: Draft) -> bool:
        """Tell whether the module asks for reverse mode."""
        return has_reverse(draft.code)

    def run(self, draft: Draft) -> None:
        """Move them, in all functions."""
        for function in draft.code.functions:
            if function.mentions(MUST_CACHE):
                free = (name for number in count() if function.find(f"%{(name := f'{_OFFSET}.{number}')}") is None)
                for read in _together(function):
                    hide(function, [read], next(free))


def _together(function: Function) -> list[Load]:
    """Return the reads with a mark that have no such pointer yet."""
    marked = [one for one in function.instructions if isinstance(one, Load) and one.has_metadata(MUST_CACHE)]
    return [one for one in marked if not _is_apart(one)]


def _is_apart(read: Load) -> bool:
    """Tell whether a pointer is moved by a number that moves no other one."""
    pointer = read.pointer
    moved = pointer.indices if isinstance(pointer, GetElementPtr) else ()
    return any(is_cached_copy(one) and len(list(one.users)) == 1 for one in moved)
