"""Telling Enzyme that the parts of a parallel loop write to no memory but that of their arguments.

Symptom: what a part reads goes onto the tape, all of it: a gradient of 20,000 rows of 100 numbers took twice the time of plain
loops, on one thread.

Cause: a part is a function (frontend/parallel/drivers.py), and what it reads may be read again only if no other part writes
there. A call of `sqrt` in it may set `errno`, as far as LLVM says, which may be any memory that a pointer leads to.

Cure: drivers and chunks are said to leave `errno` alone. No kernel can ask for it, and Enzyme knows the C library's mathematics as
functions without memory anyhow, where they are called.
"""

from __future__ import annotations

from enzyme_py.llvm import Function
from enzyme_py.passes.base import Draft, Pass
from enzyme_py.symbols import CHUNK, DRIVER

_ERRNO = "errnomem"


class MemoryOfParts(Pass):
    """What LLVM has found of drivers and chunks, without `errno`."""

    name = "memory of parts"

    def applies(self, draft: Draft) -> bool:
        """Tell whether there are parallel loops."""
        return any(map(_is_of_parts, draft.code.functions))

    def run(self, draft: Draft) -> None:
        """Write the attribute anew."""
        for function in filter(_is_of_parts, draft.code.functions):
            said = function.attribute("memory")
            if said is None or _ERRNO not in said:
                continue
            places = said[said.index("(") + 1 : said.rindex(")")].split(", ")
            kept = [one for one in places if not one.startswith(_ERRNO)]
            function.remove_attribute("memory")
            function.add_attribute(f"memory({', '.join(kept) or 'none'})")


def _is_of_parts(function: Function) -> bool:
    return not function.is_declaration and (DRIVER in function.name or CHUNK in function.name)
