"""Reads with a mark that Enzyme must cache them are not one with others, in reverse mode.

    src = a; a, b = b, a                       %a.2 = load double, ptr %q, !enzyme_mustcache
    r = np.take(src, P) * src                  %again = load double, ptr %q, !enzyme_mustcache

Symptom: wrong gradients without a word (measured): a number was read again that a later iteration had written over.

Cause: Enzyme lets LLVM simplify the code before it looks for marks. LLVM makes one of two reads of the same number, and leaves out
metadata that it does not know, also where both have it.

Cure: each further read of the same address has a pointer of its own, moved by zero bytes of which LLVM does not know that they are
none (as in later_iterations.py). So it is cached twice. There are few: nearly all have been made one by O2.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable

from enzyme_py.llvm import Function, Load, Value
from enzyme_py.llvm.analyses.addresses import Addresses
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.passes.memory.overwriting.later_iterations import hide
from enzyme_py.passes.module.requests import has_reverse
from enzyme_py.symbols import MUST_CACHE

_OFFSET = "enzyme_py.apart"


class MarkedReads(Pass):
    """Keep reads apart, one of which must be cached."""

    name = "marked reads"

    def applies(self, draft: Draft) -> bool:
        """Tell whether the module asks for reverse mode."""
        return has_reverse(draft.code)

    def run(self, draft: Draft) -> None:
        """Move all but the first of the reads of an address, in all functions."""
        for function in draft.code.functions:
            if function.mentions(MUST_CACHE):
                for reads in _of_one_address(function):
                    for number, read in enumerate(reads[1:], 1):
                        hide(function, [read], f"{_OFFSET}.{number}")


def _of_one_address(function: Function) -> list[list[Load]]:
    """Return the reads of each address, if one of them has a mark."""
    addresses, found = function.analysis(Addresses), defaultdict[Hashable, list[Load]](list)
    for one in function.instructions:
        if isinstance(one, Load):
            found[_key(addresses, one.pointer)].append(one)
    return [reads for reads in found.values() if any(one.has_metadata(MUST_CACHE) for one in reads)]


def _key(addresses: Addresses, pointer: Value) -> Hashable:
    """Return what equal addresses share."""
    address = addresses.of(pointer)
    if address.offset is None:
        return pointer
    return address.base, frozenset(address.offset.parts.items()), address.offset.number
